#include "lessons/10_kv_cache/cost_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "lessons/10_kv_cache/caches.h"
#include "lessons/10_kv_cache/decoding.h"
#include "lessons/course/language_model.h"
#include "lessons/course/measure.h"
#include "lessons/course/stopwatch.h"
#include "nn/kv_cache.h"
#include "tensor/allocator.h"
#include "tensor/layout.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Step;

constexpr double kKi = 1024, kGi = 1024.0 * 1024 * 1024;
constexpr std::int64_t kWidth = 64, kLayers = 2;
constexpr std::int64_t kCounted = 512;  // whole maps of longer texts would take hundreds of MB

std::string clock_note(const char* bound, bool met) {
  return fmt::format("clock, {} expected: {}", bound, met ? "met" : "missed");
}

}  // namespace

void cost(Step& step) {
  const bool cached = !step.broken("no-cache");
  const std::int64_t longest = step.whole("longest");
  nn::CausalLmOptions sizes =
      course::causal_lm_options({.d_model = kWidth, .layers = kLayers, .context = longest});
  sizes.block.d_hidden = 4 * kWidth;
  nn::CausalLm model(sizes, nn::Seed(step.seed()) / "kv_cache/cost");
  const Tensor text = words_of(course::test_text({}, step.seed()), longest);
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
  step.curves("log10 of the ms for one more word (0 is 1 ms)",
              fmt::format("log2 n: 6 is 64 words, {:.0f} is {}", x.back(), longest))
      .series(columns[0], x, without)
      .series(columns[1], x, with);
  const double loops_off = course::distance(course::logits_at_once(model, first), loops);
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
  step.curves("log10 of the ms to put n tokens in (0 is 1 ms)",
              fmt::format("log2 n: {:.0f} is {} tokens", x.back(), most))
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

void size(Step& step) {
  const bool every_head = step.broken("query-heads");
  step.formula("numbers = 2 * layers * kv_heads * head_dim * tokens * texts");
  step.formula("2: K and V      texts: written side by side, the batch");
  step.formula("kv_heads: those with keys and values; several query heads may share");
  step.formula("the article's product: layers * heads * tokens * head_dim");
  auto table =
      step.table("cache of 1 token in KiB, of 131072 tokens in GiB; one text, 2 bytes a number",
                 {"layers", "heads", "kv heads", "head_dim", "KiB", "GiB"});
  auto bars = step.bars("KiB for one token", {"KiB"});
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

void beside_parameters(Step& step) {
  const bool shared = step.broken("one-kv-head");
  const std::int64_t batch = step.whole("batch");
  step.formula("crossing = parameter bytes / cache bytes a token      in tokens");
  step.formula("tokens * texts > crossing: the cache is the larger");
  // The course's own language model, beside real caches of more and more room.
  const auto model = course::new_language_model({.kv_heads = shared ? 1 : 0}, step.seed());
  double parameter_bytes = 0;
  for (const auto& [name, weight] : model->state_dict()) {
    parameter_bytes += static_cast<double>(weight.numel() * size_of(weight.dtype()));
  }
  const auto per_token = static_cast<double>(model->make_cache(1, 1).bytes_allocated());
  bool as_formula = true;
  auto own = step.table("our own small model: the first of ever larger caches that outgrows it",
                        {"parameters KiB", "KiB a token", "tokens each", "crossing / texts"});
  for (const std::int64_t texts : {std::int64_t{1}, batch}) {
    std::int64_t tokens = 1;
    while (static_cast<double>(model->make_cache(texts, tokens).bytes_allocated()) <=
           parameter_bytes) {
      ++tokens;
    }
    const double crossing = parameter_bytes / per_token / static_cast<double>(texts);
    as_formula = as_formula && static_cast<double>(tokens) == std::floor(crossing) + 1;
    own.digits({1, 2, 0, 1})
        .row(fmt::format("{} text{}", texts, texts == 1 ? "" : "s"),
             {parameter_bytes / kKi, per_token / kKi, static_cast<double>(tokens), crossing});
  }
  auto large =
      step.table("published models, 16-bit: GiB; tokens: the longest text; crossing: tokens",
                 {"tokens", "parameters", "1 text", fmt::format("{} texts", batch), "crossing"});
  auto bars =
      step.bars("cache as a share of the parameters",
                {"1 of 512 tokens", "1 of the longest", fmt::format("{} of the longest", batch)});
  int outgrown_by_one = 0, outgrown = 0;
  bool small_when_short = true;
  for (const PublishedModel& one : published_models()) {
    PublishedModel kept = one;
    if (shared) kept.kv_heads = 1;
    const double weights = 2 * one.parameters;
    const double a_text = bytes_per_token(kept) * static_cast<double>(one.context);
    const double texts = a_text * static_cast<double>(batch);
    const double crossing = weights / bytes_per_token(kept);
    outgrown_by_one += a_text > weights ? 1 : 0;
    outgrown += texts > weights ? 1 : 0;
    small_when_short = small_when_short && crossing > 512;
    large.digits({0, 1, 2, 1, 0})
        .row(one.name, {static_cast<double>(one.context), weights / kGi, a_text / kGi, texts / kGi,
                        crossing});
    bars.digits(2).group(one.name, {512 / crossing, a_text / weights, texts / weights});
  }
  const auto models = static_cast<int>(published_models().size());
  step.number("outgrown by 1 text", outgrown_by_one, fmt::format("of {} models", models));
  step.number(fmt::format("outgrown by {} texts", batch), outgrown,
              fmt::format("of {} models", models));
  const bool often = 2 * outgrown > models;
  step.claim("B19", Evidence::kCounted, /*cases=*/2 + 3 * models)
      .as_stated(often)
      .right(often && 2 * outgrown_by_one <= models && small_when_short && as_formula)
      .value(outgrown)
      .expected(fmt::format("{} texts: most; 1: not most; 512 tokens: none", batch))
      .tolerance("exact")
      .found(fmt::format("{} texts: {} of {}; 1: {}; crossing {}", batch, outgrown, models,
                         outgrown_by_one, as_formula ? "as computed" : "elsewhere"));
  step.why(
      "Parameters are there once for all texts, a cache once for each: length times texts "
      "decides. One short text stays smaller.");
  step.try_next({"./gradwalk run 10 --claim=B19 --break=one-kv-head", "./gradwalk claims B19"});
}

}  // namespace gradwalk::lessons
