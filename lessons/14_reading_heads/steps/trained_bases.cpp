#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lessons/14_reading_heads/readers.h"
#include "lessons/14_reading_heads/steps/common.h"
#include "lessons/14_reading_heads/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/tasks/basis.h"
#include "nn/diagnostics/cosine.h"
#include "tensor/create.h"
#include "tensor/linalg.h"
#include "tensor/minmax.h"
#include "tensor/random.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_14 {
namespace {

using course::Evidence;
using course::Step;

double mean_size(const QueryKeyMeasures& measures) { return mean(abs(measures.cosines)).item(); }

}  // namespace

void trained_bases(Step& step) {
  const bool rotated = step.broken("rotated");
  const std::int64_t models = step.whole("seeds");
  Generator gen = step.generator("rotation");
  const Tensor rotation = svd(normal({kHeadDim, kHeadDim}, gen, kF64)).u;
  const std::vector<double> stretches = {1, 10, 100};
  step.formula("a model of the grammar corpus: 1 layer, 4 heads of 8");
  step.formula("all heads in another basis: q' = R q, k' = R^-T k      R = diag(t, 1, ..., 1)");
  auto table = step.table(fmt::format("mean of {} models", models),
                          {"loss", "off", "weights, off", "mean |cos|", "mean |q|"});
  table.digits({4, -1, -1, 3, 1});
  double off = 0, smallest_ratio = 1e9, largest_ratio = 0;
  std::vector<QueryKeyMeasures> plain;
  for (std::int64_t model = 0; model < models; ++model) {
    plain.push_back(measures(step, reader_of(step, model, 1)));
  }
  const Tensor before = plain.front().cosines;
  Tensor after;
  const auto row = [&](const std::string& name, const Tensor& r, const std::string& note) {
    double loss = 0, change = 0, weights = 0, cosine = 0, length = 0;
    const auto n = static_cast<double>(models);
    std::vector<double> ratios;
    for (std::int64_t model = 0; model < models; ++model) {
      const QueryKeyMeasures& as_trained = plain[static_cast<std::size_t>(model)];
      const QueryKeyMeasures other = measures(step, reader_of(step, model, 1), r);
      loss += other.loss / n;
      change = std::max(change, std::abs(other.loss - as_trained.loss));
      weights = std::max(weights, course::distance(other.weights, as_trained.weights));
      cosine += mean_size(other) / n;
      length += other.query_length / n;
      ratios.push_back(mean_size(other) / mean_size(as_trained));
      if (model == 0) after = other.cosines;
    }
    table.row(name, {loss, change, weights, cosine, length}, note);
    off = std::max(off, change);
    return course::spread_of(ratios);
  };
  row("turned", rotation, "R: a rotation, which keeps lengths and angles");
  for (const double t : stretches) {
    const course::Spread ratio =
        row(fmt::format("t = {}", t), rotated ? rotation : tasks::stretched_axis(kHeadDim, t),
            t == 1 ? "as trained; |cos|: of one word's own query and key; off: the largest" : "");
    smallest_ratio = ratio.lowest;
    largest_ratio = ratio.highest;
  }
  auto& bars = step.picture(
      course::Bars("cos(q_i, k_i) of model 0: share of the words", {"t = 1", "t = 100"}));
  bars.digits(3);
  const std::vector<double> old = before.to_vector(), other = after.to_vector();
  for (int bin = 0; bin < 10; ++bin) {
    const double low = -1 + 0.2 * bin;
    const auto share = [&](const std::vector<double>& all) {
      const auto inside = std::count_if(all.begin(), all.end(), [&](double c) {
        return c >= low && (c < low + 0.2 || bin == 9);
      });
      return static_cast<double>(inside) / static_cast<double>(all.size());
    };
    bars.group(fmt::format("{:4.1f} to {:4.1f}", low, low + 0.2), {share(old), share(other)});
  }
  step.predict("One axis of every head is stretched 100 times. What becomes of the loss?",
               {"it doubles", "it rises a little", "nothing"},
               off < kSameLoss ? 2
               : off < 0.5     ? 1
                               : 0);
  step.claim("B43", Evidence::kTensor, /*cases=*/models * 64 * 32 * 4)
      .seeds(static_cast<int>(models))
      .as_stated(off < kSameLoss && smallest_ratio > 0.25)
      .right(off < kSameLoss && largest_ratio < 0.25)
      .value(largest_ratio)
      .interval(smallest_ratio, largest_ratio)
      .expected("t = 100: |cos| below a quarter, loss changes by < 1e-5")
      .tolerance("the bounds are the claim's; every model; float32 losses differ by 1e-7")
      .found(fmt::format("|cos| times {:.3f} to {:.3f}, loss off by {:.1g}", smallest_ratio,
                         largest_ratio, off));
  step.why(
      "The model is the same function of its words, and the cosine has shrunk to a tenth: it tells "
      "how the head was written down, not whether it is a good one.");
  step.try_next(
      {"./gradwalk run 14 --claim=B43 --break=rotated", "./gradwalk run 14 --claim=B43 --predict"});
}

}  // namespace gradwalk::lesson_14
