#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lessons/19_number_axis/questions.h"
#include "lessons/19_number_axis/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/tasks/numbers/key_scatter.h"
#include "lessons/tasks/numbers/task.h"

namespace gradwalk::lesson_19 {
namespace {

using course::Evidence;
using course::Step;

double number_share(const ModelMeasures& seen) { return seen.number_keys.share; }

double noun_share(const ModelMeasures& seen) { return seen.noun_keys.share; }

double share_lead(const ModelMeasures& seen) { return number_share(seen) - noun_share(seen); }

constexpr double kLead = 0.25;

}  // namespace

void axis_or_cloud(Step& step) {
  const std::int64_t seeds = step.whole("seeds");
  const auto updates = static_cast<int>(step.whole("updates"));
  const tasks::NumberTask first = step.broken("nouns-asked") ? last_noun() : largest_number();
  const auto start = untrained_models(step, seeds);
  const auto models = trained_models(step, {first, last_noun()}, seeds, updates);
  const auto &of_numbers = models[0], &of_nouns = models[1];
  step.formula("share: of the variance of 16 keys, what lies along component 1");
  step.formula("1: all on a line   16 points of a round cloud in 8 dimensions: 0.3");
  step.formula("other question: which noun comes last in the vocabulary, 0 ... 15?");
  const double swapped = mean_of(of_nouns, share_lead);
  step.predict("Asked for the last noun, nothing else differs. Whose keys lie in a row?",
               {"those of numbers: they have a size", "those of nouns", "of both"},
               swapped > kLead ? 0
               : swapped < 0   ? 1
                               : 2);
  auto table = step.table(fmt::format("share of component 1, mean of {} models", seeds),
                          {"numbers", "nouns", "lowest lead", "highest"});
  const auto row = [&](const std::string& name, const std::vector<const ModelMeasures*>& group,
                       const std::string& note) {
    const course::Spread lead = course::spread_of(each(group, share_lead));
    table.digits(2).row(
        name, {mean_of(group, number_share), mean_of(group, noun_share), lead.lowest, lead.highest},
        note);
  };
  row("as they begin", start, "lead: numbers less nouns");
  row("largest number", of_numbers, "");
  row("last noun", of_nouns, "");
  step.number("keys' order, largest", mean_of(of_numbers, key_order),
              "|rho| of the numbers along their component 1 with their rank", 3);
  step.number("keys' order, last noun",
              mean_of(of_nouns, [](const ModelMeasures& seen) { return seen.noun_keys.order; }),
              "the same of the nouns with their place", 3);
  tasks::draw_keys(step, "asked for the largest number: keys of model 0", of_numbers[0]->head.keys,
                   first);
  tasks::draw_keys(step, "asked for the last noun: keys of model 0", of_nouns[0]->head.keys,
                   last_noun());
  std::int64_t lead = 0, behind = 0;
  for (const double difference : each(of_numbers, share_lead)) lead += difference > kLead ? 1 : 0;
  for (const double difference : each(of_nouns, share_lead)) behind += difference < -kLead ? 1 : 0;
  const std::int64_t enough = 9 * seeds / 10;
  step.claim("A14", Evidence::kTensor, /*cases=*/2 * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(lead >= enough)
      .right(lead >= enough && behind >= enough)
      .value(mean_of(of_numbers, share_lead))
      .expected("numbers lead by > 0.25 asked for numbers, nouns by > 0.25 asked for nouns")
      .tolerance(fmt::format("in 9 of 10 models of each kind: {} of {}", enough, seeds))
      .found(fmt::format("lead {:+.2f} in {} of {}; nouns asked {:+.2f} in {}",
                         mean_of(of_numbers, share_lead), lead, seeds, swapped, behind));
  step.why(
      "What is ranked is stretched along the one direction that q reads; what is not asked for "
      "stays the cloud it was. That it is numbers is no part of it.");
  step.try_next({"./gradwalk run 19 --claim=A14 --break=nouns-asked",
                 "./gradwalk run 19 --claim=A14 --predict"});
}

}  // namespace gradwalk::lesson_19
