#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lessons/10_kv_cache/caches.h"
#include "lessons/10_kv_cache/steps/common.h"
#include "lessons/10_kv_cache/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/stopwatch.h"
#include "lessons/course/pictures/curves.h"
#include "nn/kv_cache.h"

namespace gradwalk::lesson_10 {
namespace {

using course::Evidence;
using course::Step;

}  // namespace

void room(Step& step) {
  const bool by_one = step.broken("grow-by-one");
  const std::int64_t most = step.whole("room");
  step.formula("a layer of the cache: K [heads, room, head_dim], V the same");
  step.formula("a new token: its k, v go behind the others; its q meets all keys");
  step.formula("one more each time: F n (n - 1) / 2 bytes copied; twice: below 2 F n");
  step.formula("F = 512 bytes a token: K and V, 2 heads, 32 numbers, 4 bytes each");
  const std::vector<std::string> names = {"one more", "twice as much", "all at once"};
  auto copied = step.table("KiB copied to make room, counted where they are copied", names);
  auto times = step.table("ms to put n tokens into the cache, median of 3", names);
  const std::vector<nn::CacheGrowth> ways = {
      nn::CacheGrowth::kByOne, nn::CacheGrowth::kDoubling,
      by_one ? nn::CacheGrowth::kByOne : nn::CacheGrowth::kPreallocated};
  bool formula_holds = true, grows = true;
  double kept_in_place = 0;  // bytes copied where all the room was there
  std::int64_t cases = 0;
  std::vector<double> x, first_bytes, last_ms;
  std::vector<std::vector<double>> curves(ways.size());
  for (const std::int64_t n : {most / 8, most / 4, most / 2, most}) {
    std::vector<double> bytes, ms;
    for (std::size_t way = 0; way < ways.size(); ++way) {
      step.progress("fill caches", cases++, 4 * static_cast<std::int64_t>(ways.size()));
      bytes.push_back(static_cast<double>(small_cache(ways[way], n).bytes_copied()));
      ms.push_back(1e3 * course::time_runs(3, [&] { small_cache(ways[way], n); }).median);
      curves[way].push_back(std::log10(ms.back()));
    }
    const auto count = static_cast<double>(n);
    x.push_back(std::log2(count));
    copied.digits(0).row(fmt::format("n = {}", n),
                         {bytes[0] / kKi, bytes[1] / kKi, bytes[2] / kKi});
    times.digits(2).row(fmt::format("n = {}", n), ms);
    grows = grows && bytes[0] > 0;
    kept_in_place += bytes[2];
    formula_holds = formula_holds && bytes[0] == kSmallCacheBytes * count * (count - 1) / 2 &&
                    bytes[1] < 2 * kSmallCacheBytes * count;
    first_bytes.push_back(bytes[0]);
    last_ms = ms;
  }
  const double more_copies = first_bytes[3] / first_bytes[1];
  step.predict("Room for one more each time. Four times the tokens: how many times the copying?",
               {"4", "16", "64"},
               more_copies < 8    ? 0
               : more_copies < 32 ? 1
                                  : 2);
  const double ratio = last_ms[0] / last_ms[2];
  step.number(fmt::format("time, one more / all at once, n = {}", most), ratio,
              clock_note("> 4", ratio > 4), 1);
  step.picture(course::Curves("log10 of the ms to put n tokens in (0 is 1 ms)",
                              fmt::format("log2 n: {:.0f} is {} tokens", x.back(), most)))
      .series(names[0], x, curves[0])
      .series(names[1], x, curves[1])
      .series(names[2], x, curves[2]);
  const bool layout = is_kept_by_layer_and_head();
  step.check("K and V are arrays of their own in each layer, one head behind the other", layout);
  const bool as_said = layout && grows && kept_in_place == 0;
  step.claim("B49", Evidence::kCounted, cases)
      .as_stated(as_said)
      .right(as_said && formula_holds)
      .value(kept_in_place)
      .expected("all at once 0; one more F n (n - 1) / 2; twice < 2 F n")
      .tolerance("exact")
      .found(fmt::format("all at once {:.0f} bytes, the others {}", kept_in_place,
                         formula_holds ? "as expected" : "otherwise"));
  step.why(
      "Growing by one copies all that came before, every time. Doubling copies each token about "
      "once, and needs no guess of the length.");
  step.try_next({"./gradwalk run 10 --claim=B49 --break=grow-by-one",
                 "./gradwalk run 10 --claim=B49 --predict"});
}

}  // namespace gradwalk::lesson_10
