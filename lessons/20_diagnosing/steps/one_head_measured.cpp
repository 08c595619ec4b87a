#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lessons/20_diagnosing/models.h"
#include "lessons/20_diagnosing/steps/steps.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/heatmap.h"
#include "lessons/tasks/head_weights.h"
#include "lessons/tasks/numbers/cls_model.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/task.h"
#include "nn/diagnostics/group_comparison.h"
#include "nn/diagnostics/pull_back.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"

namespace gradwalk::lesson_20 {
namespace {

using course::Explain;
using course::Step;

}  // namespace

void one_head_measured(Step& step) {
  const auto model = model_with(step, HeadShape::kSquare, 0, 1);
  const auto begun = begun_with(step, HeadShape::kSquare, 0);
  const tasks::NumberTask task = training_with(HeadShape::kSquare, 0).task;
  const tasks::NumberBatch texts = texts_for(step, HeadShape::kSquare, 0, 500);
  step.formula("a text: [CLS] and 8 tokens, 2 to 4 of them numbers, the rest nouns");
  step.formula("asked: the largest number, of 0 to 15. Only [CLS] asks, in one layer");
  step.formula("q = W_Q h_CLS [16]      k_i = W_K h_i [16]      h: embeddings, [16]");
  step.formula("z_i = q.k_i / sqrt(16), the score in nats      w = softmax(z)");
  step.formula("the same from h alone: z_i = (W_K^T q).h_i / sqrt(16)");
  step.formula("gap = mean cos(q, k) of 16 numbers - that of 16 nouns, the control");
  const tasks::Alignment before = tasks::alignment(*begun, task),
                         after = tasks::alignment(*model, task);
  auto table = step.table("cos(q, k): means", {"numbers", "nouns", "gap", "d", "right"});
  const auto row = [&](const std::string& name, const tasks::Alignment& a,
                       const tasks::ClsModel& of, const std::string& note) {
    const nn::GroupComparison& cosines = a.match.of_cosines;
    table.digits({2, 2, 2, 2, 3})
        .row(name,
             {cosines.group.mean, cosines.control.mean, a.gap(), cosines.cohens_d,
              tasks::number_score(of, task, texts).accuracy},
             note);
  };
  row("as it begins", before, *begun, "d: gap in standard deviations");
  row(fmt::format("after {} updates", step.whole("updates")), after, *model,
      "right: share of 500 texts");
  const tasks::ClsHead head = tasks::cls_head(*model);
  const Tensor w_k = tasks::head_weights(*model, "attention", /*heads=*/1, 0).key;
  const Tensor pulled = nn::pull_back(head.query, w_k);
  const Tensor scores = matmul(model->embeddings(), pulled) / 4.0;
  const double off = course::relative_distance(scores, after.match.logits);
  step.number("z from h, off", off, "from q.k / 4, as a share of the largest: float32");
  std::vector<std::string> worth;
  for (std::int64_t v = 0; v < task.numbers; ++v) worth.push_back(fmt::format("{}", v));
  const auto groups = [&](const Tensor& rows) {
    const Tensor both = slice(rows, 0, 1, task.vocabulary());
    return rows.ndim() == 1 ? reshape(both, {2, task.numbers})
                            : reshape(both, {2, task.numbers, rows.shape()[-1]});
  };
  step.tensor("q", head.query).axes("component").explain(Explain::given("W_Q h of [CLS]"));
  step.tensor("W_K", w_k).axes("head space", "embedding space").explain(Explain::given("learned"));
  step.tensor("h", groups(model->embeddings()))
      .axes("group", "token", "component")
      .rows({"numbers", "nouns"})
      .explain(Explain::given("embeddings, learned"));
  step.tensor("K", groups(head.keys))
      .axes("group", "token", "component")
      .rows({"numbers", "nouns"})
      .explain(Explain::contraction("cd,gtd->gtc", {"W_K", "h"}));
  step.tensor("z", groups(after.match.logits))
      .axes("group", "token")
      .rows({"numbers", "nouns"})
      .columns(worth)
      .explain(Explain::contraction("c,gtc->gt", {"q", "K"}, 0.25));
  step.picture(
      course::Heatmap("scores z of all words: numbers 0 to 15, then 16 nouns in any order", {"z"}));
  step.check("both ways give the same scores", off < 1e-5,
             fmt::format("{:.0e} of the largest apart", off));
  step.check("the gap comes from training", after.gap() > 0.5 && before.gap() < 0.5);
  step.why(
      "A query and keys meet in head space, and there alone. The nouns are the control: without "
      "them no one can say whether a cosine is large.");
  step.try_next({"./gradwalk run 20 --step", "./gradwalk run 20 --help"});
}

}  // namespace gradwalk::lesson_20
