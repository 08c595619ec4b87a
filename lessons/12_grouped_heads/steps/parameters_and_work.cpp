#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "lessons/12_grouped_heads/steps/common.h"
#include "lessons/12_grouped_heads/steps/steps.h"
#include "lessons/12_grouped_heads/variants.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/pictures/bars.h"

namespace gradwalk::lesson_12 {
namespace {

using course::Evidence;
using course::Step;

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
  auto& bars = step.picture(course::Bars("as a share of MHA's", {"parameters", "work, 1024 seen"}));
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

}  // namespace gradwalk::lesson_12
