#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lessons/16_direction_probe/one_head.h"
#include "lessons/16_direction_probe/steps/common.h"
#include "lessons/16_direction_probe/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/course/pictures/scatter.h"
#include "lessons/tasks/head_weights.h"
#include "lessons/tasks/numbers/cls_model.h"
#include "lessons/tasks/numbers/interventions.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/task.h"
#include "nn/diagnostics/cosine.h"
#include "nn/diagnostics/group_comparison.h"
#include "nn/diagnostics/pull_back.h"
#include "nn/statistics/t_test.h"
#include "tensor/elementwise.h"
#include "tensor/inplace.h"

namespace gradwalk::lesson_16 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;
using tasks::Alignment;
using tasks::NumberTask;

constexpr double kSignificant = 1e-3;  // p

constexpr double kChanged = 0.3;  // of the gap

Alignment alignment_of(const OneHead& head, const NumberTask& task) {
  return tasks::alignment(head.query(), head.keys(), task);
}

// The gap of cos(W_K^T q, h_i), where embeddings live.
double pulled_gap(const OneHead& head, const NumberTask& task) {
  const Tensor cosines = nn::cosine(head.embeddings, nn::pull_back(head.query(), head.key_weight));
  return nn::compare_groups(cosines, tasks::number_mask(task), tasks::noun_mask(task)).gap;
}

// The model with the head's matrices in place of its own, in float32: share of answers right.
double accuracy_with(const tasks::ClsModel& model, const OneHead& head, const NumberTask& task,
                     const tasks::NumberBatch& texts) {
  const auto copy = tasks::copy_of(model);
  const tasks::HeadWeights own = tasks::head_weights(*copy, "attention", /*heads=*/1, 0);
  copy_into(own.query, to(head.query_weight, own.query.dtype()));
  copy_into(own.key, to(head.key_weight, own.key.dtype()));
  return tasks::number_score(*copy, task, texts).accuracy;
}

void draw_groups(Step& step, const Alignment& found, const NumberTask& task) {
  const std::vector<double> numbers = tasks::number_rows(found.match.cosines, task).to_vector();
  const std::vector<double> nouns = tasks::noun_rows(found.match.cosines, task).to_vector();
  auto& bars = step.picture(course::Bars(
      "model 0 as trained: share of the group with cos(q, k) there", {"numbers", "nouns"}));
  bars.digits(2);
  for (int bin = 0; bin < 5; ++bin) {
    const double low = -1 + 0.4 * bin;
    const auto share = [&](const std::vector<double>& all) {
      const auto inside = std::count_if(all.begin(), all.end(), [&](double c) {
        return c >= low && (c < low + 0.4 || bin == 4);
      });
      return static_cast<double>(inside) / static_cast<double>(all.size());
    };
    bars.group(fmt::format("{:4.1f} to {:4.1f}", low, low + 0.4), {share(numbers), share(nouns)});
  }
}

void draw_change(Step& step, const Tensor& before, const Tensor& after, const NumberTask& task) {
  auto& scatter = step.picture(course::Scatter(
      "model 0: each token's cosine as trained and in basis 1", "as trained", "in basis 1"));
  std::vector<std::pair<double, double>> nouns;
  for (std::int64_t id = 1; id < task.vocabulary(); ++id) {
    if (id <= task.numbers) {
      scatter.point(fmt::format("{}", id - 1), before.at({id}), after.at({id}),
                    static_cast<double>(id));
    } else {
      nouns.emplace_back(before.at({id}), after.at({id}));
    }
  }
  scatter.others("nouns", std::move(nouns));
}

void record_head(Step& step, const std::string& mark, const OneHead& head) {
  const auto given = [&](const char* name) {
    return Explain::given(fmt::format("{} h of model 0{}", name, mark.empty() ? "" : ", basis 1"));
  };
  step.tensor("q" + mark, head.query()).axes("component").explain(given("W_Q"));
  step.tensor("K" + mark, head.keys()).axes("token", "component").explain(given("W_K"));
  step.tensor("z" + mark, reading_of(head.query(), head.keys()).scores)
      .axes("token")
      .explain(Explain::contraction("c,ic->i", {"q" + mark, "K" + mark}, kScale));
}

}  // namespace

void beside_a_control(Step& step) {
  const Asked asked = step.broken("untrained") ? Asked::kNothing : Asked::kNumbers;
  const bool rotated = step.broken("rotated");
  const std::int64_t models = step.whole("seeds"), bases = step.whole("bases");
  const NumberTask task = training_for(step, asked).task;
  const tasks::NumberBatch texts = tasks::number_tests(task, step.seed(), 500);
  step.formula("gap = mean cos(q, k_i) of 16 numbers - that of 16 nouns, the control");
  step.formula("d = gap / standard deviation within the groups (Cohen)");
  step.formula("p: how often chance alone gives such a gap (Welch's t test)");
  step.formula("another basis (lesson 14): q' = R q      k' = R^-T k      z' = z");
  step.formula("R [8,8]: random numbers, N(0, 1)");
  auto example = step.table("model 0, and the same model with R W_Q and R^-T W_K",
                            {"right", "gap", "d", "z, off"});
  example.digits({3, 3, 2, -1});
  std::vector<double> gaps, effects, ps, other_gaps, other_effects, pulled;
  double off = 0, pulled_off = 0;
  std::int64_t changed = 0, signs = 0, gap_signs = 0;
  for (std::int64_t model = 0; model < models; ++model) {
    const auto trained = model_for(step, asked, model);
    const OneHead head = head_of(*trained);
    const Alignment as_trained = alignment_of(head, task);
    gaps.push_back(as_trained.gap());
    effects.push_back(as_trained.match.of_cosines.cohens_d);
    ps.push_back(as_trained.match.of_cosines.welch.p);
    pulled.push_back(pulled_gap(head, task));
    if (model == 0) {
      example.row("as trained",
                  {accuracy_with(*trained, head, task, texts), gaps[0], effects[0], 0},
                  "right: share of 500");
      draw_groups(step, as_trained, task);
      record_head(step, "", head);
    }
    for (std::int64_t basis = 1; basis <= bases; ++basis) {
      const OneHead other =
          in_basis(head, random_basis(step, fmt::format("{}.{}", model, basis), rotated));
      const Alignment found = alignment_of(other, task);
      const double apart = course::distance(found.match.logits, as_trained.match.logits);
      other_gaps.push_back(found.gap());
      other_effects.push_back(found.match.of_cosines.cohens_d);
      off = std::max(off, apart);
      pulled_off = std::max(pulled_off, std::abs(pulled_gap(other, task) - pulled.back()));
      changed += std::abs(found.gap() - gaps.back()) > kChanged * std::abs(gaps.back());
      gap_signs += found.gap() * gaps.back() <= 0;
      for (const double product : (found.match.cosines * as_trained.match.cosines).to_vector()) {
        signs += product <= 0;
      }
      if (model > 0) continue;
      example.row(fmt::format("basis {}", basis),
                  {accuracy_with(*trained, other, task, texts), found.gap(),
                   found.match.of_cosines.cohens_d, apart});
      if (basis > 1) continue;
      draw_change(step, as_trained.match.cosines, found.match.cosines, task);
      record_head(step, "'", other);
    }
  }
  const std::int64_t written = models * bases;
  auto table = step.table(fmt::format("{} models; {} other bases", models, written),
                          {"lowest", "mean", "highest"});
  const auto row = [&](const std::string& name, const std::vector<double>& values,
                       const std::string& note = "") {
    const course::Spread s = course::spread_of(values);
    table.digits(3).row(name, {s.lowest, s.mean, s.highest}, note);
    return s;
  };
  const course::Spread gap = row("gap, as trained", gaps);
  row("d, as trained", effects);
  const course::Spread other = row("gap, other bases", other_gaps);
  row("d, other bases", other_effects);
  row("of cos(W_K^T q, h)", pulled, "gap where embeddings live: no basis moves it");
  const double largest_p = course::spread_of(ps).highest;
  const double share = static_cast<double>(changed) / static_cast<double>(written);
  step.number("largest p of a model", largest_p, "as if its 32 words were independent");
  if (models > 1)
    step.number("p over the models", nn::one_sample_t_test(gaps).p,
                "t test of their gaps against 0");
  step.number("gap moved by > 30 %", share, fmt::format("share of {} bases", written), 3);
  step.number("cosines of other sign", static_cast<double>(signs),
              fmt::format("of {}: their sign is the score's", written * 33));
  step.number("gaps of other sign", static_cast<double>(gap_signs), fmt::format("of {}", written));
  step.predict(
      "A head is written in another basis, no score changes. What happens to the gap?",
      {"it stays", "it changes, but no cosine changes sign", "it changes, and so do signs"},
      share < 0.5  ? 0
      : signs == 0 ? 1
                   : 2);
  step.check("cos(W_K^T q, h_i) has the same gap in every basis", pulled_off < 1e-9,
             fmt::format("{:.0e} apart at most", pulled_off));
  const bool matched = largest_p < kSignificant && gap.lowest > 0;
  step.claim("A18", Evidence::kTensor, /*cases=*/models * 32 + written)
      .seeds(static_cast<int>(models))
      .as_stated(matched)
      .right(matched && off < kSameScores && share >= kBases && signs == 0)
      .value(gap.mean)
      .interval(gap.lowest, gap.highest)
      .expected("p < 0.001, gap > 0; in 2/3 of the bases > 30 % off, same signs; z 1e-5")
      .tolerance("bounds of the rule; p in every model, z in every basis")
      .found(fmt::format("gap {:.2f}, p {:.0e}; bases: {:.2f} to {:.2f}, {:.0f} % moved; z {:.0e}",
                         gap.mean, largest_p, other.lowest, other.highest, 100 * share, off));
  step.why(
      "The control group shows that there is a match. How large it looks is up to the basis: "
      "scores and signs are the model's, the size of a cosine is not.");
  step.try_next({"./gradwalk run 16 --claim=A18 --break=untrained",
                 "./gradwalk run 16 --claim=A18 --break=rotated"});
}

}  // namespace gradwalk::lesson_16
