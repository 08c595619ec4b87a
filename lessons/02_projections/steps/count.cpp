#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lessons/02_projections/heads.h"
#include "lessons/02_projections/steps/common.h"
#include "lessons/02_projections/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "nn/attention.h"
#include "nn/init.h"
#include "nn/seed.h"
#include "tensor/create.h"
#include "tensor/linear.h"

namespace gradwalk::lesson_02 {
namespace {

using course::Evidence;
using course::Step;

}  // namespace

void count(Step& step) {
  const bool fixed = step.broken("fixed-head-width");
  const std::vector<std::int64_t> counts = {1, 2, 4, 8, 12, 24, 48};
  step.formula("W_Q, W_K, W_V, W_O together: 4 d (h d_k)      with h d_k = d: 4 d^2, whatever h");
  step.formula("products for n tokens: 4 n d^2 + 2 n^2 (h d_k)      maps: h n^2 weights");
  auto table = step.table("d = 768, n = 1024", {"width", "parameters", "products/1e6", "maps/1e6"});
  std::vector<double> parameters;
  for (const std::int64_t h : counts) {
    nn::MultiHeadAttentionOptions options = plain(h);
    options.linear.init = {nn::InitScheme::kZeros, 0};  // they are only counted
    if (fixed) options.head_dim = kHeadDim;
    const nn::MultiHeadAttention layer(kWidth, nn::Seed(step.seed()), options);
    const double n = 1024, d = kWidth;
    const double inner = static_cast<double>(h * layer.options().head_dim);
    parameters.push_back(static_cast<double>(layer.num_parameters()));
    table.digits(0).row(
        h == 1 ? "1 head" : fmt::format("{} heads", h),
        {static_cast<double>(layer.options().head_dim), parameters.back(),
         (4 * n * d * inner + 2 * n * n * inner) / 1e6, static_cast<double>(h) * n * n / 1e6},
        h == 1 ? "maps grow with h" : "");
  }
  const auto [low, high] = std::minmax_element(parameters.begin(), parameters.end());
  step.predict("Parameters of 48 heads, beside those of one?",
               {"48 times as many", "a few per cent more", "exactly as many"},
               *high == *low        ? 2
               : *high < 1.1 * *low ? 1
                                    : 0);
  step.number("parameters, most over fewest", *high / *low, "counted in the modules themselves", 2);
  step.claim("B35", Evidence::kCounted, /*cases=*/static_cast<std::int64_t>(counts.size()))
      .as_stated(*high <= 1.01 * *low)
      .right(*high == *low && *high == 4.0 * kWidth * kWidth)
      .value(*high / *low)
      .expected("4 * 768^2 = 2359296 for every h")
      .tolerance("exact; \"about the same\" is taken as within 1 %")
      .found(fmt::format("{:.0f} to {:.0f}", *low, *high));
  step.why(
      "Heads divide the width, they do not add to it: more heads are narrower heads. Only the "
      "maps get more, one a head.");
  step.try_next({"./gradwalk run 2 --claim=B35 --break=fixed-head-width",
                 "./gradwalk run 2 --claim=B35 --predict"});
}

}  // namespace gradwalk::lesson_02
