#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "lessons/10_kv_cache/caches.h"
#include "lessons/10_kv_cache/steps/common.h"
#include "lessons/10_kv_cache/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/tasks/language_model.h"
#include "tensor/dtype.h"

namespace gradwalk::lesson_10 {
namespace {

using course::Evidence;
using course::Step;

}  // namespace

void beside_parameters(Step& step) {
  const bool shared = step.broken("one-kv-head");
  const std::int64_t batch = step.whole("batch");
  step.formula("crossing = parameter bytes / cache bytes a token      in tokens");
  step.formula("tokens * texts > crossing: the cache is the larger");
  // The course's own language model, beside real caches of more and more room.
  const auto model = tasks::new_language_model({.kv_heads = shared ? 1 : 0}, step.seed());
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
  auto& bars = step.picture(course::Bars(
      "cache as a share of the parameters",
      {"1 of 512 tokens", "1 of the longest", fmt::format("{} of the longest", batch)}));
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

}  // namespace gradwalk::lesson_10
