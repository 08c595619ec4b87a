#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lessons/20_diagnosing/cut_heads.h"
#include "lessons/20_diagnosing/models.h"
#include "lessons/20_diagnosing/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/course/pictures/scatter.h"
#include "lessons/tasks/numbers/interventions.h"
#include "lessons/tasks/numbers/task.h"
#include "nn/statistics/rank_correlation.h"
#include "tensor/create.h"

namespace gradwalk::lesson_20 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr double kRanks = 0.4;  // rank correlation

constexpr std::int64_t kInfluenceTexts = 1000;

constexpr double kErrors = 4;

CutHeads heads_of(Step& step, std::int64_t models, bool dead) {
  const tasks::NumberTask task = training_with(HeadShape::kFour, 0).task;
  CutHeads all;
  for (std::int64_t model = 0; model < models; ++model) {
    const auto trained = model_with(step, HeadShape::kFour, model, models);
    const std::int64_t heads = trained->options().heads;
    for (std::int64_t head = heads / 2; dead && head < heads; ++head) {
      tasks::make_uniform(*trained, head);
    }
    all.add(*trained, task, texts_for(step, HeadShape::kFour, model, kInfluenceTexts));
  }
  return all;
}

}  // namespace

void gap_and_influence(Step& step) {
  const std::int64_t models = step.whole("four_heads");
  const bool dead = step.broken("dead-heads");
  step.formula("4 heads, each with q and k of width 4; W_O adds their outputs");
  step.formula("gap: mean cos(q, k) of numbers - that of nouns, for each head");
  step.formula("ratio: mean weight of a number / mean weight of a noun");
  step.formula("drop: share right, less that with the head's weights made even");
  step.formula("order: rank correlation over all heads of all models; 1: same order");
  const CutHeads table = heads_of(step, models, dead);
  auto first = step.table(fmt::format("heads of models 0 and 1; right as they are: {:.3f}, {:.3f}",
                                      table.right[0], table.right[1]),
                          {"gap", "ratio", "w of answer", "drop"});
  for (std::size_t head = 0; head < 8; ++head) {
    first.digits({2, 1, 2, 3})
        .row(fmt::format("model {}, head {}", head / 4, head % 4),
             {table.gap[head], table.ratio[head], table.on_answer[head], table.drop[head]});
  }
  const double by_gap = nn::spearman(table.drop, table.gap);
  const double by_ratio = nn::spearman(table.drop, table.ratio);
  const double ratio_gap = nn::spearman(table.ratio, table.gap);
  const auto heads = static_cast<double>(table.drop.size());
  const double error = 1 / std::sqrt(heads - 1);
  const course::Spread gaps = course::spread_of(table.gap), drops = course::spread_of(table.drop);
  auto spread =
      step.table(fmt::format("all {} heads", table.drop.size()), {"lowest", "mean", "highest"});
  spread.digits(3)
      .row("gap", {gaps.lowest, gaps.mean, gaps.highest}, "")
      .row("drop", {drops.lowest, drops.mean, drops.highest}, "share of 1000 texts");
  step.number("order of drop and gap", by_gap, fmt::format("by chance 0 +-{:.2f}, one SE", error),
              2);
  step.number("order of drop and ratio", by_ratio, "", 2);
  step.number("order of ratio and gap", ratio_gap, "ratio finds the heads that align, roughly", 2);
  const auto least_missed = static_cast<std::size_t>(
      std::min_element(table.drop.begin(), table.drop.end()) - table.drop.begin());
  step.number("gap of the head least missed", table.gap[least_missed],
              fmt::format("without it {:.3f} less are right", table.drop[least_missed]), 2);
  auto& bars =
      step.picture(course::Bars("mean drop of the heads, by quarters", {"by gap", "by ratio"}));
  const std::vector<std::string> quarters = {"lowest quarter", "second", "third",
                                             "highest quarter"};
  for (std::size_t at = 0; at < quarters.size(); ++at) {
    bars.digits(3).group(quarters[at], {in_quarter(table.drop, table.gap, at),
                                        in_quarter(table.drop, table.ratio, at)});
  }
  auto& scatter = step.picture(
      course::Scatter("each head, named by its model and coloured by its ratio", "gap", "drop"));
  for (std::size_t i = 0; i < table.drop.size(); ++i) {
    scatter.point(fmt::format("{}", i / 4), table.gap[i], table.drop[i], table.ratio[i]);
  }
  const std::vector<double> of_two(table.drop.begin(), table.drop.begin() + 8);
  step.tensor("drop", from_vector(of_two, {2, 4}, DType::kFloat64))
      .axes("model", "head")
      .explain(Explain::given("share right less that with the head's weights even"));
  const double low = in_quarter(table.drop, table.gap, 0),
               high = in_quarter(table.drop, table.gap, 3);
  // Of a share, at most, over the texts of the quarter's heads.
  const double least =
      kErrors * std::sqrt(0.25 / (static_cast<double>(kInfluenceTexts) * heads / 4));
  step.predict("The quarter of heads with the smallest gaps, cut out one by one. What is lost?",
               {"hardly anything", "as much as for others, or more"}, low < high / 3 ? 0 : 1);
  step.claim("A31", Evidence::kTensor, /*cases=*/std::ssize(table.drop))
      .seeds(static_cast<int>(models))
      .as_stated(by_gap >= kRanks)
      .right(by_gap < kRanks && low > least)
      .value(by_gap)
      .interval(std::max(-1.0, by_gap - 2 * error), std::min(1.0, by_gap + 2 * error))
      .expected("order of drop and gap < 0.4; heads of small gaps do lose")
      .tolerance(
          fmt::format("bound of the rule, {:.1f} SE of no order; lose > {:.3f}, 4 SE of a share",
                      kRanks / error, least))
      .found(fmt::format("order {:.2f}; small gaps lose {:.3f}, large ones {:.3f}", by_gap, low,
                         high));
  step.why(
      "All these heads align, and a gap does not say how much of the answer hangs on a head. "
      "Cutting it out does. Only a head that does nothing shows in both.");
  step.try_next({"./gradwalk run 20 --claim=A31 --break=dead-heads",
                 "./gradwalk run 20 --claim=A31 --predict"});
}

}  // namespace gradwalk::lesson_20
