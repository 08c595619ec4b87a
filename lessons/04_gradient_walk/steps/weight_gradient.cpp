#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "autograd/grad_check.h"
#include "lessons/04_gradient_walk/steps/common.h"
#include "lessons/04_gradient_walk/steps/steps.h"
#include "lessons/04_gradient_walk/walk.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/heatmap.h"
#include "lessons/tasks/toy4d.h"
#include "tensor/create.h"
#include "tensor/layout.h"
#include "tensor/linalg.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"
#include "tensor/reference/matmul.h"

namespace gradwalk::lesson_04 {
namespace {

using course::distance;
using course::Evidence;
using course::Step;
using tasks::ToyState;

}  // namespace

void weight_gradient(Step& step, Walk& walk) {
  const ToyState& s = walk.now;
  const Tensor asking = select(walk.toy.h, 0, step.broken("wrong-token") ? 1 : 0);
  const Tensor ours = outer(walk.formula.at("q"), asking);
  double nearest_row = std::numeric_limits<double>::infinity();
  for (int row = 0; row < 4; ++row) {
    nearest_row = std::min(nearest_row, distance(select(s.dw_q, 0, row), s.dq));
  }
  const Tensor singular = svd(s.dw_q).s;
  const double second = singular.at({1}) / singular.at({0});
  step.formula("dq = sum_i dz_i k_i / sqrt(4)      dk_i = dz_i q / sqrt(4)      dq[4] dk[3,4]");
  step.formula(
      "dW_Q = dq h_CLS^T      dW_K = sum_i dk_i h_i^T      dW_V = sum_i dv_i h_i^T      [4,4]");
  step.table("", kComponents)
      .digits(4)
      .row("dq", s.dq, "article's row")
      .row("h_CLS", select(walk.toy.h, 0, 0), "rows follow it")
      .row("singular values", singular, "dW_Q: rank one");
  step.picture(course::Heatmap("dW_Q: column j is h_CLS[j] dq", {"dW_Q", "dW_K"}));
  record_weight_gradient(step, walk);
  step.claim("A5", Evidence::kTensor, /*cases=*/16)
      .as_stated(nearest_row < 1e-8)
      .right(distance(ours, s.dw_q) < 1e-15 && distance(ours, walk.difference.at("W_Q")) < 1e-8 &&
             second < 1e-14)
      .value(nearest_row)
      .expected("a row equal to dq")
      .tolerance("1e-15: one product an entry; 1e-8 to the difference quotient")
      .found(fmt::format("nearest {:.2f} away", nearest_row));
  check_three_ways(step, walk, {"q", "k", "W_Q", "W_K", "W_V"});
  const GradCheckReport report = grad_check(
      "toy logits",
      [&walk](const std::vector<Variable>& in) { return tasks::toy_logits(walk.toy.h, in); },
      {walk.toy.w_q, walk.toy.w_k, walk.toy.w_v, walk.toy.c}, {.seed = step.seed()});
  step.check(
      "the same with a random gradient coming into the logits", report.ok,
      fmt::format("{} entries, relative error at most {:.0e}", report.entries, report.worst));
  step.why(
      "The sum over keys is the gradient of q. W_Q's rows all move along h_CLS, row r as far as "
      "dq[r] says; none belongs to a token.");
  step.try_next({"./gradwalk run 4 --break=wrong-token"});
}

}  // namespace gradwalk::lesson_04
