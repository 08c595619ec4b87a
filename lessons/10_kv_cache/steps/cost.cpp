#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "lessons/10_kv_cache/decoding.h"
#include "lessons/10_kv_cache/steps/common.h"
#include "lessons/10_kv_cache/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/engine/stopwatch.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/language_model.h"
#include "nn/causal_lm.h"
#include "nn/seed.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_10 {
namespace {

using course::Evidence;
using course::Step;

constexpr std::int64_t kWidth = 64, kLayers = 2;

}  // namespace

void cost(Step& step) {
  const bool cached = !step.broken("no-cache");
  const std::int64_t longest = step.whole("longest");
  nn::CausalLmOptions sizes =
      tasks::causal_lm_options({.d_model = kWidth, .layers = kLayers, .context = longest});
  sizes.block.d_hidden = 4 * kWidth;
  nn::CausalLm model(sizes, nn::Seed(step.seed()) / "kv_cache/cost");
  const Tensor text = words_of(tasks::test_text({}, step.seed()), longest);
  step.formula("all again, a layer: 12 n d^2 + 2 n^2 d multiply-adds for n words");
  step.formula("with a cache, the newest word alone: 12 d^2 + 2 n d: n times fewer");
  step.formula("12 d^2: 4 matrices W, and 8 d^2 in the MLP; 2 n d: n keys, n values");
  step.formula("d = 64 numbers a word; 2 layers; logits add 40 d a word");
  const std::vector<std::string> columns = {"all again", "with cache", "ratio"};
  auto counts = step.table("million multiply-adds for one more word, counted as they run", columns);
  auto times =
      step.table("ms for one more word, medians (here masked scores are skipped)", columns);
  bool is_n = true, is_formula = true;
  double ratio = 0, least_ratio = std::numeric_limits<double>::infinity(), time_ratio = 0, last = 0;
  std::vector<double> x, with, without;
  std::int64_t cases = 0;
  for (std::int64_t n = 64; n <= longest; n *= 2) {
    step.progress("measure", n, 2 * longest);
    const StepCost one = cost_of_a_step(model, slice(text, 0, 0, n), cached, n <= kCounted);
    const auto count = static_cast<double>(n), d = static_cast<double>(kWidth);
    x.push_back(std::log2(count));
    with.push_back(std::log10(one.with_ms));
    without.push_back(std::log10(one.without_ms));
    times.digits({2, 3, 1}).row(fmt::format("n = {}", n),
                                {one.without_ms, one.with_ms, one.without_ms / one.with_ms});
    if (n > kCounted) continue;
    ++cases;
    last = count;
    ratio = one.without / one.with;
    time_ratio = one.without_ms / one.with_ms;
    least_ratio = std::min(least_ratio, ratio);
    counts.digits({2, 4, 1}).row(fmt::format("n = {}", n),
                                 {one.without / 1e6, one.with / 1e6, ratio});
    const double readout = count * d * static_cast<double>(sizes.vocab_size);
    is_n = is_n && one.without == count * one.with;
    is_formula = is_formula &&
                 one.without == kLayers * (12 * count * d * d + 2 * count * count * d) + readout;
  }
  step.predict("512 words are read. How many times fewer multiply-adds with a cache?",
               {"2", "about 20", "512"},
               ratio < 10    ? 0
               : ratio < 100 ? 1
                             : 2);
  const double growth = std::pow(10, with.back() - with.front());
  const double slope = (without.back() - without.front()) / (x.back() - x.front()) / std::log10(2);
  step.number(fmt::format("time ratio, n = {:.0f}", last), time_ratio,
              clock_note("> 20", time_ratio > 20), 1);
  step.number(fmt::format("with cache, n = {} / 64", longest), growth,
              clock_note("< 20", growth < 20), 1);
  step.number("all again, n doubled: times", std::exp2(slope), clock_note("> 2", slope > 1), 1);
  const Tensor first = slice(text, 0, 0, 64);
  Tensor loops;
  const double loops_ms =
      1e3 * course::time_runs(1, [&] { loops = logits_by_loops(model, first); }).median;
  step.number(
      "plain loops, n = 64, ms", loops_ms,
      fmt::format("all again, as a check: {:.0f} times ours", loops_ms / std::pow(10, without[0])),
      1);
  step.picture(
          course::Curves("log10 of the ms for one more word (0 is 1 ms)",
                         fmt::format("log2 n: 6 is 64 words, {:.0f} is {}", x.back(), longest)))
      .series(columns[0], x, without)
      .series(columns[1], x, with);
  const double loops_off = course::distance(tasks::logits_at_once(model, first), loops);
  step.check("logits as naive float64 loops compute them", loops_off < 1e-4,
             fmt::format("64 words, at most {:.0e} apart", loops_off));
  step.check("the count is the formula, and 40 n d for the readout, to the last one", is_formula);
  step.claim("B20", Evidence::kCounted, cases)
      .as_stated(least_ratio > 20)
      .right(is_n)
      .value(ratio)
      .expected("n times fewer at every n (much: > 20 times)")
      .tolerance("exact")
      .found(fmt::format("{:.6g} times fewer at n = {:.0f}", ratio, last));
  step.why(
      "Without a cache the whole text is computed anew for each word. The clock gains less than n "
      "where steps are so small that calls cost more than products.");
  step.try_next({"./gradwalk run 10 --claim=B20 --break=no-cache",
                 "./gradwalk run 10 --claim=B20 --predict"});
}

}  // namespace gradwalk::lesson_10
