#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "lessons/12_grouped_heads/steps.h"
#include "lessons/12_grouped_heads/variants.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Step;

constexpr std::int64_t kWidth = 768, kHeads = 12, kHeadDim = kWidth / kHeads;  // GPT-2's
const std::vector<std::int64_t> kKvHeads = {12, 4, 2, 1};

nn::MultiHeadAttention layer_of(const Step& step, std::int64_t heads, std::int64_t kv_heads) {
  return nn::MultiHeadAttention(
      kWidth, nn::Seed(step.seed()) / "grouped_heads/layer",
      {.num_heads = heads, .num_kv_heads = kv_heads, .head_dim = kHeadDim, .causal = true});
}

}  // namespace

void parameters_and_work(Step& step) {
  const bool fewer_queries = step.broken("fewer-queries");
  step.formula("d = 768 in and out, H = 12 query heads, G kv heads, Dh = d / H = 64");
  step.formula("W_Q, W_O: d^2 numbers each      W_K, W_V: d G Dh each");
  step.formula("parameters = 2 d^2 + 2 d G Dh");
  step.formula("q, k, v and output of a word: one multiply-add a parameter");
  step.formula("a word that is seen: q.k and w v, Dh each, for each of H heads: 2 d");
  auto table = step.table("a layer reads one more word: multiply-adds, counted as they run",
                          {"parameters", "of MHA's", "q k v out", "a word seen", "1024 seen"});
  auto bars = step.bars("as a share of MHA's", {"parameters", "work, 1024 seen"});
  double mha_parameters = 0, mha_each = 0, mha_work = 0, mqa_share = 0;
  bool is_formula = true, most_parameters = true, most_attention = true;
  for (const std::int64_t kv_heads : kKvHeads) {
    const std::int64_t heads = fewer_queries ? kv_heads : kHeads;
    const auto layer = layer_of(step, heads, kv_heads);
    const auto parameters = static_cast<double>(layer.num_parameters());
    const WordCost cost = cost_of_a_word(layer, kWidth);
    const double work = cost.projections + 1024 * cost.each_word;
    if (kv_heads == kHeads) {
      mha_parameters = parameters;
      mha_each = cost.each_word;
      mha_work = work;
    } else {
      most_parameters = most_parameters && parameters < mha_parameters;
      most_attention = most_attention && cost.each_word < mha_each;
    }
    mqa_share = parameters / mha_parameters;
    is_formula = is_formula &&
                 parameters == static_cast<double>(2 * kWidth * (kWidth + kv_heads * kHeadDim)) &&
                 cost.projections == parameters && cost.each_word == 2 * kWidth;
    const std::string name = variant_name(kHeads, kv_heads);
    table.digits({0, 3, 0, 0, 0})
        .row(name, {parameters, mqa_share, cost.projections, cost.each_word, work});
    bars.digits(3).group(name, {mqa_share, work / mha_work});
  }
  step.predict("MQA: 12 query heads share one key a word. How much less work are the scores?",
               {"12 times", "about half", "none: as much"}, !most_attention ? 2 : 0);
  step.claim("B37", Evidence::kCounted, 3 * static_cast<std::int64_t>(kKvHeads.size()))
      .as_stated(most_parameters && most_attention)
      .right(most_parameters && is_formula)
      .value(mqa_share)
      .expected("parameters 2 d^2 + 2 d G Dh; 2 d multiply-adds a word seen, any G")
      .tolerance("exact")
      .found(fmt::format("MQA {:.3f} of the parameters, {}", mqa_share,
                         is_formula ? "attention as much as MHA" : "attention otherwise"));
  step.why(
      "Every query head still meets a key for every word, shared or not. Sharing saves making keys "
      "and values, and keeping and reading them.");
  step.try_next({"./gradwalk run 12 --claim=B37 --break=fewer-queries",
                 "./gradwalk run 12 --claim=B37 --predict"});
}

void cache_size(Step& step) {
  const bool copies = step.broken("stored-copies");
  constexpr std::int64_t words = 5;
  step.formula("numbers a word and layer = 2 G Dh: K and V of each kv head, Dh = 64");
  step.formula("share of MHA's = G / H, H = 12");
  auto table = step.table(fmt::format("the cache of a layer that has read {} words", words),
                          {"kv heads", "numbers a word", "of MHA's", "bytes"});
  auto bars = step.bars("numbers a word", {"numbers"});
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
  step.curves("MHA's over GQA's: bytes to read, and time",
              fmt::format("log2 n: 4 is 16 words, {:.0f} is {}", x.back(), longest))
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

}  // namespace gradwalk::lessons
