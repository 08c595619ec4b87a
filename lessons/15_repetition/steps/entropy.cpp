#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "lessons/15_repetition/repetition.h"
#include "lessons/15_repetition/steps/common.h"
#include "lessons/15_repetition/steps/steps.h"
#include "lessons/15_repetition/writers.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/bars.h"
#include "nn/statistics/rank_correlation.h"

namespace gradwalk::lesson_15 {
namespace {

using course::Evidence;
using course::Step;

}  // namespace

void entropy(Step& step) {
  const bool predictions = step.broken("predictions");
  const std::int64_t texts = step.whole("texts");
  const std::vector<Writer> all = writers(step, false);
  step.formula(
      "H = -sum_j w_j ln w_j of the row that a word was made from, mean of heads and words");
  step.formula("rho = Spearman(H, repeated) over the texts of one model at T = 0.1");
  auto table = step.table("nats", {"H, T=0", "H, T=1", "shift", "rho, T=0.1", "repeated less"});
  double shift_most = 0, shift_least = 1e9, rho_least = 1, rho_most = -1, change_mean = 0;
  std::vector<double> healthy, next_word_shift;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto measured = [&](std::int64_t count, double t) {
      WritingEntropy both = writing_entropy(all[i], count, t);
      next_word_shift.push_back(mean(both.next_word));
      return predictions ? both.next_word : both.attention;
    };
    const double looping = mean(measured(texts, 0));
    const double plain = mean(measured(texts, kPlain));
    const double rho = nn::spearman(measured(3 * texts, kCold),
                                    repeated_share(texts_of(all[i], 3 * texts, kCold)));
    const double change =
        repetition(texts_of(all[i], texts, 0)) - repetition(texts_of(all[i], texts, kPlain));
    step.progress("read", static_cast<std::int64_t>(i) + 1, std::ssize(all));
    table.digits(3).row(fmt::format("seed {}", i), {looping, plain, looping - plain, rho, change},
                        i == 0 ? "less: T=0 to T=1" : "");
    shift_most = std::max(shift_most, std::abs(looping - plain));
    shift_least = std::min(shift_least, std::abs(looping - plain));
    change_mean += change / static_cast<double>(all.size());
    rho_least = std::min(rho_least, rho);
    rho_most = std::max(rho_most, rho);
    healthy.push_back(plain);
  }
  const course::Spread spread = course::spread_of(healthy);
  step.number("H between healthy models", spread.highest - spread.lowest,
              "models of different seeds at T = 1 differ by this", 3);

  step.number("next word's own entropy", next_word_shift[1],
              "nats, T = 1, seed 0; at T = 0 it is 0: here it shows", 3);
  step.predict("Loops take over at T = 0. What does the entropy of attention do?",
               {"it collapses", "it rises to ln n", "hardly anything"},
               shift_most < 0.15 ? 2
               : healthy[0] > 1  ? 0
                                 : 1);
  step.picture(course::Bars("seed 0: nats", {"T = 0", "T = 1"}))
      .digits(2)
      .group("entropy of attention", {mean(writing_entropy(all[0], texts, 0).attention),
                                      mean(writing_entropy(all[0], texts, kPlain).attention)})
      .group("entropy of the next word", {next_word_shift[0], next_word_shift[1]});
  // A sign that all models share is what a diagnosis could go by.
  const bool one_sign = rho_most <= -0.35 || rho_least >= 0.35;
  step.claim("B53", Evidence::kTensor, /*cases=*/5 * texts * std::ssize(all))
      .seeds(static_cast<int>(all.size()))
      .as_stated(one_sign || shift_least >= 0.15)
      .right(!one_sign && shift_most < 0.15 && change_mean > 0.3)
      .value(shift_most)
      .expected("shift < 0.15 nats, no |rho| >= 0.35 of one sign, repetition changes by > 0.3")
      .tolerance(fmt::format("the bounds are the claim's; SE of rho {:.2f}, N={}",
                             1 / std::sqrt(3.0 * static_cast<double>(texts)), 3 * texts))
      .found(fmt::format("shift {:.3f}, rho {:.2f} to {:.2f}, repetition {:.2f}", shift_most,
                         rho_least, rho_most, change_mean));
  step.why(
      "Loops come from always taking the likeliest word. In them the maps of one model are a "
      "little sharper, those of the next a little flatter.");
  step.try_next({"./gradwalk run 15 --claim=B53 --break=predictions",
                 "./gradwalk run 15 --claim=B53 --predict"});
}

}  // namespace gradwalk::lesson_15
