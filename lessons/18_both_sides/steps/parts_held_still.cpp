#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "lessons/18_both_sides/model_change.h"
#include "lessons/18_both_sides/models.h"
#include "lessons/18_both_sides/steps/steps.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/bars.h"

namespace gradwalk::lesson_18 {
namespace {

using course::Step;

double turned(const ModelChange& m) { return m.turned; }

const char* note(const Movers& movers) {
  if (movers.table && movers.key && !movers.query) return "e_CLS still turns q";
  if (!movers.table && !movers.key && !movers.query) return "guessing: 0.067 right; even w: 0.111";
  return "";
}

}  // namespace

void parts_held_still(Step& step) {
  const std::int64_t models = step.whole("seeds"), updates = step.whole("updates");
  step.formula("asked: the largest of 2 to 4 numbers among 8 tokens (lesson 17)");
  step.formula("q = W_Q e_CLS [8]      k_t = W_K e_t [8]      z_t = q.k_t / sqrt(8)");
  step.formula("e [33,16]: the table of embeddings; it is in q and in every k");
  step.formula("gap = mean cos(q, k) of the numbers - mean cos(q, k) of the nouns");
  step.formula("rho: 1 if the scores of the numbers are in the order of worth");
  step.formula("turn: angle between q as it began and q trained, degrees");
  auto table = step.table(fmt::format("what of e, W_Q, W_K moves; values and readout always do; "
                                      "means of {} models",
                                      models),
                          {"right", "w answer", "gap", "rho", "turn"});
  auto& bars = step.picture(course::Bars("gap by what moves", {"gap"}));
  double with_table = INFINITY;  // lowest gap of any model in which e moves
  for (const Movers& movers : all_movers()) {
    const auto found = model_changes(step, training_of(movers, updates), models);
    const double mean_gap = mean_of(found, gap);
    table.digits({3, 3, 2, 2, 0})
        .row(name(movers),
             {mean_of(found, right), mean_of(found, on_answer), mean_gap, mean_of(found, rho),
              mean_of(found, turned)},
             note(movers));
    bars.digits(2).group(name(movers), {mean_gap});
    if (movers.table) with_table = std::min(with_table, course::spread_of(each(found, gap)).lowest);
  }
  const auto gap_of = [&](const Movers& movers) {
    return mean_of(model_changes(step, training_of(movers, updates), models), gap);
  };
  const double all = gap_of({true, true, true}), query_held = gap_of({true, false, true});
  const double query_alone = gap_of({false, true, false});
  const double keys_alone = gap_of({false, false, true});
  step.predict("W_Q is held still all the time. How much of the gap comes about?",
               {"nearly none", "about half", "nearly all of it"},
               query_held > 0.8 * all   ? 2
               : query_held > 0.2 * all ? 1
                                        : 0);
  step.check("gap > 0.5 in every model in which e moves", with_table > 0.5,
             fmt::format("lowest {:.2f}", with_table));
  step.check("W_K alone gets further than W_Q alone, which gets less than half way",
             keys_alone > query_alone && query_alone < 0.5 * all,
             fmt::format("{:.2f} and {:.2f} of {:.2f}, means", keys_alone, query_alone, all));
  step.why(
      "Whatever moves brings q and keys together. W_Q alone gets least far: it turns one q, but "
      "takes no key away from another.");
  step.try_next({"./gradwalk run 18 --from=3 --predict", "./gradwalk run 18 --claim=A10"});
}

}  // namespace gradwalk::lesson_18
