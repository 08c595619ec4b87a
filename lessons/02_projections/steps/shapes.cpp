#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autograd/variable.h"
#include "lessons/02_projections/heads.h"
#include "lessons/02_projections/steps/common.h"
#include "lessons/02_projections/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/tasks/module_weight.h"
#include "nn/attention.h"
#include "tensor/create.h"
#include "tensor/layout.h"
#include "tensor/linear.h"

namespace gradwalk::lesson_02 {
namespace {

using course::Evidence;
using course::Step;

}  // namespace

void shapes(Step& step) {
  const bool interleaved = step.broken("interleaved-rows");
  const LargeLayer l = large_layer(step);
  const NoGrad no_grad;
  nn::AttentionTrace trace;
  l.layer(unsqueeze(l.x, 0), {.trace = &trace});
  step.formula("q_t = W_Q x_t   k_t = W_K x_t   v_t = W_V x_t      x[16,768] -> q, k, v [16,768]");
  step.formula(
      "head h: q_t = W_Q[64h : 64h+64, :] x_t      W_Q[12*64, 768], a head's part [64,768]");
  auto table = step.table("shapes", {"rows", "columns", "numbers"});
  std::int64_t compared = 0;
  double worst = 0;
  bool shapes_fit = true;
  const std::vector<std::pair<std::string, Tensor>> sides = {
      {"q_proj.weight", trace.query.value()},
      {"k_proj.weight", trace.key.value()},
      {"v_proj.weight", trace.value.value()}};
  for (const auto& [name, by_layer] : sides) {
    const Tensor weight = tasks::weight_of(l.layer, name);
    const Shape& shape = weight.shape();
    shapes_fit = shapes_fit && shape == Shape{kHeads * kHeadDim, kWidth};
    table.row(fmt::format("W_{}", static_cast<char>(std::toupper(name[0]))),
              {static_cast<double>(shape[0]), static_cast<double>(shape[1]),
               static_cast<double>(weight.numel())},
              name[0] == 'q' ? "all heads: 12 * 64 rows" : "");
    for (std::int64_t head = 0; head < kHeads; ++head) {
      const Tensor rows = head_rows(weight, head, kHeads, interleaved);
      shapes_fit = shapes_fit && rows.shape() == Shape{kHeadDim, kWidth};
      const Tensor alone = linear(l.x, rows);
      worst = std::max(worst, course::distance(alone, select(select(by_layer, 0, 0), 0, head)));
      compared += alone.numel();
    }
  }
  table.row("one head's part", {kHeadDim, kWidth, kHeadDim * kWidth}, "in to out: 768 to 64");
  step.number("head by head, off the layer", worst,
              fmt::format("{} numbers; same products, same order", compared));
  const bool fits = shapes_fit && worst == 0;
  step.claim("B6", Evidence::kTensor, /*cases=*/compared)
      .as_stated(fits)
      .right(fits)
      .value(worst)
      .expected("a head's map is [64, 768]; heads one by one: equal")
      .tolerance("exact")
      .found(fmt::format("off by {:.2g}", worst));
  step.why(
      "One wide matrix is twelve narrow ones on top of each other: a head is a block of rows, "
      "and that is all a head is.");
  step.try_next({"./gradwalk run 2 --claim=B6 --break=interleaved-rows"});
}

}  // namespace gradwalk::lesson_02
