#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lessons/09_causal_mask/leak.h"
#include "lessons/09_causal_mask/steps/common.h"
#include "lessons/09_causal_mask/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/language_model.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/minmax.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_09 {
namespace {

using course::Evidence;
using course::Step;

constexpr std::int64_t kWrittenWords = 24;

}  // namespace

void at_once_or_word_by_word(Step& step) {
  const bool masked = !step.broken("no-mask");
  const std::int64_t seeds = step.whole("seeds");
  step.formula("at once: all n words go in, row t says how word t + 1 may go on");
  step.formula("word by word: words 0 ... t alone go in; the last row counts");
  step.formula("masked: row t sees words 0 ... t only, so both must agree");
  auto table = step.table(
      fmt::format("{} words, 2 layers, logits at once against word by word", kWrittenWords),
      {"masked", "open", "same word, masked", "same word, open"});
  double most_masked = 0, least_open = kInfinity;
  std::vector<std::vector<double>> curves;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const std::uint64_t own = nth_seed(step, seed);
    std::vector<double> off, same;
    for (const bool causal : {masked, false}) {
      const auto model = tasks::new_language_model({.causal = causal}, own);
      const Tensor text =
          select(tasks::text_windows(tasks::test_text({}, own), kWrittenWords, 1).inputs, 0, 0);
      const Tensor once = tasks::logits_at_once(*model, text);
      const Tensor steps = stepwise_logits(*model, text);
      off.push_back(course::distance(once, steps));
      if (seed == 0) curves.push_back(max(abs(once - steps), -1).to_vector());
      same.push_back(sum(to(equal(argmax(once, -1), argmax(steps, -1)), DType::kInt64)).item());
    }
    most_masked = std::max(most_masked, off[0]);
    least_open = std::min(least_open, off[1]);
    table.digits({-1, 2, 0, 0})
        .row(fmt::format("model {}", seed), {off[0], off[1], same[0], same[1]});
  }
  step.predict("A model without a mask reads 24 words at once. Same logits as word by word?",
               {"yes", "no"}, least_open < 1e-5 ? 0 : 1);
  step.picture(course::Curves("model 0: largest difference of a logit, by word",
                              "word (the last sees no future)"))
      .series("masked", curves[0])
      .series("open", curves[1]);
  step.claim("B14", Evidence::kTensor, seeds * kWrittenWords)
      .seeds(static_cast<int>(seeds))
      .as_stated(least_open < 1e-5)
      .right(most_masked < 1e-5 && least_open > 0.1)
      .value(most_masked)
      .expected("masked < 1e-5; open > 0.1")
      .tolerance("1e-5: float32, sums of 64 products and 4 layers of them")
      .found(fmt::format("masked {:.1g} apart, open {:.2g}", most_masked, least_open));
  step.why(
      "In writing the future does not exist: there is nothing to hide. Training has the whole "
      "text, so there each row must be masked to fit.");
  step.try_next(
      {"./gradwalk run 9 --claim=B14 --break=no-mask", "./gradwalk run 9 --claim=B14 --predict"});
}

}  // namespace gradwalk::lesson_09
