#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lessons/14_reading_heads/steps/common.h"
#include "lessons/14_reading_heads/steps/steps.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/heatmap.h"
#include "lessons/tasks/basis.h"
#include "nn/diagnostics/cosine.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/linear.h"
#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"

namespace gradwalk::lesson_14 {
namespace {

using course::Explain;
using course::Step;

}  // namespace

void another_basis(Step& step) {
  constexpr std::int64_t tokens = 6, d = 8, d_k = 4;
  const double t = step.parameter("stretch");
  Generator gen = step.generator("small head");
  const Tensor x = normal({tokens, d}, gen, kF64);
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  const tasks::QueryKey head{normal({d_k, d}, gen, kF64) * scale,
                             normal({d_k, d}, gen, kF64) * scale};
  const Tensor r = tasks::stretched_axis(d_k, t);
  const tasks::QueryKey other = tasks::in_basis(head, r);
  const Tensor q = linear(x, head.query), k = linear(x, head.key);
  const Tensor q2 = linear(x, other.query), k2 = linear(x, other.key);
  const auto weights = [&](const Tensor& queries, const Tensor& keys) {
    return softmax(matmul(queries, transpose(keys)) / 2, -1);
  };
  const Tensor w = weights(q, k), w2 = weights(q2, k2);
  const std::vector<std::string> names = {"0", "1", "2", "3", "4", "5"};
  step.formula("q = W_Q x      k = W_K x      another basis: q' = R q      k' = R^-T k");
  step.formula("q'.k' = q^T R^T R^-T k = q.k      R = diag(t, 1, 1, 1): one axis stretched");
  step.table(fmt::format("six tokens, d_k = 4, t = {}", t), names)
      .digits(3)
      .row("cos(q_i, k_i)", nn::cosine(q, k), "each token's own key")
      .row("cos(q'_i, k'_i)", nn::cosine(q2, k2), "the same head, another basis")
      .row("|q_i|", nn::length(q))
      .row("|q'_i|", nn::length(q2));
  const double off = course::relative_distance(w2, w);
  step.number("weights, off", off, "the largest difference");
  const auto record = [&](const char* name, const Tensor& values, Explain explain) {
    step.tensor(name, values).axes("token", "component").explain(std::move(explain));
  };
  step.tensor("R", r).axes("new", "old").explain(Explain::given("stretches the first axis"));
  step.tensor("R^-T", tasks::inverse_transpose(r))
      .axes("new", "old")
      .explain(Explain::given("inverse and transpose of R: 1 / t in its corner"));
  record("q", q, Explain::given("W_Q x, random: N(0, 1) nearly"));
  record("k", k, Explain::given("W_K x, likewise"));
  record("q'", q2, Explain::contraction("ij,tj->ti", {"R", "q"}));
  record("k'", k2, Explain::contraction("ij,tj->ti", {"R^-T", "k"}));
  const auto record_map = [&](const char* s, const char* map, const Tensor& scores,
                              const Tensor& of, std::vector<std::string> sides) {
    step.tensor(s, scores)
        .axes("query", "key")
        .explain(Explain::contraction("ic,jc->ij", std::move(sides), 0.5));
    step.tensor(map, of).axes("query", "key").explain(Explain::softmax(s));
  };
  record_map("s", "w", matmul(q, transpose(k)) / 2, w, {"q", "k"});
  record_map("s'", "w'", matmul(q2, transpose(k2)) / 2, w2, {"q'", "k'"});
  step.picture(course::Heatmap("weights: before and after", {"w", "w'"}));
  step.check("weights stay", off < 1e-12, "float64");
  step.check("every cosine keeps its sign: q.k did not change",
             min(nn::cosine(q, k) * nn::cosine(q2, k2)).item() > 0);
  step.why(
      "A head is only the product W_Q^T W_K; how it is cut in two is a choice of basis that "
      "training makes by chance. Cosines and lengths see the cut.");
  step.try_next({"./gradwalk run 14 --set=stretch=1000", "./gradwalk run 14 --set=stretch=1"});
}

}  // namespace gradwalk::lesson_14
