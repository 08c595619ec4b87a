#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "lessons/11_many_heads/lookups.h"
#include "lessons/11_many_heads/steps/common.h"
#include "lessons/11_many_heads/steps/steps.h"
#include "lessons/course/pictures/bars.h"

namespace gradwalk::lesson_11 {
namespace {

using course::Step;

}  // namespace

void too_many(Step& step) {
  const std::int64_t seeds = step.whole("models");
  LookupOptions options{.updates = step.whole("updates") / 2};
  step.formula("h heads of 32 / h numbers: 4 * 32^2 = 4096 in W_Q, W_K, W_V, W_O for every h");
  auto table = step.table(fmt::format("the same two questions; models: {}, updates: {} at most",
                                      seeds, options.updates),
                          {"width", "right", "lowest", "highest", "both"});
  auto& bars = step.picture(course::Bars("share of answers that are right, mean", {"right"}));
  std::vector<double> right;
  for (const std::int64_t heads : step.quick() ? std::vector<std::int64_t>{1, 2, 8, 32}
                                               : std::vector<std::int64_t>{1, 2, 4, 8, 16, 32}) {
    options.heads = heads;
    const LookupSpread found = lookup_over_seeds(step, options, seeds);
    const auto width = static_cast<double>(32 / heads);
    table.digits({0, 3, 3, 3, 3})
        .row(heads_text(heads),
             {width, found.each.mean, found.each.lowest, found.each.highest, found.all.mean});
    bars.digits(3).group(heads_text(heads), {found.each.mean});
    right.push_back(found.each.mean);
  }
  step.check("two heads do better than one and than 32",
             right[1] > right.front() && right[1] > right.back());
  step.why(
      "Parameters are the same, only the cut differs. A head of one number has scores q k: it "
      "cannot tell 16 keys apart. Counts cost width.");
  step.try_next(
      {"./gradwalk run 11 --set=updates=2000", "./gradwalk run 11 --claim=B45 --break=wide-heads"});
}

}  // namespace gradwalk::lesson_11
