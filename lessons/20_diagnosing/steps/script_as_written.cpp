#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "lessons/20_diagnosing/cut_heads.h"
#include "lessons/20_diagnosing/models.h"
#include "lessons/20_diagnosing/script.h"
#include "lessons/20_diagnosing/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/tasks/module_weight.h"
#include "lessons/tasks/numbers/cls_model.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/task.h"
#include "nn/diagnostics/group_comparison.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/linalg.h"
#include "tensor/linear.h"

namespace gradwalk::lesson_20 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr double kToss = 0.3;  // to 0.7: share of positive gaps

constexpr double kGap = 0.5;

constexpr std::int64_t kBertCls = 101;  // id of [CLS] in BERT's vocabulary

// What the script is given: float64.
struct ScriptInput {
  Tensor q_weight, k_weight, embeddings;
};

ScriptInput input_of(const tasks::ClsModel& model) {
  const auto exact = [](const Tensor& x) { return to(x, DType::kFloat64); };
  return {exact(tasks::weight_of(model, "attention.q_proj.weight")),
          exact(tasks::weight_of(model, "attention.k_proj.weight")), exact(model.embeddings())};
}

// What the script would say for each row of W_Q: numbers less nouns.
std::vector<double> script_gaps(const ScriptInput& from, const tasks::NumberTask& task,
                                ScriptMend mend) {
  std::vector<double> gaps;
  for (std::int64_t row = 0; row < from.q_weight.shape()[0]; ++row) {
    const Tensor cosines = script_cosines(from.q_weight, from.k_weight, row, from.embeddings, mend);
    gaps.push_back(
        nn::compare_groups(cosines, tasks::number_mask(task), tasks::noun_mask(task)).gap);
  }
  return gaps;
}

double share_above_zero(const std::vector<double>& values) {
  const auto above = std::count_if(values.begin(), values.end(), [](double x) { return x > 0; });
  return static_cast<double>(above) / static_cast<double>(values.size());
}

// What the script does with row 0 of one model.
void record_row(Step& step, const ScriptInput& from) {
  const Tensor inverse = pinv(from.k_weight);
  const auto given = [&](const char* name, const Tensor& x, const char* a, const char* b,
                         const char* what) {
    step.tensor(name, x).axes(a, b).explain(Explain::given(what));
  };
  given("W_Q", from.q_weight, "head space", "embedding space", "learned; model 0");
  given("W_K", from.k_weight, "head space", "embedding space", "learned");
  given("W_K+", inverse, "embedding space", "head space", "pinv(W_K), by its singular values");
  given("h", from.embeddings, "token", "embedding space", "embeddings; token 0 is [CLS]");
  step.tensor("p", linear(from.q_weight, inverse))
      .axes("row of W_Q", "embedding space")
      .explain(Explain::contraction("dc,rc->rd", {"W_K+", "W_Q"}));
  step.tensor("K", linear(from.embeddings, from.k_weight))
      .axes("token", "head space")
      .explain(Explain::contraction("cd,td->tc", {"W_K", "h"}));
}

// The error text of the script, or "" where it runs.
std::string script_error(const ScriptInput& from, std::int64_t row) {
  try {
    script_cosines(from.q_weight, from.k_weight, row, from.embeddings);
    return "";
  } catch (const ShapeError& error) {
    return error.what();
  } catch (const std::out_of_range& error) {
    return error.what();
  }
}

}  // namespace

void script_as_written(Step& step) {
  const std::int64_t models = step.whole("seeds");
  const tasks::NumberTask task = training_with(HeadShape::kSquare, 0).task;
  const ScriptMend written = step.broken("mended-script") ? ScriptMend::kBoth : ScriptMend::kNone;
  step.formula("line 2   q_cls = W_Q[id of [CLS]]: a row, here [16]");
  step.formula("line 3   k = W_K h of each number [16]");
  step.formula("line 4   pinv(W_K) q_cls, with pinv(W_K) [16,16]; mean cosine with k");
  step.formula("pinv(W): pseudo-inverse, what undoes W as far as it can be undone");
  step.formula("its advice: the same of other words, then compare: gap");
  step.formula("measured right: q = W_Q h_CLS, cos(q, k), and no pinv");
  std::vector<double> as_written, of_cls, with_query, without_map, mended, four, right;
  double turned_off = 0;
  for (std::int64_t model = 0; model < models; ++model) {
    const auto trained = model_with(step, HeadShape::kSquare, model, models);
    const ScriptInput from = input_of(*trained);
    const std::vector<double> gaps = script_gaps(from, task, written);
    const std::vector<double> turned =
        script_gaps({-from.q_weight, -from.k_weight, from.embeddings}, task, ScriptMend::kNone);
    const std::vector<double> straight = script_gaps(from, task, ScriptMend::kNone);
    for (std::size_t r = 0; r < turned.size(); ++r) {
      turned_off = std::max(turned_off, std::abs(turned[r] + straight[r]));
    }
    append(as_written, gaps);
    of_cls.push_back(gaps[0]);
    append(with_query, script_gaps(from, task, ScriptMend::kQuery));
    append(without_map, script_gaps(from, task, ScriptMend::kMap));
    append(mended, script_gaps(from, task, ScriptMend::kBoth));
    right.push_back(tasks::alignment(*trained, task).gap());
    if (model > 0) continue;
    auto& rows =
        step.picture(course::Bars("model 0: gap of the script, for each row of W_Q", {"gap"}));
    for (std::size_t r = 0; r < gaps.size(); ++r) {
      rows.digits(2).group(fmt::format("row {}", r), {gaps[r]});
    }
    record_row(step, from);
  }
  const auto shown = std::min<std::int64_t>(models, step.whole("four_heads"));
  for (std::int64_t model = 0; model < shown; ++model) {
    append(four, script_gaps(input_of(*model_with(step, HeadShape::kFour, model, shown)), task,
                             ScriptMend::kNone));
  }
  const double share = share_above_zero(as_written);
  step.predict(fmt::format("Trained heads have a gap of {:.1f}. What does the script make of it?",
                           course::spread_of(right).mean),
               {"a gap above 0", "a gap above 0 or below it, as chance has it", "a gap below 0"},
               share > 1 - kToss ? 0
               : share < kToss   ? 2
                                 : 1);
  auto table = step.table(fmt::format("gap by the script: {} models x 16 rows", models),
                          {"share > 0", "lowest", "mean", "highest"});
  const auto row = [&](const std::string& name, const std::vector<double>& gaps,
                       const std::string& note) {
    const course::Spread s = course::spread_of(gaps);
    table.digits(2).row(name, {share_above_zero(gaps), s.lowest, s.mean, s.highest}, note);
    return s;
  };
  row("as written", as_written, "one head of width 16");
  row("row 0 of each", of_cls, "the id of [CLS] here");
  row("q for the row", with_query, "pinv(W_K) q beside k: two spaces");
  row("no pinv", without_map, "a row of W_Q beside k: two spaces");
  row("both mended", mended, "q beside k");
  row("4 heads", four, "as written; head_idx is not used, and all heads are mixed");
  const course::Spread measured = row("measured right", right, "the heads' own q and k");
  auto& bars = step.picture(course::Bars("share of the gaps, by size", {"script", "right"}));
  const std::vector<double> edges = {-2, -0.5, 0, 0.5, 1, 2};
  for (std::size_t bin = 0; bin + 1 < edges.size(); ++bin) {
    const auto within = [&](const std::vector<double>& gaps) {
      const auto inside = std::count_if(gaps.begin(), gaps.end(), [&](double gap) {
        return gap >= edges[bin] && gap < edges[bin + 1];
      });
      return static_cast<double>(inside) / static_cast<double>(gaps.size());
    };
    bars.digits(2).group(fmt::format("{:4.1f} to {:4.1f}", edges[bin], edges[bin + 1]),
                         {within(as_written), within(right)});
  }
  const ScriptInput narrow = input_of(*begun_with(step, HeadShape::kNarrow, 0));
  const std::string of_narrow = script_error(narrow, 0),
                    of_bert =
                        script_error(input_of(*begun_with(step, HeadShape::kSquare, 0)), kBertCls);
  step.check("-W_Q for W_Q and -W_K for W_K: same scores, and the script's gap is its negative",
             turned_off < 1e-9, fmt::format("{:.0e} off at most", turned_off));
  step.check("a head of width 8 stops the script", !of_narrow.empty(), of_narrow);
  step.check("so does [CLS] = 101, as in BERT, with 16 rows", !of_bert.empty(), of_bert);
  step.claim("A30", Evidence::kTensor, /*cases=*/std::ssize(as_written))
      .seeds(static_cast<int>(models))
      .as_stated(share > 1 - kToss)
      .right(share >= kToss && share <= 1 - kToss && measured.lowest > kGap)
      .value(share)
      .expected("script's gap > 0 in 0.3 to 0.7 of the rows; measured right > 0.5 in all models")
      .tolerance("bounds of the rule: a coin toss, beside a match that is there")
      .found(fmt::format("script's gap > 0 in {:.2f} of the rows, mean {:.2f}; right: > {:.2f}",
                         share, course::spread_of(as_written).mean, measured.lowest));
  step.why(
      "A row of W_Q is no token's query, pinv(W_K) leads out of the space where keys are, and that "
      "no shape complains is luck: 16 = 16.");
  step.try_next({"./gradwalk run 20 --claim=A30 --break=mended-script",
                 "./gradwalk run 20 --claim=A30 --predict"});
}

}  // namespace gradwalk::lesson_20
