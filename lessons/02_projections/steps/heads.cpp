#include "lessons/02_projections/heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/variable.h"
#include "lessons/02_projections/steps/common.h"
#include "lessons/02_projections/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/heatmap.h"
#include "nn/attention.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/softmax.h"

namespace gradwalk::lesson_02 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

}  // namespace

void heads(Step& step) {
  const LargeLayer l = large_layer(step);
  const NoGrad no_grad;
  nn::AttentionTrace trace;
  l.layer(unsqueeze(l.x, 0), {.trace = &trace});
  const auto head_of = [](const Variable& all, std::int64_t head) {
    return select(select(all.value(), 0, 0), 0, head);  // [16, 64]
  };
  double worst = 0;
  for (std::int64_t head = 0; head < kHeads; ++head) {
    const std::int64_t looks = step.broken("shared-weights") ? 0 : head;
    const Tensor scores = matmul(head_of(trace.query, looks), transpose(head_of(trace.key, looks)));
    const Tensor w = softmax(scores / std::sqrt(static_cast<double>(kHeadDim)), /*axis=*/-1);
    const Tensor out = matmul(w, head_of(trace.value, head));
    worst = std::max(worst, course::distance(out, head_of(trace.head_outputs, head)));
  }
  // Whose output moves when W_Q of one head changes its sign?
  std::vector<double> moves;
  double others = 0, own = std::numeric_limits<double>::infinity();
  for (std::int64_t touched = 0; touched < kHeads; ++touched) {
    nn::AttentionTrace after;
    negate_head(l.layer, "q_proj.weight", touched, kHeads);
    l.layer(unsqueeze(l.x, 0), {.trace = &after});
    negate_head(l.layer, "q_proj.weight", touched, kHeads);
    for (std::int64_t head = 0; head < kHeads; ++head) {
      moves.push_back(
          course::distance(head_of(after.head_outputs, head), head_of(trace.head_outputs, head)));
      if (head == touched) {
        own = std::min(own, moves.back());
      } else {
        others = std::max(others, moves.back());
      }
    }
  }
  step.formula("768 / 12 = 64      Q, K, V [16,768] -> 12 heads of [16,64]");
  step.formula("head h: softmax(Q_h K_h^T / 8) V_h, put side by side: [16, 12*64] = [16,768]");
  step.number("heads in a loop, off the layer", worst, "12 * 16 * 64 numbers, all heads at once");
  step.number("negated head moves by", own, "its W_Q is negated; least of twelve", 3);
  step.number("any other head moves by", others, "exactly 0: they share nothing");
  step.tensor("moved", from_vector(moves, {kHeads, kHeads}))
      .axes("head whose W_Q is negated", "head whose output moves")
      .explain(Explain::given("largest change of a head's output, two runs of the layer each"));
  step.picture(course::Heatmap("change one head (row): which outputs move (column)?", {"moved"}));
  const bool same =
      worst == 0 && kWidth / kHeads == kHeadDim && l.layer.options().head_dim == kHeadDim;
  step.claim("B24", Evidence::kTensor, /*cases=*/kTokens * kWidth)
      .as_stated(same)
      .right(same && others == 0 && own > 0)
      .value(worst)
      .expected("64 a head; loop equals layer; others untouched")
      .tolerance("exact")
      .found(fmt::format("loop off by {:.2g}, others by {:.2g}", worst, others));
  step.why(
      "A head sees its own 64 numbers of q, k and v and no others, so twelve of them can be "
      "computed in any order, or at once.");
  step.try_next({"./gradwalk run 2 --claim=B24 --break=shared-weights"});
}

}  // namespace gradwalk::lesson_02
