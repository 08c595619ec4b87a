#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "lessons/12_grouped_heads/steps/common.h"
#include "lessons/12_grouped_heads/steps/steps.h"
#include "lessons/12_grouped_heads/variants.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/pictures/bars.h"
#include "nn/kv_cache.h"
#include "tensor/dtype.h"

namespace gradwalk::lesson_12 {
namespace {

using course::Evidence;
using course::Step;

}  // namespace

void cache_size(Step& step) {
  const bool copies = step.broken("stored-copies");
  constexpr std::int64_t words = 5;
  step.formula("numbers a word and layer = 2 G Dh: K and V of each kv head, Dh = 64");
  step.formula("share of MHA's = G / H, H = 12");
  auto table = step.table(fmt::format("the cache of a layer that has read {} words", words),
                          {"kv heads", "numbers a word", "of MHA's", "bytes"});
  auto& bars = step.picture(course::Bars("numbers a word", {"numbers"}));
  std::int64_t cases = 0;
  bool as_shared = true;
  double mha = 0, share = 0;
  for (const std::int64_t kv_heads : kKvHeads) {
    const auto shared = layer_of(step, kHeads, kv_heads);
    const nn::KvCache cache = copies ? cache_after(*with_copies(shared, kWidth), kWidth, words)
                                     : cache_after(shared, kWidth, words);
    const auto bytes = static_cast<double>(cache.bytes_used());
    const double numbers = bytes / 4 / words;
    if (kv_heads == kHeads) mha = numbers;
    share = numbers / mha;
    as_shared = as_shared && cache.bytes_allocated() == cache.bytes_used() &&
                numbers == static_cast<double>(2 * kv_heads * kHeadDim) &&
                numbers * kHeads == mha * static_cast<double>(kv_heads);
    ++cases;
    const std::string name = variant_name(kHeads, kv_heads);
    table.digits({0, 0, 3, 0}).row(name, {static_cast<double>(kv_heads), numbers, share, bytes});
    bars.digits(0).group(name, {numbers});
    // Other sizes: the share stays.
    for (const std::int64_t layers : {1, 12}) {
      for (const std::int64_t batch : {1, 3}) {
        for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
          nn::KvCacheOptions sizes = cache.options();
          sizes.num_layers = layers;
          sizes.batch = batch;
          sizes.capacity = 100;
          sizes.dtype = dtype;
          const double in_all = 100.0 * static_cast<double>(layers * batch * size_of(dtype));
          as_shared = as_shared && static_cast<double>(nn::KvCache(sizes).bytes_allocated()) ==
                                       in_all * static_cast<double>(2 * kv_heads * kHeadDim);
          ++cases;
        }
      }
    }
  }
  step.predict("12 query heads share one kv head. What is left of the cache?",
               {"1/24", "1/12", "1/2"},
               share < 0.06  ? 0
               : share < 0.3 ? 1
                             : 2);
  step.claim("B38", Evidence::kCounted, cases)
      .as_stated(as_shared)
      .right(as_shared)
      .value(share)
      .expected("G / H of MHA's bytes; MQA: 1 / 12")
      .tolerance("exact")
      .found(fmt::format("MQA keeps {:.4g} of MHA's, {} caches {}", share, cases,
                         as_shared ? "as shared" : "larger"));
  step.why(
      "What is cached is what words answer with, once for each kv head. \"One copy\" means the "
      "keys "
      "and the values of one head.");
  step.try_next({"./gradwalk run 12 --claim=B38 --break=stored-copies", "./gradwalk claims B38"});
}

}  // namespace gradwalk::lesson_12
