#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lessons/11_many_heads/lookups.h"
#include "lessons/11_many_heads/steps/common.h"
#include "lessons/11_many_heads/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/pictures/heatmap.h"

namespace gradwalk::lesson_11 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

// Query, keys, scores and weights of a page, under names that end in the number of heads.
void record_attention(Step& step, const LookupAttention& attention) {
  const auto heads = attention.query.shape()[0];
  const auto name = [&](const char* letter) { return fmt::format("{}_{}", letter, heads); };
  step.tensor(name("q"), attention.query)
      .axes("head", "component")
      .explain(Explain::given("the question's query, from the trained layer"));
  step.tensor(name("K"), attention.keys)
      .axes("head", "card", "component")
      .explain(Explain::given("keys of the cards, from the trained layer"));
  const double scale = 1 / std::sqrt(static_cast<double>(attention.query.shape()[1]));
  step.tensor(name("s"), attention.scores)
      .axes("head", "card")
      .columns(attention.cards)
      .explain(Explain::contraction("hi,hci->hc", {name("q"), name("K")}, scale));
  step.tensor(name("w"), attention.weights)
      .axes("head", "card")
      .columns(attention.cards)
      .explain(Explain::softmax(name("s")));
}

}  // namespace

void two_questions(Step& step) {
  const std::int64_t seeds = step.whole("seeds");
  const std::int64_t questions = step.broken("one-question") ? 1 : 2;
  LookupOptions options{.questions = questions, .updates = step.whole("updates")};
  const auto with = [&](std::int64_t heads) {
    options.heads = heads;
    return lookup_over_seeds(step, options, seeds);
  };
  const LookupSpread one = with(1), two = with(2);
  options.heads = 1;
  const LookupAttention one_look =
      lookup_attention(trained_lookup(step, options, 0, seeds).model, step.generator("page"));
  options.heads = 2;
  const LookupAttention two_look =
      lookup_attention(trained_lookup(step, options, 0, seeds).model, step.generator("page"));
  step.formula("x_j = key_j + value_j, 8 cards; d = 32");
  step.formula("x_8 = mark + Q_a[key a] + Q_b[key b], a question for two cards");
  step.formula("value a, value b: two readouts of attention(x)_8, 16 values to choose from");
  step.predict("One head: how often is value a one of the two values that were asked for?",
               {"hardly ever: it finds neither", "every other time", "nearly always"},
               one.set.mean < 0.3   ? 0
               : one.set.mean < 0.9 ? 1
                                    : 2);
  auto table = step.table(fmt::format("shares of 1024 fresh pages; models of each: {}", seeds),
                          {"right", "lowest", "highest", "both", "of the two"});
  const auto row = [&](std::int64_t heads, const LookupSpread& found, std::string note) {
    table.digits(3).row(
        heads_text(heads),
        {found.each.mean, found.each.lowest, found.each.highest, found.all.mean, found.set.mean},
        std::move(note));
  };
  row(1, one, "right: 1/2 + 1/32 is a coin toss between the two");
  row(2, two, "both: value a and value b; of the two: either");
  step.number("guessing blindly", 1.0 / 16, "one of 16 values", 4);
  const std::vector<std::string> asked = {"value a", "value b"};
  step.table("one page, read by the first model of each",
             {asked.begin(), asked.begin() + questions})
      .digits(0)
      .row("asked for", two_look.expected)
      .row("1 head says", one_look.named)
      .row("2 heads say", two_look.named);
  record_attention(step, one_look);
  record_attention(step, two_look);
  step.picture(course::Heatmap(
      "where the question (?) looks; \"7=3 a\": key 7 holds 3, and is asked for first",
      {"w_1", "w_2"}));
  const bool needs_two = one.each.highest < 0.65 && two.each.lowest > 0.98;
  step.claim("B34", Evidence::kTensor, /*cases=*/2 * 1024 * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(needs_two)
      .right(needs_two && one.set.lowest > 0.95)
      .value(one.each.mean)
      .interval(one.each.lowest, one.each.highest)
      .expected("1 head: right < 0.65, of the two > 0.95; 2 heads: right > 0.98")
      .tolerance("bounds between a toss-up (0.53) and all (1); in every seed")
      .found(fmt::format("1 head {:.3f}, of the two {:.3f}; 2 heads {:.3f}", one.each.mean,
                         one.set.mean, two.each.mean));
  step.why(
      "One head can look at both cards at once, but it brings back one sum of their values: which "
      "is whose is lost. Two heads bring two sums.");
  step.try_next({"./gradwalk run 11 --claim=B34 --break=one-question",
                 "./gradwalk run 11 --claim=B34 --predict"});
}

}  // namespace gradwalk::lesson_11
