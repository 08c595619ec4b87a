#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lessons/20_diagnosing/maps.h"
#include "lessons/20_diagnosing/models.h"
#include "lessons/20_diagnosing/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/scatter.h"
#include "lessons/tasks/head_weights.h"
#include "lessons/tasks/numbers/cls_model.h"
#include "lessons/tasks/numbers/task.h"
#include "nn/diagnostics/cosine.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/linalg.h"
#include "tensor/linear.h"
#include "tensor/matmul.h"

namespace gradwalk::lesson_20 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr double kModels = 0.9;  // share of them

constexpr double kRounding = 1e-10;  // float64, relative

constexpr std::int64_t kKept = 3;  // singular values of a W_K of low rank

QueryMaps maps_of(const tasks::ClsModel& model, bool turning) {
  const auto exact = [](const Tensor& x) { return to(x, DType::kFloat64); };
  const tasks::HeadWeights head = tasks::head_weights(model, "attention", /*heads=*/1, 0);
  const Tensor w_k = exact(head.key);
  return query_maps(exact(head.query), turning ? turning_part(w_k) : w_k,
                    exact(model.embeddings()));
}

// What pinv is good for, where W_K has a low rank.
struct Reached {
  double off;    // scores of the part of q that keys can reach, relative to those of q
  double share;  // length of that part / |q|
};

Reached reached_of(const QueryMaps& m) {
  const Tensor low = of_rank(m.w_k, kKept), part = reached_part(m.query, low);
  const Tensor keys = linear(m.embeddings, low);
  return {course::relative_distance(matmul(keys, part), matmul(keys, m.query)),
          nn::length(part).item() / nn::length(m.query).item()};
}

void draw_order(Step& step, const std::string& what, const Tensor& cosines, const QueryMaps& m,
                const tasks::NumberTask& task) {
  auto& scatter = step.picture(course::Scatter(
      fmt::format("model 0, all words: {} beside the score", what), "cos", "z / largest |z|"));
  const double largest = course::largest(m.scores);
  std::vector<std::pair<double, double>> nouns;
  for (std::int64_t id = 1; id < task.vocabulary(); ++id) {
    const double x = cosines.at({id}), y = m.scores.at({id}) / largest;
    if (id <= task.numbers) {
      scatter.point(fmt::format("{}", id - 1), x, y, static_cast<double>(id));
    } else {
      nouns.emplace_back(x, y);
    }
  }
  scatter.others("nouns", std::move(nouns));
}

void record_maps(Step& step, const QueryMaps& m) {
  step.tensor("W_K", m.w_k)
      .axes("head space", "embedding space")
      .explain(Explain::given("learned; model 0"));
  step.tensor("W_K+", pinv(m.w_k))
      .axes("embedding space", "head space")
      .explain(Explain::given("pinv(W_K), by its singular values"));
  step.tensor("h", m.embeddings)
      .axes("token", "embedding space")
      .explain(Explain::given("embeddings; token 0 is [CLS]"));
  step.tensor("q", m.query).axes("head space").explain(Explain::given("W_Q h of [CLS]"));
  step.tensor("pulled", m.pulled)
      .axes("embedding space")
      .explain(Explain::contraction("cd,c->d", {"W_K", "q"}));
  step.tensor("inverted", m.inverted)
      .axes("embedding space")
      .explain(Explain::contraction("dc,c->d", {"W_K+", "q"}));
  step.tensor("z", m.scores / 4.0)
      .axes("token")
      .explain(Explain::contraction("d,td->t", {"pulled", "h"}, 0.25));
}

}  // namespace

void pulled_or_inverted(Step& step) {
  const std::int64_t models = step.whole("seeds");
  const bool orthogonal = step.broken("orthogonal-keys");
  const tasks::NumberTask task = training_with(HeadShape::kSquare, 0).task;
  step.formula("q [Dh] lives with keys, h [16] with embeddings. How do they compare?");
  step.formula("as a key: k_i = W_K h_i, cos(q, k_i)");
  step.formula("turned round: q.(W_K h_i) = (W_K^T q).h_i, exact; cos(W_K^T q, h_i)");
  step.formula("inverted: pinv(W_K) q, the shortest h whose key is q; cos with h_i");
  step.formula("order: rank correlation with the scores z of all 33 tokens; 1: same");
  step.formula("row r: cos(row r of W_Q, k_i), where shapes let it: Dh = 16");
  struct Found {
    std::vector<double> keys, pulled, inverted, rows, agree, condition;
  };
  Found found[2];
  double off = 0, reached_off = 0, reached = 0, ideal_off = 0;
  for (const HeadShape shape : {HeadShape::kSquare, HeadShape::kNarrow}) {
    Found& f = found[shape == HeadShape::kSquare ? 0 : 1];
    for (std::int64_t model = 0; model < models; ++model) {
      const auto trained = model_with(step, shape, model, models);
      const QueryMaps m = maps_of(*trained, orthogonal);
      f.keys.push_back(m.order(m.cos_keys));
      f.pulled.push_back(m.order(m.cos_pulled));
      f.inverted.push_back(m.order(m.cos_inverted));
      f.agree.push_back(nn::cosine(m.pulled, m.inverted).item());
      f.condition.push_back(condition(m.w_k));
      off = std::max(off, course::relative_distance(matmul(m.embeddings, m.pulled), m.scores));
      ideal_off =
          std::max(ideal_off, course::relative_distance(matmul(m.w_k, m.inverted), m.query));
      if (shape != HeadShape::kSquare) continue;
      const Tensor w_q =
          to(tasks::head_weights(*trained, "attention", 1, 0).query, DType::kFloat64);
      for (std::int64_t r = 0; r < w_q.shape()[0]; ++r) {
        f.rows.push_back(m.order(nn::cosine(m.keys, select(w_q, 0, r))));
      }
      const Reached part = reached_of(m);
      reached_off = std::max(reached_off, part.off);
      reached += part.share / static_cast<double>(models);
      if (model > 0) continue;
      draw_order(step, "cos(W_K^T q, h)", m.cos_pulled, m, task);
      draw_order(step, "cos(pinv(W_K) q, h)", m.cos_inverted, m, task);
      record_maps(step, m);
    }
  }
  auto table = step.table(fmt::format("order; Dh 16 or 8, {} models each", models),
                          {"lowest", "mean", "highest"});
  const auto row = [&](const std::string& name, const std::vector<double>& values,
                       const std::string& note) {
    const course::Spread s = course::spread_of(values);
    table.digits(2).row(name, {s.lowest, s.mean, s.highest}, note);
    return s;
  };
  const Found &square = found[0], &narrow = found[1];
  row("16: as a key", square.keys, "W_K [16,16]");
  const course::Spread pulled = row("16: turned round", square.pulled, "");
  const course::Spread inverted = row("16: inverted", square.inverted, "");
  row("16: row r", square.rows, "16 rows of each W_Q beside k");
  row("16: agree", square.agree, "cos(W_K^T q, pinv(W_K) q)");
  row("8: as a key", narrow.keys, "W_K [8,16]");
  row("8: turned round", narrow.pulled, "");
  row("8: inverted", narrow.inverted, "");
  row("8: agree", narrow.agree, "");
  step.number("largest / least s, 16", course::spread_of(square.condition).mean,
              "singular values of W_K, mean: pinv divides by them", 0);
  step.number("largest / least s, 8", course::spread_of(narrow.condition).mean, "", 0);
  const auto rows_above =
      std::count_if(square.rows.begin(), square.rows.end(), [](double order) { return order > 0; });
  const double row_share =
      static_cast<double>(rows_above) / static_cast<double>(square.rows.size());
  step.number("rows with order > 0", row_share, "share: a row is no query, it says nothing", 2);
  step.number("|P q| / |q|, rank 3", reached,
              "P = W_K pinv(W_K), 3 singular values kept: what keys can reach of q", 2);
  std::int64_t better = 0, no_worse = 0;
  for (std::size_t i = 0; i < square.pulled.size(); ++i) {
    better += square.pulled[i] > square.inverted[i];
    no_worse += square.inverted[i] >= square.pulled[i];
  }
  step.predict("Which of the two directions orders the words as the scores do?",
               {"W_K^T q", "pinv(W_K) q", "both alike"},
               better > no_worse ? 0
               : better == 0     ? 2
                                 : 1);
  step.check("(W_K^T q).h_i = q.k_i", off < kRounding, fmt::format("{:.0e} off, float64", off));
  step.check("what pinv does say: the key of pinv(W_K) q is q", ideal_off < 1e-6,
             fmt::format("{:.0e} off", ideal_off));
  step.check("and (P q).k_i = q.k_i, W_K of rank 3", reached_off < kRounding,
             fmt::format("{:.0e} off", reached_off));
  const auto share = [&](std::int64_t count) {
    return static_cast<double>(count) / static_cast<double>(models);
  };
  step.claim("A19", Evidence::kTensor, /*cases=*/2 * models * 33)
      .seeds(static_cast<int>(models))
      .as_stated(share(no_worse) >= kModels)
      .right(share(better) >= kModels && off < kRounding)
      .value(inverted.mean)
      .interval(inverted.lowest, inverted.highest)
      .expected("order by W_K^T q above that by pinv(W_K) q in 0.9 of the models, Dh = 16")
      .tolerance("bound of the rule; (W_K^T q).h = q.k to 1e-10, float64")
      .found(fmt::format("order: W_K^T q {:.2f}, pinv {:.2f}; above in {} of {}; rows {:.2f} > 0",
                         pulled.mean, inverted.mean, better, models, row_share));
  step.why(
      "pinv divides by singular values where W_K^T multiplies: what W_K hardly reads counts most. "
      "They agree only if W_K turns and no more.");
  step.try_next({"./gradwalk run 20 --claim=A19 --break=orthogonal-keys",
                 "./gradwalk run 20 --claim=A19 --predict"});
}

}  // namespace gradwalk::lesson_20
