#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lessons/15_repetition/steps/common.h"
#include "lessons/15_repetition/steps/steps.h"
#include "lessons/15_repetition/writers.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/grammar.h"

namespace gradwalk::lesson_15 {
namespace {

using course::Evidence;
using course::Step;

// The first words of a text, as many as fit into a note.
std::string beginning(const Tensor& texts, std::int64_t text, std::int64_t words) {
  std::vector<std::int64_t> ids;
  for (std::int64_t at = 0; at < words; ++at) {
    ids.push_back(static_cast<std::int64_t>(texts.at({text, at})));
  }
  return tasks::grammar_text(ids);
}

}  // namespace

void temperature(Step& step) {
  const bool upside_down = step.broken("upside-down");
  const std::int64_t texts = step.whole("texts");
  const std::vector<Writer> all = writers(step, false);
  std::vector<double> temperatures = {0, kCold, 0.3, 0.5, 0.7, kPlain, 1.5, 2};
  if (step.quick()) temperatures = {0, kCold, 0.3, kPlain, 2};
  step.formula("p(next word) = softmax(logits / T)      T = 0: the likeliest word");
  auto table = step.table("repeated 4 words, share of the text; how text 0 goes on", [&] {
    std::vector<std::string> columns;
    for (std::size_t i = 0; i < all.size(); ++i) columns.push_back(fmt::format("seed {}", i));
    return columns;
  }());
  std::vector<double> means, cold(all.size()), plain(all.size()), real;
  std::int64_t written = 0;
  for (const double t : temperatures) {
    std::vector<double> repeated;
    std::string text;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Tensor& words = texts_of(all[i], texts, upside_down && t > 0 ? 1 / t : t);
      repeated.push_back(repetition(words));
      if (i == 0) text = beginning(words, 0, 7);
      if (t == kCold) cold[i] = repeated.back();
      if (t == kPlain) plain[i] = repeated.back();
      step.progress("write", ++written, std::ssize(temperatures) * std::ssize(all));
    }
    table.digits(3).row(fmt::format("T = {}", t), repeated, text + " ...");
    means.push_back(mean(repeated));
  }
  for (const Writer& writer : all) real.push_back(repetition(real_texts(writer, kRealTexts)));
  table.row("real text", real);
  step.picture(course::Curves("repeated, mean of the seeds", "temperature T of the draw"))
      .series("model", temperatures, means)
      .series("real text", {temperatures.front(), temperatures.back()}, {mean(real), mean(real)});
  double least = 1, most = -1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    least = std::min(least, cold[i] - plain[i]);
    most = std::max(most, cold[i] - plain[i]);
  }
  step.predict("The text repeats itself. Which way to turn the temperature?", {"down", "up"},
               least > 0 ? 1 : 0);
  step.number("repeated, T = 0.1 less T = 1", least, "the seed with the least; > 0.05: up helps",
              3);
  step.claim("B55", Evidence::kTensor, /*cases=*/2 * std::ssize(all) * texts)
      .seeds(static_cast<int>(all.size()))
      .as_stated(most < 0)
      .right(least > 0.05)
      .value(least)
      .expected("T = 0.1 repeats more than T = 1 by > 0.05, every seed")
      .tolerance("the bound is the claim's; all seeds must pass it")
      .found(fmt::format("more by {:.3f} to {:.3f}", least, most));
  step.why(
      "A low temperature takes the likeliest word more often, and that is the greedy map again. "
      "Against loops turn it up, not down.");
  step.try_next({"./gradwalk run 15 --claim=B55 --break=upside-down",
                 "./gradwalk run 15 --claim=B55 --predict"});
}

}  // namespace gradwalk::lesson_15
