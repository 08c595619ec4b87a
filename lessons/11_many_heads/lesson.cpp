// Lesson 11: why there is more than one head, and when there are too many.
//
// Claims   B34, B36, B45: article 003, sections 4.1 and 5.2, on what many heads are for
// Builds   on lesson 1 (the dictionary) and lesson 2 (a head is a block of rows)
// Run      ./gradwalk run 11 --step
//
// lookups.h trains models that answer two questions at once, language_heads.h those that learn a
// language; steps.h says where the later steps stand.

#include "lessons/course/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lessons/11_many_heads/lookups.h"
#include "lessons/11_many_heads/steps.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

std::string heads_text(std::int64_t heads) {
  return heads == 1 ? "1 head" : fmt::format("{} heads", heads);
}

/// Query, keys, scores and weights of a page, under names that end in the number of heads.
void record_look(Step& step, const LookupLook& look) {
  const auto heads = look.query.shape()[0];
  const auto name = [&](const char* letter) { return fmt::format("{}_{}", letter, heads); };
  step.tensor(name("q"), look.query)
      .axes("head", "component")
      .explain(Explain::given("the question's query, from the trained layer"));
  step.tensor(name("K"), look.keys)
      .axes("head", "card", "component")
      .explain(Explain::given("keys of the cards, from the trained layer"));
  const double scale = 1 / std::sqrt(static_cast<double>(look.query.shape()[1]));
  step.tensor(name("s"), look.scores)
      .axes("head", "card")
      .columns(look.cards)
      .explain(Explain::contraction("hi,hci->hc", {name("q"), name("K")}, scale));
  step.tensor(name("w"), look.weights)
      .axes("head", "card")
      .columns(look.cards)
      .explain(Explain::softmax(name("s")));
}

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
  const LookupLook one_look =
      look_at_page(trained_lookup(step, options, 0, seeds).model, step.generator("page"));
  options.heads = 2;
  const LookupLook two_look =
      look_at_page(trained_lookup(step, options, 0, seeds).model, step.generator("page"));
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
  record_look(step, one_look);
  record_look(step, two_look);
  step.heatmap("where the question (?) looks; \"7=3 a\": key 7 holds 3, and is asked for first",
               {"w_1", "w_2"});
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

void too_many(Step& step) {
  const std::int64_t seeds = step.whole("models");
  LookupOptions options{.updates = step.whole("updates") / 2};
  step.formula("h heads of 32 / h numbers: 4 * 32^2 = 4096 in W_Q, W_K, W_V, W_O for every h");
  auto table = step.table(fmt::format("the same two questions; models: {}, updates: {} at most",
                                      seeds, options.updates),
                          {"width", "right", "lowest", "highest", "both"});
  auto bars = step.bars("share of answers that are right, mean", {"right"});
  std::vector<double> right;
  for (const std::int64_t heads : step.quick() ? std::vector<std::int64_t>{1, 2, 8, 32}
                                               : std::vector<std::int64_t>{1, 2, 4, 8, 16, 32}) {
    options.heads = heads;
    const LookupSpread found = lookup_over_seeds(step, options, seeds);
    const auto width = static_cast<double>(32 / heads);
    table.digits({0, 3, 3, 3, 3})
        .row(heads_text(heads),
             {width, found.each.mean, found.each.lowest, found.each.highest, found.all.mean});
    bars.digits(3).group(heads_text(heads), {found.each.mean});
    right.push_back(found.each.mean);
  }
  step.check("two heads do better than one and than 32",
             right[1] > right.front() && right[1] > right.back());
  step.why(
      "Parameters are the same, only the cut differs. A head of one number has scores q k: it "
      "cannot tell 16 keys apart. Counts cost width.");
  step.try_next(
      {"./gradwalk run 11 --set=updates=2000", "./gradwalk run 11 --claim=B45 --break=wide-heads"});
}

}  // namespace

course::Lesson lesson_11_many_heads() {
  course::Lesson lesson(11, "many_heads", "Why more than one head, and when too many");
  lesson.seeds(/*full=*/5, /*quick=*/1, "models of each kind in the first step");
  lesson.parameter({.name = "models",
                    .value = 3,
                    .quick = 1,
                    .min = 1,
                    .max = 100,
                    .whole = true,
                    .what = "that are trained of each kind in the other steps"});
  lesson.parameter(
      {.name = "updates",
       .value = 1000,
       .min = 20,
       .max = 5000,
       .whole = true,
       .what = "of a look-up model at most, 32 pages each; after step 1 half as many"});
  lesson.parameter({.name = "language_updates",
                    .value = 600,
                    .quick = 400,
                    .min = 6,
                    .max = 5000,
                    .whole = true,
                    .what = "of a language model"});
  lesson.parameter({.name = "windows",
                    .value = 16,
                    .min = 1,
                    .max = 128,
                    .whole = true,
                    .what = "of 32 words in each of those updates"});
  lesson.sabotage("one-question", "only one value is asked for");
  lesson.sabotage("small-start", "W_Q and W_K of the usual start are multiplied by 0.1 as well");
  lesson.sabotage("wide-heads", "each of the 32 heads is as wide as one of two, 16 numbers");

  lesson.steps_stand_alone();
  lesson.step("Two questions at once: one head brings both answers and mixes them up",
              two_questions, {"B34"});
  lesson.step("More heads, narrower heads", too_many);
  lesson.step("Are heads alike at first?", alike_at_first, {"B36"});
  lesson.step("Taking heads away", take_heads_away, {"B45"});
  return lesson;
}

}  // namespace gradwalk::lessons
