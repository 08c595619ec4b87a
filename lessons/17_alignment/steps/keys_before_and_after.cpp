#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lessons/17_alignment/models.h"
#include "lessons/17_alignment/records.h"
#include "lessons/17_alignment/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/numbers/cls_checkpoint.h"
#include "lessons/tasks/numbers/training.h"

namespace gradwalk::lesson_17 {
namespace {

using course::Evidence;
using course::Step;
using Models = std::vector<const ModelMeasures*>;

double gap(const ModelMeasures& m) { return m.alignment.gap(); }

double rho(const ModelMeasures& m) { return m.alignment.rho; }

double of_numbers(const ModelMeasures& m) { return m.alignment.match.of_cosines.group.mean; }

double of_nouns(const ModelMeasures& m) { return m.alignment.match.of_cosines.control.mean; }

double cohens_d(const ModelMeasures& m) { return m.alignment.match.of_cosines.cohens_d; }

double chance(const ModelMeasures& m) { return m.alignment.match.of_cosines.welch.p; }

double accuracy(const ModelMeasures& m) { return m.accuracy; }

double mean(const Models& models, double (*of)(const ModelMeasures&)) {
  return course::spread_of(each(models, of)).mean;
}

bool aligned(const Models& models) {
  return std::all_of(models.begin(), models.end(), [](const ModelMeasures* m) {
    return chance(*m) < 1e-3 && cohens_d(*m) > 1 && gap(*m) > 0.5;
  });
}

// Bounds for means over ten models; those of fewer spread more.
struct NoAlignment {
  double gap, rho;
  explicit NoAlignment(std::size_t models)
      : gap(0.3 * std::sqrt(10 / static_cast<double>(models))),
        rho(0.21 + 0.29 * std::sqrt(10 / static_cast<double>(models))) {}
  bool holds(const Models& models) const {
    double size = 0;
    for (const double value : each(models, lesson_17::rho)) {
      size += std::abs(value) / static_cast<double>(models.size());
    }
    return std::abs(mean(models, lesson_17::gap)) < gap && size < rho;
  }
};

}  // namespace

void keys_before_and_after(Step& step) {
  const std::int64_t models = step.whole("seeds"), few = step.whole("few");
  const std::int64_t updates = step.whole("updates");
  const bool random = step.broken("random-answers"), nouns = step.broken("noun-task");
  const Kind main = random ? Kind::kRandom : nouns ? Kind::kNouns : Kind::kMax;
  step.formula("q = W_Q e_CLS [8]      k_t = W_K e_t [8], t: 16 numbers, 16 nouns");
  step.formula("cos = q.k_t / (|q| |k_t|), 1: same direction, -1: opposite");
  step.formula("gap = mean cos of the numbers - mean cos of the nouns");
  step.formula("d = gap / spread within a group      p: chance of it between equals");
  step.formula("rho: 1 if z = q.k / sqrt(8) of the numbers is in order of worth");
  const Models before = model_measures(step, training_of(main, 0), models);
  const Models after = model_measures(step, training_of(main, updates), models);
  tasks::NumberTraining plain = training_of(Kind::kSgd, updates);
  plain.task = training_of(main, 0).task;
  const Models descent = model_measures(step, plain, few);
  const Models no_answers = model_measures(step, training_of(Kind::kRandom, updates), models);
  const Models noun_task = model_measures(step, training_of(Kind::kNouns, updates), models);
  const Models even = model_measures(step, training_of(Kind::kUniform, updates), models);
  const double noun_side = -mean(after, of_nouns), number_side = mean(after, of_numbers);
  step.predict("Training makes the gap large. Which side of it moves further from cosine 0?",
               {"numbers, towards q", "nouns, away from q"}, noun_side > number_side ? 1 : 0);
  auto table =
      step.table(fmt::format("means of {} models (SGD: {}), {} updates; last three: controls",
                             models, descent.size(), updates),
                 {"numbers", "nouns", "gap", "d", "rho", "right"});
  auto axes = step.table("share of the variance of keys along their first axis",
                         {"of numbers", "of nouns"});
  const auto row = [&](const std::string& label, const Models& found) {
    table.digits({3, 3, 3, 2, 3, 3})
        .row(label, {mean(found, of_numbers), mean(found, of_nouns), mean(found, gap),
                     mean(found, cohens_d), mean(found, rho), mean(found, accuracy)});
    axes.digits(2).row(label,
                       {mean(found, [](const ModelMeasures& m) { return m.number_axis.share; }),
                        mean(found, [](const ModelMeasures& m) { return m.noun_axis.share; })});
  };
  row("before", before);
  row(name(Kind::kMax), after);
  row(name(Kind::kSgd), descent);
  row(name(Kind::kRandom), no_answers);
  row(name(Kind::kNouns), noun_task);
  row(name(Kind::kUniform), even);
  auto& gaps_over = step.picture(course::Curves("gap over the updates, model 0", "update"));
  const auto gap_curve = [&](const char* label, const Models& found) {
    gaps_over.series(label, beginning(found[0]->curves->gap));
  };
  gap_curve("largest number", after);
  gap_curve(name(Kind::kRandom), no_answers);
  gap_curve(name(Kind::kNouns), noun_task);
  gap_curve(name(Kind::kUniform), even);
  for (const std::int64_t at : {std::int64_t{0}, step.whole("middle"), updates}) {
    step.keep_model(fmt::format("update_{}", at), [&](const std::filesystem::path& folder) {
      const tasks::NumberTraining training = training_of(main, at);
      tasks::save_cls_model(*model_of(step, training).model, training.task, step.seed(), folder);
    });
  }
  record_keys(step, training_of(main, updates), {0, step.whole("middle"), updates});
  const NoAlignment none(no_answers.size());
  const course::Spread gaps = course::spread_of(each(after, gap));
  const course::Spread d = course::spread_of(each(after, cohens_d));
  step.number("largest p of the models", course::spread_of(each(after, chance)).highest,
              "16 against 16 cosines");
  const bool controls = none.holds(no_answers) && none.holds(even) &&
                        course::spread_of(each(noun_task, gap)).highest < -0.5;
  const bool found = aligned(after) && aligned(descent);
  step.claim("A9", Evidence::kTensor,
             static_cast<std::int64_t>(after.size() + descent.size() + noun_task.size() +
                                       no_answers.size() + even.size()))
      .seeds(static_cast<int>(models))
      .as_stated(found)
      .right(found && controls)
      .value(gaps.mean)
      .interval(gaps.lowest, gaps.highest)
      .expected("every model: p < 1e-3, d > 1, gap > 0.5; noun task: < -0.5; others: none")
      .tolerance(fmt::format("bounds of the rule; none: |mean gap| < {:.2f}, mean |rho| < {:.2f}",
                             none.gap, none.rho))
      .found(fmt::format("gap {:.2f}, d {:.1f}; random {:.2f}, nouns {:.2f}, even {:.2f}",
                         gaps.mean, d.mean, mean(no_answers, gap), mean(noun_task, gap),
                         mean(even, gap)));
  step.why(
      "q and keys meet where it lowers this task's loss. Most of the gap is nouns turned away; "
      "small numbers, which mostly stand beside larger ones, are too.");
  step.try_next(
      {"./gradwalk run 17 --claim=A9 --break=noun-task", "./gradwalk run 17 --claim=A9 --predict"});
}

}  // namespace gradwalk::lesson_17
