#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "lessons/01_soft_lookup/lookup.h"
#include "lessons/01_soft_lookup/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/plane.h"
#include "nn/diagnostics/cosine.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_01 {
namespace {

using course::Evidence;
using course::Step;

}  // namespace

void dot_products(Step& step) {
  const Cards c = cards();
  const Tensor s = matmul(c.keys, c.q);
  const Tensor cosines = nn::cosine(c.keys, c.q);
  step.formula("q.k = |q| |k| cos(q, k)      K[64,32] q[32] -> s[64], 200 queries");
  step.table("the four cards", c.names)
      .digits(3)
      .row("dot product", s, "bus wins")
      .row("length |k|", nn::length(c.keys), "because its key is longer")
      .row("cos(q, k)", cosines, "car points closest");
  auto& plane = step.picture(course::Plane("the query and the four keys", "animal", "vehicle"));
  plane.arrow("q", c.q.at({0}), c.q.at({1}));
  for (std::int64_t card = 0; card < 4; ++card) {
    plane.arrow(c.names[std::size_t(card)], c.keys.at({card, 0}), c.keys.at({card, 1}));
  }
  const std::int64_t seeds = step.whole("seeds");
  auto table =
      step.table("200 queries: how often the best key by dot product is the best by cosine",
                 {"mean", "lowest", "highest"});
  const auto measure = [&](const std::string& name, double spread) {
    const bool equal = step.broken("equal-lengths");
    const course::Spread found = agreement_over_seeds(step, seeds, equal ? 0 : spread);
    table.digits(3).row(name, {found.mean, found.lowest, found.highest},
                        spread == 0 ? fmt::format("{} seeds, 64 keys of width 32", seeds) : "");
    return found;
  };
  const course::Spread one_length = measure("keys of one length", 0);
  const course::Spread some_spread = measure("lengths exp(z / 2)", 0.5);
  const course::Spread wide_spread = measure("lengths exp(z), z: N(0, 1)", 1);
  record_cards(step, c);
  const bool always = one_length.lowest == 1;
  step.claim("B21", Evidence::kTensor, /*cases=*/600 * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(always && some_spread.lowest == 1 && wide_spread.lowest == 1)
      .right(always && wide_spread.highest < 0.5)
      .value(wide_spread.mean)
      .expected("one length: always; lengths exp(z): < 0.5")
      .tolerance("counts of queries: exact; in every seed")
      .found(fmt::format("one length {:.3f}, lengths exp(z) {:.3f}", one_length.mean,
                         wide_spread.mean));
  step.why(
      "A dot product is length times direction: a long key is heard even where it does not "
      "fit. Equal lengths leave the direction alone.");
  step.try_next({"./gradwalk run 1 --claim=B21 --break=equal-lengths", "./gradwalk claims B21"});
}

}  // namespace gradwalk::lesson_01
