#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "lessons/22_values_and_collapse/key_spread.h"
#include "lessons/22_values_and_collapse/scores.h"
#include "lessons/22_values_and_collapse/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/numbers/task.h"
#include "lessons/tasks/numbers/training.h"

namespace gradwalk::lesson_22 {
namespace {

using course::Evidence;
using course::Step;
using tasks::ExtraLoss;
using tasks::NumberDraw;

constexpr double kRepaired = 0.95;

constexpr double kWeight = 0.3;

}  // namespace

void two_repairs(Step& step) {
  const std::int64_t seeds = step.whole("seeds"), longest = step.whole("longest");
  const tasks::NumberTraining plain = training_on(step, longest, NumberDraw::kUniform);
  tasks::NumberTraining mixed = plain, ordered = plain;
  if (!step.broken("no-short-texts")) mixed.also = {tasks::NumberTask{}};
  ordered.extra = ExtraLoss::kPairs;
  ordered.extra_weight = kWeight;
  tasks::NumberTraining presence;
  presence.task.question = tasks::NumberQuestion::kPresence;
  presence.updates = plain.updates;
  tasks::NumberTraining presence_ordered = presence;
  presence_ordered.extra = ExtraLoss::kPairs;
  presence_ordered.extra_weight = kWeight;

  step.formula(fmt::format("long texts: {} numbers drawn one by one, 4 nouns", longest));
  step.formula("mixed: half of each batch is short, 2 to 4 numbers, largest first");
  step.formula("order loss: + 0.3 times the mean over i < j of ln(1 + e^-(z_j - z_i))");
  step.formula("it acts on W_Q, W_K and embeddings, and needs no text and no answer");
  auto table = step.table(fmt::format("own, two, all, low as in step 2; means of {} models", seeds),
                          {"own", "two", "all", "low", "rho"});
  table.digits({3, 3, 2, 2, 2});
  auto& curves =
      step.picture(course::Curves("z of each number less the mean, first model", "number"));
  const auto low = [](const KeySpread& measures) { return measures.low.pairs; };
  const auto largest = [&](const std::string& name, const tasks::NumberTraining& training,
                           const std::string& note = "") {
    const auto models = key_spreads(step, training, seeds);
    table.row(name,
              {over(models, &KeySpread::own).mean, over(models, &KeySpread::pair).mean,
               over(models, &KeySpread::all).mean, over(models, low).mean,
               over(models, &KeySpread::rho).mean},
              note);
    curves.series(name, centred(models.front()->z));
    return models;
  };
  const auto of_plain = largest("long texts", plain, "rho: rank correlation of z and worth");
  const auto of_mixed = largest("mixed", mixed);
  const auto of_ordered = largest("order loss", ordered, "in order, and yet many wrong");
  record_scores(step, "long", *of_plain.front(), "long texts, first model");
  record_scores(step, "mixed", *of_mixed.front(), "mixed, first model");
  record_scores(step, "order", *of_ordered.front(), "order loss, first model");
  const auto of_presence = key_spreads(step, presence, seeds),
             of_both = key_spreads(step, presence_ordered, seeds);
  auto other = step.table("another question: is there a number? (half of the texts have none)",
                          {"own", "all", "low", "rho"});
  other.digits({3, 2, 2, 2});
  for (const auto& [name, models] :
       {std::pair{"its texts alone", &of_presence}, {"order loss", &of_both}}) {
    other.row(name, {over(*models, &KeySpread::own).mean, over(*models, &KeySpread::all).mean,
                     over(*models, low).mean, over(*models, &KeySpread::rho).mean});
  }

  const course::Spread mixed_pair = over(of_mixed, &KeySpread::pair);
  const course::Spread ordered_pair = over(of_ordered, &KeySpread::pair);
  const double plain_all = over(of_plain, &KeySpread::all).mean;
  const double mixed_all = over(of_mixed, &KeySpread::all).mean;
  const double ordered_all = over(of_ordered, &KeySpread::all).mean;
  const bool worse =
      all_below(each(of_ordered, &KeySpread::pair), each(of_mixed, &KeySpread::pair));
  step.predict("The order loss puts all keys in order. Are texts of two numbers answered now?",
               {"as well as with mixed texts", "better than before, many still wrong", "no better"},
               ordered_pair.mean > kRepaired                               ? 0
               : ordered_pair.mean > over(of_plain, &KeySpread::pair).mean ? 1
                                                                           : 2);
  const bool repaired = plain_all < kRepaired && mixed_all > kRepaired && ordered_all > kRepaired;
  step.claim("A29", Evidence::kTensor, /*cases=*/3 * 120 * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(repaired)
      .right(repaired && mixed_pair.mean > kRepaired && worse)
      .value(mixed_pair.mean)
      .interval(mixed_pair.lowest, mixed_pair.highest)
      .expected("in order > 0.95 with each; 2 numbers right: mixed > 0.95, order loss less")
      .tolerance("the bounds are the rule's; means, and less in every model")
      .found(
          fmt::format("in order {:.2f}: mixed {:.2f}, order loss {:.2f}; right {:.2f} and {:.2f}",
                      plain_all, mixed_all, ordered_all, mixed_pair.mean, ordered_pair.mean));
  step.why(
      "An order loss sorts keys, and no more: values and readout of small numbers still never had "
      "an answer to learn from. Texts that need them repair all.");
  step.try_next({"./gradwalk run 22 --claim=A29 --break=no-short-texts",
                 "./gradwalk run 22 --claim=A29 --predict"});
}

}  // namespace gradwalk::lesson_22
