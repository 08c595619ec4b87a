#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "lessons/10_kv_cache/caches.h"
#include "lessons/10_kv_cache/steps/common.h"
#include "lessons/10_kv_cache/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/pictures/bars.h"
#include "nn/kv_cache.h"
#include "tensor/allocator.h"
#include "tensor/dtype.h"

namespace gradwalk::lesson_10 {
namespace {

using course::Evidence;
using course::Step;

}  // namespace

void size(Step& step) {
  const bool every_head = step.broken("query-heads");
  step.formula("numbers = 2 * layers * kv_heads * head_dim * tokens * texts");
  step.formula("2: K and V      texts: written side by side, the batch");
  step.formula("kv_heads: those with keys and values; several query heads may share");
  step.formula("the article's product: layers * heads * tokens * head_dim");
  auto table =
      step.table("cache of 1 token in KiB, of 131072 tokens in GiB; one text, 2 bytes a number",
                 {"layers", "heads", "kv heads", "head_dim", "KiB", "GiB"});
  auto& bars = step.picture(course::Bars("KiB for one token", {"KiB"}));
  std::int64_t cases = 0;
  double off_formula = 0, rounded_up = 0;
  double fewest = std::numeric_limits<double>::infinity(), most = 0;  // numbers / product
  for (const PublishedModel& model : published_models()) {
    PublishedModel kept = model;
    if (every_head) kept.kv_heads = model.heads;
    const auto a_head = static_cast<double>(model.layers * model.head_dim);
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      for (const std::int64_t tokens : {1, 3, 8}) {
        for (const std::int64_t batch : {1, 2}) {
          const std::int64_t used = memory_stats().used_bytes;
          const nn::KvCache cache = make_cache(kept, batch, tokens, dtype);
          const auto blocks = static_cast<double>(memory_stats().used_bytes - used);
          const auto bytes = static_cast<double>(cache.bytes_allocated());
          const double numbers = bytes / static_cast<double>(size_of(dtype));
          const double formula = 2 * a_head * static_cast<double>(model.kv_heads * tokens * batch);
          const double product = a_head * static_cast<double>(model.heads * tokens);
          off_formula = std::max(off_formula, std::abs(numbers / formula - 1));
          rounded_up = std::max(rounded_up, std::abs(blocks / bytes - 1));
          fewest = std::min(fewest, numbers / product);
          most = std::max(most, numbers / product);
          ++cases;
        }
      }
    }
    const double per_token = bytes_per_token(kept);
    table.digits({0, 0, 0, 0, 0, 1})
        .row(model.name, {static_cast<double>(model.layers), static_cast<double>(model.heads),
                          static_cast<double>(kept.kv_heads), static_cast<double>(model.head_dim),
                          per_token / kKi, per_token * 131072 / kGi});
    bars.digits(0).group(model.name, {per_token / kKi});
  }
  step.number("largest error of the formula", off_formula,
              fmt::format("{} caches made: 1 to 8 tokens, 1 or 2 texts", cases));
  step.number("made / product, least", fewest, "8 query heads share one kv head", 2);
  step.number("made / product, most", most, "K and V, and two texts", 2);
  step.check("memory taken: the formula, rounded up", rounded_up < 0.25,
             fmt::format("blocks come in fixed sizes: up to {:.0f} % more", 100 * rounded_up));
  step.claim("B18", Evidence::kCounted, cases)
      .as_stated(fewest == 1 && most == 1)
      .right(off_formula == 0)
      .value(off_formula)
      .expected("ours: = the formula; article: = the product")
      .tolerance("exact")
      .found(fmt::format("formula off by {:.2g}; {:.2g} to {:.2g} times the product", off_formula,
                         fewest, most));
  step.why(
      "The product forgets that K and V are two, that texts come in batches and that heads may "
      "share. Sharing is what makes long texts affordable.");
  step.try_next({"./gradwalk run 10 --claim=B18 --break=query-heads", "./gradwalk claims B18"});
}

}  // namespace gradwalk::lesson_10
