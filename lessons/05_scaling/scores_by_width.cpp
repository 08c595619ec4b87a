#include "lessons/05_scaling/scores_by_width.h"

#include <fmt/format.h>

#include <tuple>

#include "lessons/course/engine/memo.h"
#include "tensor/elementwise.h"
#include "tensor/join.h"

namespace gradwalk::lesson_05 {
namespace {

constexpr std::int64_t kKeys = 64;

}  // namespace

using course::Step;

std::vector<std::int64_t> widths(Step& step) {
  std::vector<std::int64_t> all = {4, 16, 64, 128, 256, 1024};
  std::erase_if(all, [most = step.whole("width")](std::int64_t d_k) { return d_k > most; });
  return all;
}

std::string at_width(std::int64_t d_k) { return fmt::format("d_k {}", d_k); }

const Tensor& scores_by_width(Step& step, const std::vector<std::int64_t>& d_ks, std::int64_t pairs,
                              const Entries& entries) {
  const std::int64_t seeds = step.whole("seeds");
  static course::Memo<
      std::tuple<std::uint64_t, std::int64_t, std::int64_t, std::vector<std::int64_t>, Entries>,
      Tensor>
      memo;
  return memo({step.seed(), seeds, pairs, d_ks, entries}, [&] {
    std::vector<Tensor> parts;
    for (std::int64_t seed = 0; seed < seeds; ++seed) {
      step.progress("pairs of q and k", seed, seeds);
      parts.push_back(
          pair_scores(d_ks, pairs, entries, step.generator(fmt::format("pairs {}", seed))));
    }
    return concat(parts, /*axis=*/1);
  });
}

RawAndScaled saturation_at(Step& step, std::int64_t d_k, double raw_factor, double scaled_factor) {
  std::vector<Saturation> raw, scaled;
  for (std::int64_t seed = 0; seed < step.whole("seeds"); ++seed) {
    const Tensor s = random_scores(step.whole("queries"), kKeys, d_k,
                                   step.generator(fmt::format("queries {} {}", d_k, seed)));
    raw.push_back(saturation_of(s * raw_factor));
    scaled.push_back(saturation_of(s * scaled_factor));
  }
  return {mean_of(raw), mean_of(scaled)};
}

}  // namespace gradwalk::lesson_05
