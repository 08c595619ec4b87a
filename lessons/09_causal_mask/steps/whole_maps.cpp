#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "autograd/attention.h"
#include "autograd/variable.h"
#include "lessons/09_causal_mask/masks.h"
#include "lessons/09_causal_mask/steps/common.h"
#include "lessons/09_causal_mask/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/engine/stopwatch.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/course/pictures/curves.h"
#include "tensor/allocator.h"
#include "tensor/attention.h"
#include "tensor/create.h"
#include "tensor/layout.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/reference/attention.h"
#include "tensor/threads.h"

namespace gradwalk::lesson_09 {
namespace {

using course::Evidence;
using course::Step;

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
  step.picture(course::Bars("numbers of maps moved / n^2", {"numbers"}))
      .digits(0)
      .group(names[0], {last[0]})
      .group(names[1], {last[1]})
      .group(names[2], {last[2]});
  step.picture(course::Curves("log10 of the ms (0 is 1 ms)", "log2 n: 8 is 256 words"))
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

}  // namespace gradwalk::lesson_09
