#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lessons/19_number_axis/questions.h"
#include "lessons/19_number_axis/steps.h"
#include "lessons/course/key_scatter.h"
#include "lessons/course/measure.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Step;

double rank_rho(const Seen& seen) { return seen.alignment.rho; }
double worth_rho(const Seen& seen) { return seen.worth_rho; }
double key_order(const Seen& seen) { return seen.number_keys.order; }
double number_share(const Seen& seen) { return seen.number_keys.share; }
double noun_share(const Seen& seen) { return seen.noun_keys.share; }
double share_lead(const Seen& seen) { return number_share(seen) - noun_share(seen); }

constexpr double kLead = 0.25;

/// The scores in the order of the ranks.
std::vector<double> by_rank(const std::vector<double>& scores, const std::vector<double>& ranks) {
  std::vector<double> sorted(scores.size());
  for (std::size_t v = 0; v < scores.size(); ++v) {
    sorted[static_cast<std::size_t>(ranks[v])] = scores[v];
  }
  return sorted;
}

}  // namespace

void which_order(Step& step) {
  const std::int64_t seeds = step.whole("seeds");
  const auto updates = static_cast<int>(step.whole("updates"));
  std::vector<course::NumberTask> tasks = {
      largest_number(), highest_by(course::smallest_first_order(16)),
      highest_by(course::shuffled_order()), highest_by(course::magnitude_order(16))};
  if (step.broken("by-worth")) std::fill(tasks.begin(), tasks.end(), largest_number());
  const std::vector<std::string> names = {"largest", "smallest", "shuffled", "far from 7.5"};
  const auto start = begun(step, seeds);
  const auto models = learned(step, tasks, seeds, updates);
  step.formula("asked: the number of the highest rank in the text, by four rankings");
  step.formula("largest: 15 is highest      smallest: 0 is highest");
  step.formula("shuffled: a drawn order, 5 is highest, then 10, 6, 4, 9, 14, ...");
  step.formula("far from 7.5: by |worth - 7.5|, as for -7.5 ... 7.5 without signs");
  step.formula("component 1: the line along which the 16 keys spread most");
  step.formula("keys' order: |rho| of the places on that line and the ranks");
  step.predict("The ranking is shuffled. What will the scores of the numbers follow?",
               {"what they are worth", "the shuffled ranking", "neither"},
               mean_of(models[2], worth_rho) > 0.9  ? 0
               : mean_of(models[2], rank_rho) > 0.9 ? 1
                                                    : 2);
  auto table = step.table(fmt::format("mean of {} models", seeds),
                          {"rho, rank", "rho, worth", "keys' order"});
  const double start_order = mean_of(start, key_order);
  table.digits(2).row("as they begin",
                      {mean_of(start, rank_rho), mean_of(start, worth_rho), start_order},
                      "keys' order by chance: 0.21");
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    table.row(names[i], {mean_of(models[i], rank_rho), mean_of(models[i], worth_rho),
                         mean_of(models[i], key_order)});
  }
  auto curves = step.curves("model 0: score z over what a number is worth", "worth");
  for (const std::size_t i : {0U, 1U, 3U}) curves.series(names[i], models[i][0]->scores);
  const std::vector<double>& shuffled = models[2][0]->scores;
  step.curves("asked by the shuffled ranking: z over worth, and over rank", "worth, or rank")
      .series("worth", shuffled)
      .series("rank", by_rank(shuffled, tasks[2].ranks()));
  course::draw_keys(step, "asked for the number far from 7.5: keys, colour: rank",
                    models[3][0]->head.keys, tasks[3]);
  double natural = 1, followed = 1, other = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    natural = std::min(natural, mean_of(models[i], worth_rho));
    followed = std::min(followed, mean_of(models[i], rank_rho));
    if (i >= 2) other = std::max(other, std::abs(mean_of(models[i], worth_rho)));
  }
  step.claim("A13", Evidence::kTensor, /*cases=*/seeds * std::ssize(tasks))
      .seeds(static_cast<int>(seeds))
      .as_stated(start_order >= 0.5 && natural > 0.95)
      .right(start_order < 0.5 && followed > 0.95 && other < 0.3)
      .value(followed)
      .expected("rho with rank > 0.95, with worth < 0.3 (shuffled, far); order at start < 0.5")
      .tolerance("bounds of the rule, on means; 0.50: 95 % of chance, one model")
      .found(
          fmt::format("rank {:.3f}, worth {:.2f}, at start {:.2f}", followed, other, start_order));
  step.why(
      "The loss knows ranks, not sizes: whichever number must win the softmax is moved up along "
      "q. A fresh table of embeddings has no order to follow.");
  step.try_next({"./gradwalk run 19 --claim=A13 --break=by-worth",
                 "./gradwalk run 19 --claim=A13 --predict"});
}

void axis_or_cloud(Step& step) {
  const std::int64_t seeds = step.whole("seeds");
  const auto updates = static_cast<int>(step.whole("updates"));
  const course::NumberTask first = step.broken("nouns-asked") ? last_noun() : largest_number();
  const auto start = begun(step, seeds);
  const auto models = learned(step, {first, last_noun()}, seeds, updates);
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
  const auto row = [&](const std::string& name, const std::vector<const Seen*>& group,
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
              mean_of(of_nouns, [](const Seen& seen) { return seen.noun_keys.order; }),
              "the same of the nouns with their place", 3);
  course::draw_keys(step, "asked for the largest number: keys of model 0", of_numbers[0]->head.keys,
                    first);
  course::draw_keys(step, "asked for the last noun: keys of model 0", of_nouns[0]->head.keys,
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

}  // namespace gradwalk::lessons
