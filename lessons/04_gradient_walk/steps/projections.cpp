#include <fmt/format.h>

#include <algorithm>

#include "lessons/04_gradient_walk/steps/common.h"
#include "lessons/04_gradient_walk/steps/steps.h"
#include "lessons/04_gradient_walk/walk.h"
#include "lessons/course/engine/measure.h"
#include "lessons/tasks/toy4d.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"
#include "tensor/reference/matmul.h"

namespace gradwalk::lesson_04 {
namespace {

using course::distance;
using course::Step;
using tasks::ToyState;

}  // namespace

void projections(Step& step, Walk& walk) {
  const tasks::Toy base = tasks::toy_base();
  begin(walk, step.broken("swap-values") ? with_swapped_values(base) : base);
  const ToyState& s = walk.now;
  step.formula("q = W_Q h_CLS      W_Q[4,4] h_CLS[4] -> q[4]   f64");
  step.formula("k_i = W_K h_i      v_i = W_V h_i      h[3,4] -> k[3,4] v[3,4]");
  auto table = step.table("what the tokens send into the head", kComponents);
  table.digits(1).row("q [CLS]", s.q, "what [CLS] asks for");
  for (int i = 0; i < 3; ++i) {
    table.row("k " + kTokens[std::size_t(i)], select(s.k, 0, i),
              i == 0 ? "what a token offers" : "");
  }
  for (int i = 0; i < 3; ++i) {
    table.row("v " + kTokens[std::size_t(i)], select(s.v, 0, i),
              i == 0 ? "what it hands over" : "");
  }
  record_projections(step, walk);
  const double off =
      std::max(distance(s.k, reference::matmul(walk.toy.h, transpose(walk.toy.w_k))),
               distance(s.v, reference::matmul(walk.toy.h, transpose(walk.toy.w_v))));
  step.check("k and v as naive loops compute them", off < 1e-15,
             fmt::format("24 entries, at most {:.0e} apart", off));
  step.why("Query and keys alone decide who is looked at; values alone decide what is seen.");
  step.try_next({"./gradwalk run 4 --step", "./gradwalk run 4 --help"});
}

}  // namespace gradwalk::lesson_04
