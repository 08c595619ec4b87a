#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lessons/12_grouped_heads/steps/steps.h"
#include "lessons/12_grouped_heads/variants.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/pictures/curves.h"

namespace gradwalk::lesson_12 {
namespace {

using course::Evidence;
using course::Step;

}  // namespace

void reading(Step& step) {
  const bool short_texts = step.broken("short-texts");
  const std::int64_t longest = step.whole("longest");
  step.formula("one block, d = 512, H = 8, Dh = 64, float32 (4 bytes a number)");
  step.formula("for the next word it reads all its weights, W bytes, and the cache:");
  step.formula("W + c n bytes, c = 4 * 2 G Dh, n words before it");
  step.formula("(T texts side by side: W + c n T, weights are read once for all)");
  step.formula("ratio(n) = (W + c n of MHA) / (W + c n of the other)");
  step.formula("from W / W' for n = 0 towards H / G for large n");
  auto bytes = step.table("10^6 bytes to read for one more word; ratio: MHA's over the other's",
                          {"MHA", "GQA, 2 kv", "MQA", "ratio GQA", "ratio MQA"});
  auto times = step.table("ms for one more word, medians of 9; ratio likewise: the speed-up",
                          {"MHA", "GQA, 2 kv", "MQA", "ratio GQA", "ratio MQA"});
  std::vector<std::int64_t> lengths;
  for (std::int64_t n = 16; n < longest; n *= step.quick() ? 32 : 4) lengths.push_back(n);
  lengths.push_back(longest);
  const std::vector<std::int64_t> kv_heads = {8, 2, 1};
  std::vector<std::unique_ptr<BlockReader>> blocks;
  for (const std::int64_t kv : kv_heads) {
    blocks.push_back(std::make_unique<BlockReader>(kv, step.seed()));
  }
  std::vector<double> x, ratios, speeds;
  bool grows = true, below = true, is_share = true, is_formula = true;
  for (const std::int64_t n : lengths) {
    step.progress("time blocks", static_cast<std::int64_t>(x.size()),
                  static_cast<std::int64_t>(lengths.size()));
    std::vector<double> read, ms, cache;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const BlockStep one = blocks[i]->read(short_texts ? 16 : n);
      cache.push_back(one.cache_bytes);
      read.push_back(one.weight_bytes + one.cache_bytes);
      ms.push_back(one.ms);
      is_share = is_share && cache[0] * static_cast<double>(kv_heads[i]) == 8 * cache[i];
      is_formula = is_formula && cache[i] == static_cast<double>(4 * 2 * kv_heads[i] * 64 * n);
    }
    const double ratio = read[0] / read[1];
    grows = grows && ratio > (ratios.empty() ? 1 : ratios.back());
    below = below && ratio < 4 && read[0] / read[2] < 8;
    x.push_back(std::log2(static_cast<double>(n)));
    ratios.push_back(ratio);
    speeds.push_back(ms[0] / ms[1]);
    const std::string label = fmt::format("n = {}", n);
    bytes.digits({1, 1, 1, 2, 2})
        .row(label, {read[0] / 1e6, read[1] / 1e6, read[2] / 1e6, ratio, read[0] / read[2]});
    times.digits(2).row(label, {ms[0], ms[1], ms[2], speeds.back(), ms[0] / ms[2]});
  }
  const double first = ratios.front(), last = ratios.back();
  step.predict(
      fmt::format("GQA with 2 of 8 kv heads, {} words. How much less does it read?", longest),
      {"4 times less, as it caches 4 times less", "2 to 3.5 times less", "hardly less"},
      last > 3.5 ? 0
      : last > 2 ? 1
                 : 2);
  const bool met = speeds.back() > 1.4 && speeds.back() > speeds.front();
  step.number(fmt::format("speed-up of GQA, n = {}", longest), speeds.back(),
              fmt::format("clock, > 1.4 and > that at 16 expected: {}", met ? "met" : "missed"), 2);
  const LoopsAndKernel attention = loops_and_kernel(1024, step.seed());
  step.number("naive loops, attention alone", attention.time_ratio,
              "times as long as ours, MHA, n = 1024", 1);
  step.picture(
          course::Curves("MHA's over GQA's: bytes to read, and time",
                         fmt::format("log2 n: 4 is 16 words, {:.0f} is {}", x.back(), longest)))
      .series("bytes", x, ratios)
      .series("clock", x, speeds);
  step.check("attention as naive float64 loops compute it", attention.apart < 1e-5,
             fmt::format("at most {:.0e} apart", attention.apart));
  step.check("the caches alone: 4 and 8 times less at every n", is_share);
  const bool stated = first < 1.5 && last > 2;
  step.claim("B40", Evidence::kCounted, 3 * static_cast<std::int64_t>(lengths.size()))
      .as_stated(stated)
      .right(stated && grows && below && is_share && is_formula)
      .value(last)
      .expected("ratio < 1.5 at 16 words, > 2 at the longest; grows with n, < H / G")
      .tolerance("exact")
      .found(fmt::format("{:.2f} at 16 words, {:.2f} at {}", first, last, longest));
  step.why(
      "A word's arithmetic is little, so time goes into reading. Weights are read either way: "
      "sharing pays where the cache outweighs them.");
  step.try_next({"./gradwalk run 12 --claim=B40 --break=short-texts",
                 "./gradwalk run 12 --claim=B40 --set=longest=32768"});
}

}  // namespace gradwalk::lesson_12
