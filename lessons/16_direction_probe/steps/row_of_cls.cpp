#include <fmt/format.h>

#include <algorithm>
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
#include "lessons/course/pictures/heatmap.h"
#include "nn/diagnostics/cosine.h"
#include "nn/diagnostics/pull_back.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/gather.h"
#include "tensor/layout.h"
#include "tensor/linear.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_16 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr double kCases = 0.8;  // share of the heads, each written twice

constexpr std::int64_t kShown = 4;  // models

// How well the cosines of a vector [Dh] with the keys have the order of the scores.
double order_of(const Tensor& candidate, const OneHead& head) {
  const Reading found = reading_of(head.query(), head.keys());
  return same_order(nn::cosine(head.keys(), candidate), found.scores);
}

// Seven tokens that ask each other.
void record_scores(Step& step, const OneHead& head) {
  const Tensor ids = from_vector({0, 1, 6, 11, 16, 17, 25}, {7}, DType::kInt64);
  const std::vector<std::string> names = {"[CLS]", "0", "5", "10", "15", "noun 0", "noun 8"};
  const Tensor h = index_select(head.embeddings, 0, ids);
  const auto record = [&](const char* name, const Tensor& values, Explain explain) {
    step.tensor(name, values).axes("token", "component").rows(names).explain(std::move(explain));
  };
  const Tensor q = linear(h, head.query_weight), k = linear(h, head.key_weight);
  record("h", h, Explain::given("embeddings of 7 of the 33 tokens, model 0"));
  step.tensor("W_Q", head.query_weight)
      .axes("head space", "embedding space")
      .explain(Explain::given("trained: 8 rows for 33 tokens, none of them is a token's"));
  step.tensor("W_K", head.key_weight)
      .axes("head space", "embedding space")
      .explain(Explain::given("trained"));
  record("Q", q, Explain::contraction("cj,ij->ic", {"W_Q", "h"}));
  record("K", k, Explain::contraction("cj,ij->ic", {"W_K", "h"}));
  step.tensor("S", matmul(q, transpose(k)) * kScale)
      .axes("token that asks", "token that is asked")
      .rows(names)
      .columns(names)
      .explain(Explain::contraction("ic,jc->ij", {"Q", "K"}, kScale));
  step.picture(course::Heatmap(
      "z of who asks (rows) with whom (columns): this model uses the first row only", {"S"}));
}

void row_by_row(Step& step, const OneHead& head) {
  auto table = step.table("model 0, all rows: most are like h_CLS or like its opposite",
                          {"order", "q_r", "cos(w_r, h_CLS)"});
  const Tensor rows = rows_as_keys(head), q = head.query();
  const Tensor like_cls = nn::cosine(head.query_weight, select(head.embeddings, 0, 0));
  for (std::int64_t r = 0; r < rows.shape()[0]; ++r) {
    table.digits(2).row(fmt::format("r = {}", r),
                        {order_of(select(rows, 0, r), head), q.at({r}), like_cls.at({r})});
  }
}

}  // namespace

void row_of_cls(Step& step) {
  const bool one_hot = step.broken("one-hot");
  const std::int64_t models = step.whole("seeds");
  step.formula("h [16], a token's vector      W_Q, W_K [8,16]      33 tokens");
  step.formula("q = W_Q h_CLS [8]      k_i = W_K h_i [8]: they meet in one space");
  step.formula("z_i = q.k_i / sqrt(8) = (W_K^T q).h_i / sqrt(8)");
  step.formula("row w_r of W_Q [16] lives with h: w_r.h_CLS = q_r is one number");
  step.formula("as a key: W_K w_r [8]");
  step.formula("signs turned: -W_Q for W_Q, -W_K for W_K. -q, -k, the same z");
  step.formula("order of v: rank correlation of cos(v, k_i) and z_i; -1: opposite");
  auto table = step.table(one_hot ? "order of row 0 of W_Q, stored as [33,8], and of q"
                                  : "order of row 0 (v = W_K w_0; [CLS] is token 0), and of q",
                          {"row 0", "turned", "q", "q turned"});
  std::vector<double> of_row, of_query;
  double off = 0, pulled = 0, turned_off = 0, of_cls = 0;
  std::int64_t opposite = 0, rows_seen = 0;
  for (std::int64_t model = 0; model < models; ++model) {
    const auto trained = model_for(step, Asked::kNumbers, model);
    const OneHead head = head_of(*trained);
    const OneHead turned = in_basis(head, eye(kHeadDim, DType::kFloat64) * -1.0);
    for (const OneHead* as : {&head, &turned}) {
      const Tensor row = select(one_hot ? one_hot_weight(*as) : rows_as_keys(*as), 0, 0);
      of_row.push_back(order_of(row, *as));
      of_query.push_back(order_of(as->query(), *as));
    }
    if (model < kShown) {
      const std::size_t at = of_row.size() - 2;
      table.digits(2).row(fmt::format("model {}", model),
                          {of_row[at], of_row[at + 1], of_query[at], of_query[at + 1]});
    }
    const Tensor scores = reading_of(head.query(), head.keys()).scores;
    const Tensor pull = nn::pull_back(head.query(), head.key_weight);
    off = std::max(off, course::relative_distance(scores, own_scores(*trained)));
    pulled =
        std::max(pulled, course::relative_distance(matmul(head.embeddings, pull) * kScale, scores));
    turned_off = std::max(
        turned_off, course::distance(reading_of(turned.query(), turned.keys()).scores, scores));
    of_cls += reading_of(head.query(), head.keys()).cosines.at({0}) / static_cast<double>(models);
    for (std::int64_t r = 0; r < head.query().shape()[0]; ++r, ++rows_seen) {
      const double order = order_of(select(rows_as_keys(head), 0, r), head);
      opposite += (order > 0) != (head.query().at({r}) > 0);
    }
    if (model > 0) continue;
    row_by_row(step, head);
    record_scores(step, head);
  }
  const auto share = [&](const std::vector<double>& orders) {
    const auto high =
        std::count_if(orders.begin(), orders.end(), [](double order) { return order > kOrders; });
    return static_cast<double>(high) / static_cast<double>(orders.size());
  };
  const double row_share = share(of_row), query_share = share(of_query);
  step.number("row 0, order > 0.7", row_share,
              fmt::format("share of {} models, in both signs", models), 3);
  step.number("q, order > 0.7", query_share, "likewise", 3);
  step.number("rows against q_r", static_cast<double>(opposite) / static_cast<double>(rows_seen),
              "share whose order has the sign of -q_r", 2);
  step.number("cos(q, k_CLS)", of_cls, "mean: [CLS]'s own key lies opposite to q", 2);
  step.number("q.k_i, off", off, "from the model's own scores: float32");
  step.number("(W_K^T q).h_i, off", pulled, "from q.k_i: float64");
  step.predict("All signs of W_Q and W_K are turned; no score changes. And row 0's match?",
               {"it stays", "it turns into its opposite"}, of_row[0] * of_row[1] < 0 ? 1 : 0);
  step.check("turned signs change no score", turned_off == 0, "33 scores of each model");
  step.claim("A2", Evidence::kTensor, /*cases=*/2 * models)
      .seeds(static_cast<int>(models))
      .as_stated(row_share >= kCases)
      .right(query_share >= kCases && off < kRounding && pulled < 1e-12)
      .value(row_share)
      .expected("order > 0.7 in 0.8 of the cases: for q, not for a row; q.k = (W_K^T q).h exactly")
      .tolerance("bounds 0.7 and 0.8 as for A1; 1e-5 in float32, 1e-12 in float64")
      .found(fmt::format("row 0: {:.2f} of the cases, q: {:.2f}; scores off by {:.0e} and {:.0e}",
                         row_share, query_share, off, pulled));
  step.why(
      "Training adds multiples of h_CLS to all rows of W_Q: most end near +h_CLS or -h_CLS, and "
      "which is up to the basis. Only q, all rows at once, asks.");
  step.try_next(
      {"./gradwalk run 16 --claim=A2 --break=one-hot", "./gradwalk run 16 --claim=A2 --predict"});
}

}  // namespace gradwalk::lesson_16
