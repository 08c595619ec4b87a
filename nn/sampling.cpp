#include "nn/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "tensor/error.h"
#include "tensor/reduce.h"

namespace gradwalk::nn {
namespace {

constexpr double kLowest = -std::numeric_limits<double>::infinity();

void check(const char* op, const Tensor& logits, const SamplingOptions& o) {
  if (!logits.defined() || logits.ndim() != 1 || logits.numel() < 1) {
    throw_shape_error(op, "logits [V] with V >= 1",
                      logits.defined() ? logits.shape().str() : "an undefined one");
  }
  if (!is_float(logits.dtype())) {
    throw_argument_error(op, "float32 or float64", name(logits.dtype()),
                         {{"logits", logits.shape()}});
  }
  const auto refuse = [&](const char* expected, double got) {
    throw_argument_error(op, expected, fmt::format("{}", got));
  };
  if (!(o.temperature >= 0 && std::isfinite(o.temperature))) {
    refuse("a finite temperature >= 0", o.temperature);
  }
  if (o.top_k < 0) refuse("top_k >= 0", static_cast<double>(o.top_k));
  if (!(o.top_p >= 0 && o.top_p <= 1)) refuse("0 <= top_p <= 1", o.top_p);
  if (!(o.repetition_penalty > 0 && std::isfinite(o.repetition_penalty))) {
    refuse("a finite repetition_penalty > 0", o.repetition_penalty);
  }
}

void penalise(const char* op, std::vector<double>& scores, double penalty,
              std::span<const std::int64_t> history) {
  const auto count = static_cast<std::int64_t>(scores.size());
  for (const std::int64_t id : std::set<std::int64_t>(history.begin(), history.end())) {
    if (id < 0 || id >= count) {
      throw std::out_of_range(
          error_text(op, fmt::format("history ids in [0, {})", count), fmt::format("{}", id)));
    }
    double& score = scores[static_cast<std::size_t>(id)];
    score = score > 0 ? score / penalty : score * penalty;
  }
}

// Of the tokens in `kept`, which are sorted, the fewest that reach top_p; probabilities sum to 1.
void keep_nucleus(std::vector<Candidate>& kept, double top_p) {
  double sum = 0;
  std::size_t count = 0;
  while (count < kept.size() && (count == 0 || sum < top_p || top_p == 1)) {
    sum += kept[count++].probability;
  }
  kept.resize(count);
  for (Candidate& candidate : kept) candidate.probability /= sum;
}

}  // namespace

std::vector<Candidate> candidates(const Tensor& logits, const SamplingOptions& options,
                                  std::span<const std::int64_t> history, const char* op) {
  check(op, logits, options);
  if (options.temperature == 0 && options.repetition_penalty == 1) {
    // No list of all tokens. What is not above -inf, as NaN is, is named below.
    const auto best = static_cast<std::int64_t>(argmax(logits).item());
    if (logits.at({best}) > kLowest) return {{best, 1}};
  }
  std::vector<double> scores = logits.to_vector();
  if (options.repetition_penalty != 1) penalise(op, scores, options.repetition_penalty, history);
  std::vector<Candidate> kept;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::isnan(scores[i])) {
      throw_argument_error(op, "logits that are numbers", fmt::format("NaN at [{}]", i),
                           {{"logits", logits.shape()}});
    }
    if (scores[i] > kLowest) kept.push_back({static_cast<std::int64_t>(i), scores[i]});
  }
  if (kept.empty()) {
    throw_argument_error(op, "a logit above -inf", "none", {{"logits", logits.shape()}});
  }
  const auto likelier = [](const Candidate& a, const Candidate& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.id < b.id;
  };
  std::size_t count = kept.size();
  if (options.temperature == 0) {
    count = 1;
  } else if (options.top_k > 0) {
    count = std::min(count, static_cast<std::size_t>(options.top_k));
  }
  const auto end = kept.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(kept.begin(), end, kept.end(), likelier);
  kept.erase(end, kept.end());
  if (options.temperature == 0) return {{kept[0].id, 1}};

  const double most = kept[0].probability;
  double sum = 0;
  for (Candidate& candidate : kept) {
    // inf - inf would be NaN: an infinite logit shares the probability with its equals alone.
    const double gap = candidate.probability == most ? 0 : candidate.probability - most;
    candidate.probability = std::exp(gap / options.temperature);
    sum += candidate.probability;
  }
  for (Candidate& candidate : kept) candidate.probability /= sum;
  keep_nucleus(kept, options.top_p);
  return kept;
}

std::int64_t pick(std::span<const Candidate> candidates, double u) {
  double sum = 0;
  for (const Candidate& candidate : candidates) {
    sum += candidate.probability;
    if (u < sum) return candidate.id;
  }
  return candidates.back().id;  // the sum may round to a little less than 1
}

}  // namespace gradwalk::nn
