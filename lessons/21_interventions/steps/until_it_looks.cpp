#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lessons/21_interventions/arrivals.h"
#include "lessons/21_interventions/example_text.h"
#include "lessons/21_interventions/steps/steps.h"
#include "lessons/21_interventions/trained_models.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/training.h"
#include "lessons/tasks/training.h"

namespace gradwalk::lesson_21 {
namespace {

using course::Evidence;
using course::Step;
using tasks::ExtraLoss;
using tasks::NumberTraining;
using tasks::Optimizer;

// A way to hurry a training.
struct Way {
  const char* name;
  AuxiliaryLoss auxiliary = {};
  double task_weight = 1;
};

constexpr std::size_t kPlain = 0, kStrongAttention = 2, kStrongPairs = 4, kDoubled = 5;

constexpr std::array<Way, 6> kWays = {Way{"answers alone"},
                                      Way{"attention 0.3", {ExtraLoss::kAttention, 0.3}},
                                      Way{"attention 1", {ExtraLoss::kAttention, 1}},
                                      Way{"pairs 0.3", {ExtraLoss::kPairs, 0.3}},
                                      Way{"pairs 1", {ExtraLoss::kPairs, 1}},
                                      Way{"all x 2", {}, 2}};

NumberTraining training_of(Step& step, Optimizer optimizer, const Way& way) {
  NumberTraining plain;
  plain.optimizer = optimizer;
  plain.task_weight = way.task_weight;
  plain.updates = static_cast<int>(step.whole("adam_updates"));
  if (optimizer == Optimizer::kSgd) {
    plain.lr = 0.3;
    plain.updates = static_cast<int>(step.whole("sgd_updates"));
  }
  return with_auxiliary(step, way.auxiliary, plain);
}

const tasks::NumberCurves& first_curves(const Step& step, const NumberTraining& training) {
  return tasks::trained_number_model(training, model_seed(step, 0)).curves;
}

std::vector<Arrivals> arrivals_of(Step& step, Optimizer optimizer) {
  const std::int64_t models = step.whole("seeds"), runs = std::ssize(kWays) * models;
  std::vector<Arrivals> all;
  std::int64_t run = 0;
  for (const Way& way : kWays) {
    const NumberTraining training = training_of(step, optimizer, way);
    Arrivals& found = all.emplace_back();
    for (std::int64_t model = 0; model < models; ++model, ++run) {
      found.add(tasks::trained_number_model(training, model_seed(step, model),
                                            step.training_progress(run, runs, training.updates))
                    .curves);
    }
  }
  return all;
}

std::string never(const Arrivals& found) {
  std::string note;
  const auto add = [&](const char* what, const Arrival& arrival) {
    if (arrival.never == 0) return;
    note += fmt::format("{}{}: {} never", note.empty() ? "" : ", ", what, arrival.never);
  };
  add("w", found.on_answer);
  add("rho", found.order);
  add("right", found.right);
  return note;
}

void show(Step& step, const std::string& caption, const std::vector<Arrivals>& all) {
  auto table = step.table(caption, {"w 0.7", "rho 0.9", "right", "w, ratio", "rho, ratio"});
  for (std::size_t way = 0; way < all.size(); ++way) {
    const Arrivals &found = all[way], &plain = all[kPlain];
    table.digits({1, 1, 1, 2, 2})
        .row(kWays[way].name,
             {found.on_answer.mean(), found.order.mean(), found.right.mean(),
              found.on_answer.mean() / plain.on_answer.mean(),
              found.order.mean() / plain.order.mean()},
             never(found));
  }
}

// The speedups that the claim is about: what the attention loss does for w, and the pairs' loss
// for the order.
std::vector<Speedup> judged(const std::vector<Arrivals>& all) {
  std::vector<Speedup> found;
  for (std::size_t way = kPlain + 1; way < kDoubled; ++way) {
    found.push_back(kWays[way].auxiliary.loss == ExtraLoss::kAttention
                        ? speedup(all[way].on_answer, all[kPlain].on_answer)
                        : speedup(all[way].order, all[kPlain].order));
  }
  return found;
}

void draw(Step& step, const char* caption, Optimizer optimizer,
          const std::vector<std::size_t>& ways, std::vector<double> tasks::NumberCurves::*curve) {
  auto& curves = step.picture(course::Curves(caption, "update"));
  for (const std::size_t way : ways) {
    const NumberTraining training = training_of(step, optimizer, kWays[way]);
    curves.series(kWays[way].name, tasks::moving_mean(first_curves(step, training).*curve, 5));
  }
}

// One text as models read it that have had a third of the updates.
void record_early(Step& step) {
  std::vector<std::string> names;
  std::vector<tasks::ClsHead> heads;
  int updates = 0;
  for (const std::size_t way : {kPlain, kStrongAttention, kStrongPairs}) {
    NumberTraining training = training_of(step, Optimizer::kAdam, kWays[way]);
    training.updates = updates = training.updates / 3;
    names.emplace_back(kWays[way].name);
    heads.push_back(cls_head(*tasks::trained_number_model(training, model_seed(step, 0)).model));
  }
  record_reading(step, fmt::format("w after {} updates of Adam, model 0", updates), names, heads);
}

}  // namespace

void until_it_looks(Step& step) {
  const std::int64_t models = step.whole("seeds");
  step.formula("attention: + lambda (-ln w of the answer)     lambda 0.3 or 1");
  step.formula("pairs: + lambda mean ln(1 + e^-(z_j - z_i)), j the larger number");
  step.formula("all x 2: the loss of the answers counts twice, nothing is added");
  step.formula("w 0.7: updates until w of the answer is 0.7; even would be 0.11");
  step.formula("rho 0.9: until z is in the order of worth, by rank correlation");
  step.formula("right: until 0.95 of the answers are; ratio: to answers alone");
  step.formula("a model that never gets there counts with all its updates");
  const std::vector<Arrivals> adam = arrivals_of(step, Optimizer::kAdam);
  const std::vector<Arrivals> descent = arrivals_of(step, Optimizer::kSgd);
  const Arrivals &plain = adam[kPlain], &doubled = adam[kDoubled];
  const bool same = doubled.on_answer.updates == plain.on_answer.updates &&
                    doubled.order.updates == plain.order.updates;
  const double saved = 1 - doubled.on_answer.mean() / plain.on_answer.mean();
  step.predict("The whole loss is doubled, nothing is added. What does it save under Adam?",
               {"half of the updates", "some of them", "none"},
               saved > 0.4    ? 0
               : saved > 0.02 ? 1
                              : 2);
  show(step, fmt::format("Adam: updates until then, means of {} models", models), adam);
  show(step, "gradient descent (SGD, rate 0.3): the same", descent);
  draw(step, "Adam: w of the answer, model 0, means of 5", Optimizer::kAdam,
       {kPlain, kStrongAttention, kStrongPairs}, &tasks::NumberCurves::on_answer);
  draw(step, "Adam: rho, the order of the scores", Optimizer::kAdam,
       {kPlain, kStrongAttention, kStrongPairs}, &tasks::NumberCurves::rho);
  draw(step, "SGD: w of the answer", Optimizer::kSgd, {kPlain, kStrongAttention, kDoubled},
       &tasks::NumberCurves::on_answer);
  record_early(step);
  NumberTraining fast = training_of(step, Optimizer::kSgd, kWays[kPlain]);
  fast.lr *= 2;
  step.check("SGD: all x 2 is rate 0.6, to the bit",
             first_curves(step, fast).on_answer ==
                 first_curves(step, training_of(step, Optimizer::kSgd, kWays[kDoubled])).on_answer,
             "w of the answer in every update of model 0");

  std::vector<Speedup> all = judged(adam);
  for (const Speedup& one : judged(descent)) all.push_back(one);
  const auto slowest = std::max_element(
      all.begin(), all.end(), [](const Speedup& a, const Speedup& b) { return a.ratio < b.ratio; });
  const auto fastest = std::min_element(
      all.begin(), all.end(), [](const Speedup& a, const Speedup& b) { return a.ratio < b.ratio; });
  const auto likeliest = std::max_element(
      all.begin(), all.end(), [](const Speedup& a, const Speedup& b) { return a.p < b.p; });
  const bool faster =
      std::all_of(all.begin(), all.end(), [](const Speedup& s) { return s.holds(); });
  step.number("largest p of the eight", likeliest->p, "Welch's, of ln(updates)");
  step.claim("A22", Evidence::kTensor, 2 * std::ssize(kWays) * models)
      .seeds(static_cast<int>(models))
      .as_stated(faster)
      .right(faster && same)
      .value(slowest->ratio)
      .interval(fastest->ratio, slowest->ratio)
      .expected("attention to w 0.7, pairs to rho 0.9: < 0.85 of the updates; Adam, x 2: the same")
      .tolerance(fmt::format("Welch p < 0.01, {} against {}; x 2: the same number in each model",
                             models, models))
      .found(fmt::format("{:.2f} to {:.2f} of the updates, p <= {:.0e}; x 2: {}", fastest->ratio,
                         slowest->ratio, likeliest->p, same ? "the same" : "others"));
  step.why(
      "Before values say anything the answers pull weakly; an extra loss pulls at once. Adam "
      "divides by the gradient's size, so a factor on all of it is lost.");
  step.try_next({"./gradwalk run 21 --claim=A22 --break=weightless",
                 "./gradwalk run 21 --claim=A22 --predict"});
}

}  // namespace gradwalk::lesson_21
