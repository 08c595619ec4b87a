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
#include "lessons/course/pictures/bars.h"
#include "lessons/tasks/grammar.h"
#include "nn/statistics/summary.h"

namespace gradwalk::lesson_15 {
namespace {

using course::Evidence;
using course::Step;

constexpr std::int64_t kLongestLoop = 12;  // words: a sentence has 6 to 10

constexpr std::int64_t kInLoopBy = 20;  // words written, half of the 40 that there are

}  // namespace

void last_word(Step& step) {
  const bool sees_all = step.broken("sees-all");
  const std::int64_t texts = step.whole("texts");
  const std::vector<Writer> full = writers(step, false), last = writers(step, !sees_all);
  step.formula("last word only: no attention, no positions: x_t = E[w_t], logits = f(x_t)");
  step.formula("greedy: w_t+1 = argmax f(w_t) = g(w_t), a map of 40 words into themselves");
  step.formula("repeated = share of the 4 words in a row that stood in the same text before");
  auto table = step.table(fmt::format("{} texts of {} words each", texts, kWords),
                          {"repeated", "looping", "full: rep.", "full: loop.", "drawn, T=1"});
  double loops = 1, full_loops = 0, repeated = 1, full_repeated = 0, excess = -1, drawn_most = 0;
  std::vector<double> greedy_mean, full_mean, drawn_mean, real_mean;
  bool follows_map = true;
  for (std::size_t i = 0; i < last.size(); ++i) {
    const Tensor& greedy = texts_of(last[i], texts, 0);
    const Tensor& greedy_full = texts_of(full[i], texts, 0);
    const nn::Summary drawn = nn::summarize(repeated_share(texts_of(last[i], texts, kPlain)));
    const nn::Summary real = nn::summarize(repeated_share(real_texts(last[i], kRealTexts)));
    step.progress("write", static_cast<std::int64_t>(i) + 1, std::ssize(last));
    const double in_loop = share_in_loop(greedy, kInLoopBy, kLongestLoop);
    const double full_in_loop = share_in_loop(greedy_full, kInLoopBy, kLongestLoop);
    greedy_mean.push_back(repetition(greedy));
    full_mean.push_back(repetition(greedy_full));
    drawn_mean.push_back(drawn.mean);
    real_mean.push_back(real.mean);
    table.digits(3).row(fmt::format("seed {}", i),
                        {greedy_mean.back(), in_loop, full_mean.back(), full_in_loop, drawn.mean});
    loops = std::min(loops, in_loop);
    full_loops += full_in_loop / static_cast<double>(last.size());
    repeated = std::min(repeated, greedy_mean.back());
    full_repeated = std::max(full_repeated, full_mean.back());
    drawn_most = std::max(drawn_most, drawn.mean);
    excess = std::max(
        excess, drawn.mean - real.mean - 4 * std::hypot(drawn.standard_error, real.standard_error));
    follows_map = follows_map && follows(greedy, prompts_of(last[i], texts), next_words(last[i]));
  }
  const std::vector<std::int64_t> next = next_words(last[0]);
  auto graph =
      step.table("the map g of seed 0: its cycles", {"words in it", "words that end in it"});
  for (const Cycle& cycle : cycles_of(next)) {
    graph.digits(0).row(tasks::grammar_text(cycle.ids),
                        {static_cast<double>(cycle.ids.size()), static_cast<double>(cycle.basin)});
  }
  step.number("real text repeats", mean(real_mean), "what the grammar does by chance", 3);
  step.predict("A model sees the last word alone and takes the likeliest next. How does it end?",
               {"in a loop, always", "in a loop, mostly", "it goes on like the language"},
               loops == 1    ? 0
               : loops > 0.5 ? 1
                             : 2);
  step.picture(course::Bars("repeated, mean of the seeds", {"share"}))
      .digits(3)
      .group("last word, greedy", {mean(greedy_mean)})
      .group("full model, greedy", {mean(full_mean)})
      .group("last word, drawn at T=1", {mean(drawn_mean)})
      .group("real text", {mean(real_mean)});
  step.check("greedy text is the map, iterated", follows_map,
             fmt::format("{} words", std::ssize(last) * texts * kWords));
  step.claim("B54", Evidence::kTensor, /*cases=*/std::ssize(last) * texts)
      .seeds(static_cast<int>(last.size()))
      .as_stated(loops == 1)
      .right(loops == 1 && full_loops < 0.5 && repeated > full_repeated && excess <= 0)
      .value(loops)
      .expected("looping 1, full model < 0.5; drawn: no more than real text")
      .tolerance(fmt::format("all texts; 4 SE of two means, N={} and {}", texts, kRealTexts))
      .found(
          fmt::format("looping {:.2f}, full {:.2f}, drawn {:.3f}", loops, full_loops, drawn_most));
  step.why(
      "Nothing but the last word decides, and there are 40: after 40 words one has come twice, and "
      "from there on all is as before.");
  step.try_next({"./gradwalk run 15 --claim=B54 --break=sees-all",
                 "./gradwalk run 15 --claim=B54 --predict"});
}

}  // namespace gradwalk::lesson_15
