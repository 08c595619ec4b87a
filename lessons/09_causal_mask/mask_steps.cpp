#include "lessons/09_causal_mask/mask_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "autograd/attention.h"
#include "lessons/09_causal_mask/masks.h"
#include "lessons/course/measure.h"
#include "lessons/course/stopwatch.h"
#include "tensor/allocator.h"
#include "tensor/attention.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/reference/attention.h"
#include "tensor/threads.h"
#include "tensor/triangle.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void record_four_words(Step& step, double hidden) {
  const std::vector<std::string> words = {"why", "the", "cats", "hear"};
  Generator generator = step.generator("four words");
  const Tensor q = normal({4, 3}, generator), k = normal({4, 3}, generator);
  const Tensor mask = future_mask(4, hidden);
  const AttentionMap map = attention_map(unsqueeze(q, 0), unsqueeze(k, 0), {.additive_mask = mask});
  const Tensor is_future = triu(ones({4, 4}), 1);
  const auto record = [&](const char* name, const Tensor& values) {
    return step.tensor(name, values).axes("query", "key").rows(words).columns(words);
  };
  step.tensor("q", q).axes("word", "component").rows(words).explain(Explain::given("N(0, 1)"));
  step.tensor("k", k).axes("word", "component").rows(words).explain(Explain::given("N(0, 1)"));
  record("s", select(map.scores.value(), 0, 0))
      .explain(Explain::contraction("ic,jc->ij", {"q", "k"}, 1 / std::sqrt(3.0)));
  record("m", mask).masked(is_future).may_be_nonfinite().explain(
      Explain::given("0 for j <= i, -inf for what comes later"));
  record("s_masked", select(map.masked.value(), 0, 0))
      .masked(is_future)
      .may_be_nonfinite()
      .explain(Explain::sum(
          {Explain::contraction("ij->ij", {"s"}), Explain::contraction("ij->ij", {"m"})}));
  record("w", select(map.weights.value(), 0, 0))
      .masked(is_future)
      .explain(Explain::softmax("s_masked"));
  step.heatmap("row: the word that asks; column: the word it looks at; --: hidden",
               {"s", "s_masked", "w"});
}

// Attention in parts, as a program without a fused kernel runs it.
Tensor in_parts(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask) {
  const AttentionMap map = attention_map(q, k, {.additive_mask = mask});
  return weighted_values(map.weights, v).value();
}

// Working space is one a thread: what is held would depend on how many there are.
class OneThread {
 public:
  OneThread() { set_num_threads(1); }
  ~OneThread() { set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_ = num_threads();
};

// The most memory that the work holds beyond what was held before, in maps of n^2 float32.
double maps_held(const std::function<void()>& work, std::int64_t n) {
  const OneThread one;
  reset_peak_memory();
  const std::int64_t before = memory_stats().used_bytes;
  work();
  return static_cast<double>(memory_stats().peak_used_bytes - before) /
         static_cast<double>(4 * n * n);
}

}  // namespace

void four_words(Step& step) {
  const double hidden = step.broken("finite-mask") ? -5 : -kInfinity;
  const std::int64_t seeds = step.whole("seeds");
  step.formula("s_ij = q_i.k_j / sqrt(d): how well word j fits what word i asks");
  step.formula("mask: s_ij + m_ij, m_ij = -inf for a later word (j > i), else 0");
  step.formula("w_i = softmax(s_i + m_i): exp(-inf) = 0, so its share is 0");
  step.formula("rescaled: the masked w against the unmasked w of the past / their sum");
  record_four_words(step, hidden);
  MaskEffect most;
  double least_future = 1, least_move = kInfinity;
  auto table =
      step.table("weight on later words; how far the mask moves q k v, rescaled w, k of layer 1",
                 {"w open", "w masked", "q k v", "rescaled", "layer 1 k"});
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const MaskEffect one =
        mask_effect(step.seed() + 1000 * static_cast<std::uint64_t>(seed), hidden);
    table.digits({3, 3, -1, -1, 2})
        .row(fmt::format("model {}", seed),
             {one.future, one.hidden, one.projections, one.renormalised, one.second_layer});
    most.hidden = std::max(most.hidden, one.hidden);
    most.projections = std::max(most.projections, one.projections);
    most.renormalised = std::max(most.renormalised, one.renormalised);
    most.influence = std::max(most.influence, one.influence);
    least_future = std::min(least_future, one.future);
    least_move = std::min(least_move, one.second_layer);
  }
  step.number("largest |d answer / d later word|", most.influence, "by backprop, layer 0");
  step.predict("The mask hides half of the map. Which of q, k, v of that layer change?",
               {"k and v of hidden words", "none"}, most.projections == 0 ? 1 : 0);
  const bool exact = most.hidden == 0 && most.projections == 0 && least_future > 0;
  step.claim("B16", Evidence::kTensor, seeds * 4 * 28)
      .seeds(static_cast<int>(seeds))
      .as_stated(exact)
      .right(exact && most.influence == 0 && most.renormalised < 1e-6 && least_move > 0.05)
      .value(most.hidden)
      .expected("hidden weight, q k v, influence: 0; layer 1 k moves > 0.05")
      .tolerance("exact; rescaled weights 1e-6: float32, sums of 8")
      .found(fmt::format("hidden weight {:.2g}, q k v moved {:.2g}, layer 1 k {:.2f}", most.hidden,
                         most.projections, least_move));
  step.why(
      "The mask sits behind q, k, v: in its layer they cannot feel it, and the past shares what "
      "the future had. The next layer reads other answers.");
  step.try_next({"./gradwalk run 9 --claim=B16 --break=finite-mask", "./gradwalk run 9 --step"});
}

void place(Step& step) {
  const double infinite = step.broken("small-infinity") ? -20 : -kInfinity;
  const std::int64_t seeds = step.whole("seeds");
  const std::vector<double> sizes = {5, 10, 20, 50, 100, 200};
  std::vector<double> before(sizes.size()), after(sizes.size());
  double moved = 0, least_before = kInfinity, most_after = 0, highest_sum = 0, unlike = 0;
  Tensor hidden_row;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    Generator generator = step.generator(fmt::format("queries and keys {}", seed));
    const Tensor q = normal({8, 64}, generator, DType::kFloat64);
    const Tensor k = normal({8, 64}, generator, DType::kFloat64);
    const Tensor right = weights_masked_after(q, k, infinite);
    moved = std::max(moved, course::distance(right, weights_masked_before(q, k, infinite)));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double a = leaked(weights_masked_before(q, k, -sizes[i]));
      const double b = leaked(weights_masked_after(q, k, -sizes[i]));
      before[i] += a / static_cast<double>(seeds);
      after[i] += b / static_cast<double>(seeds);
      if (sizes[i] != 20) continue;
      least_before = std::min(least_before, a);
      most_after = std::max(most_after, b);
    }
    const Tensor zeroed = tril(weights_masked_after(q, k, 0));
    const Tensor sums = sum(zeroed, -1, /*keepdims=*/true);
    highest_sum = std::max(highest_sum, mean(sums).item());
    unlike =
        std::max(unlike, course::distance(zeroed / sums, weights_masked_after(q, k, -kInfinity)));
  }
  step.formula("before: (q.k + m) / sqrt(64)      after: q.k / sqrt(64) + m");
  step.formula("m = -inf: -inf / 8 = -inf, so both are the same");
  step.formula("m = -C: before, only C / 8 is left of it; e^(-20/8) = 0.08, e^-20 = 2e-9");
  step.formula("behind softmax: w_ij = 0 for j > i, rows no longer sum to 1");
  auto table = step.table("weight on hidden words, mean over rows, n = 8",
                          {"-C before scaling", "-C after scaling"});
  table.digits({-1, -1});
  std::vector<double> log_before, log_after;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    table.row(fmt::format("C = {}", sizes[i]), {before[i], after[i]});
    log_before.push_back(std::log10(before[i]));
    log_after.push_back(std::log10(after[i]));
  }
  step.number("-inf: before against after", moved, "largest difference of a weight");
  step.number("zeroed behind softmax, row sum", highest_sum, "mean, the model with most", 3);
  step.number("such rows / their sums", unlike, "against -inf: rescaled they agree again");
  step.curves("log10 of the weight on hidden words", "C")
      .series("before scaling", sizes, log_before)
      .series("after scaling", sizes, log_after);
  step.predict("-inf is added before the scores are scaled, not after. How much leaks?",
               {"nothing: the weights are the same", "some"}, moved == 0 ? 0 : 1);
  step.check("zeroing behind softmax is mended by rescaling", unlike < 1e-14);
  step.claim("B50", Evidence::kTensor, seeds * 64)
      .seeds(static_cast<int>(seeds))
      .as_stated(moved > 0)
      .right(moved == 0 && least_before > 0.01 && most_after < 1e-6 && highest_sum < 0.9)
      .value(moved)
      .expected("-inf: 0; -20: before > 0.01, after < 1e-6; zeroed: sums < 0.9")
      .tolerance("exact")
      .found(fmt::format("-inf differs by {:.2g}; -20 leaks {:.2g} before, {:.1g} after", moved,
                         least_before, most_after));
  step.why(
      "Scaling leaves -inf as it is, so the order is free. It counts for a finite -C, and behind "
      "softmax the shares of the past are too small.");
  step.try_next({"./gradwalk run 9 --claim=B50 --break=small-infinity",
                 "./gradwalk run 9 --claim=B50 --predict"});
}

void whole_maps(Step& step) {
  const bool apart = step.broken("maps-apart");
  const std::int64_t longest = step.whole("longest");
  step.formula("in parts: q k^T, scale, + mask, softmax, times v: maps [n, n]");
  step.formula("numbers moved: 1 + 2 + 3 + 2 + 1 = 9 n^2; without + mask 6 n^2");
  step.formula("fused: tiles of the map live in registers; 0 numbers of it are moved");
  const std::vector<std::string> names = {"parts + mask", "parts", "fused"};
  auto counts = step.table("numbers of [n, n] maps read and written / n^2, counted", names);
  auto times = step.table("ms, one head of 64 numbers, medians of 5",
                          {"parts + mask", "fused, masked", "fused, open"});
  bool as_counted = true, less = true;
  double off = 0, ratio = 0, skipped = 0, parts_held = 0, fused_held = 0, fused_moves = 0;
  std::vector<double> last;
  std::int64_t cases = 0;
  std::vector<double> x, part_ms, fused_ms;
  for (std::int64_t n = 256; n <= longest; n *= 2) {
    step.progress("measure", n, 2 * longest);
    Generator generator = step.generator(fmt::format("{} words", n));
    const Tensor q = normal({1, n, 64}, generator), k = normal({1, n, 64}, generator);
    const Tensor v = normal({1, n, 64}, generator);
    const Tensor mask = future_mask(n, -kInfinity);
    const NoGrad no_grad;
    const auto fused = [&] {
      return apart ? in_parts(q, k, v, mask)
                   : attention(Variable(q), Variable(k), Variable(v), {.causal = true}).value();
    };
    const auto moves = [&](const auto& work) {
      const MapTraffic traffic(n);
      work();
      return static_cast<double>(traffic.numbers()) / static_cast<double>(n * n);
    };
    const std::vector<double> moved = {moves([&] { in_parts(q, k, v, mask); }),
                                       moves([&] { in_parts(q, k, v, {}); }), moves(fused)};
    as_counted = as_counted && moved[0] == 9 && moved[1] == 6;
    less = less && moved[2] < moved[0];
    fused_moves = std::max(fused_moves, moved[2]);
    off = std::max(off, course::distance(fused(), in_parts(q, k, v, mask)));
    counts.digits(0).row(fmt::format("n = {}", n), moved);
    last = moved;
    const double parts = 1e3 * course::time_runs(5, [&] { in_parts(q, k, v, mask); }).median;
    const double one = 1e3 * course::time_runs(5, fused).median;
    const double open = 1e3 * course::time_runs(5, [&] { attention(q, k, v); }).median;
    times.digits(2).row(fmt::format("n = {}", n), {parts, one, open});
    x.push_back(std::log2(static_cast<double>(n)));
    part_ms.push_back(std::log10(parts));
    fused_ms.push_back(std::log10(one));
    ratio = parts / one;
    skipped = one / open;
    parts_held = maps_held([&] { in_parts(q, k, v, mask); }, n);
    fused_held = maps_held(fused, n);
    ++cases;
    if (n != 256) continue;
    const Tensor loops =
        reference::attention(unsqueeze(q, 0), unsqueeze(k, 0), unsqueeze(v, 0), {.causal = true});
    const double from_loops = course::distance(unsqueeze(fused(), 0), loops);
    step.check("answers as naive float64 loops compute them", from_loops < 1e-5,
               fmt::format("n = 256, at most {:.0e} apart", from_loops));
    const double loops_ms = 1e3 * course::time_runs(1, [&] {
                                    reference::attention(unsqueeze(q, 0), unsqueeze(k, 0),
                                                         unsqueeze(v, 0), {.causal = true});
                                  }).median;
    step.number("naive loops, n = 256, ms", loops_ms, "", 1);
  }
  step.number(fmt::format("parts / fused, n = {}", longest), ratio,
              fmt::format("clock, > 1 expected: {}", ratio > 1 ? "met" : "missed"), 1);
  step.number(
      "fused, masked / open", skipped,
      fmt::format("half is skipped: clock, < 0.8 expected: {}", skipped < 0.8 ? "met" : "missed"),
      2);
  step.number("parts hold, at most", parts_held, "maps of n^2 float32 at one time", 2);
  step.number("fused holds, at most", fused_held, "likewise; its answers are 64 / n of one", 2);
  step.bars("numbers of maps moved / n^2", {"numbers"})
      .digits(0)
      .group(names[0], {last[0]})
      .group(names[1], {last[1]})
      .group(names[2], {last[2]});
  step.curves("log10 of the ms (0 is 1 ms)", "log2 n: 8 is 256 words")
      .series("parts + mask", x, part_ms)
      .series("fused", x, fused_ms);
  step.claim("B51", Evidence::kCounted, 3 * cases)
      .as_stated(less)
      .right(as_counted && fused_moves == 0 && fused_held < 1 && off < 1e-5)
      .value(fused_moves)
      .expected("9 n^2 in parts, 6 n^2 without the mask's pass, fused 0 and no map held")
      .tolerance("exact; answers 1e-5: float32, sums of n shares")
      .found(fmt::format("fused moves {:.0f} n^2, holds {:.2f}; answers {:.0e} apart", fused_moves,
                         fused_held, off));
  step.why(
      "The mask's own pass moves 3 n^2 numbers. The fused kernel never writes the map and skips "
      "its hidden half; the rest is the gain of fusing, not of the mask.");
  step.try_next({"./gradwalk run 9 --claim=B51 --break=maps-apart",
                 "./gradwalk run 9 --claim=B51 --set=longest=1024"});
}

}  // namespace gradwalk::lessons
