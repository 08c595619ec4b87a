#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "lessons/10_kv_cache/decoding.h"
#include "lessons/10_kv_cache/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/language_model.h"
#include "tensor/create.h"

namespace gradwalk::lesson_10 {
namespace {

using course::Evidence;
using course::Step;

}  // namespace

void same_words(Step& step) {
  const bool masked = !step.broken("no-mask");
  const std::int64_t seeds = step.whole("seeds");
  const std::int64_t updates = step.whole("updates");
  constexpr std::int64_t first = 8;
  const std::vector<std::int64_t> kv_heads = {4, 2, 1};
  std::vector<double> off(kv_heads.size()), off64(kv_heads.size());
  std::vector<double> kept(2),
      freed = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  std::vector<std::vector<double>> curves;
  Texts all;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const std::uint64_t own = step.seed() + 1000 * static_cast<std::uint64_t>(seed);
    for (std::size_t i = 0; i < kv_heads.size(); ++i) {
      const tasks::LanguageModelOptions options{.kv_heads = kv_heads[i], .causal = masked};
      const auto model = tasks::new_language_model(options, own);
      const Tensor text = words_of(tasks::test_text(options, own), 32);
      off[i] = std::max(off[i], course::distance(logits_one_by_one(*model, text),
                                                 tasks::logits_at_once(*model, text)));
      const auto exact = in_float64(*model);
      off64[i] = std::max(off64[i], course::distance(logits_one_by_one(*exact, text),
                                                     tasks::logits_at_once(*exact, text)));
      if (i > 0) continue;
      const auto with = moves_of_old_keys(*model, text, first);
      const auto without = moves_of_old_keys(*with_mask(*model, false), text, first);
      for (std::size_t l = 0; l < 2; ++l) {
        kept[l] = std::max(kept[l], *std::max_element(with[l].begin(), with[l].end()));
        freed[l] = std::min(freed[l], without[l].back());
      }
      if (seed == 0) curves = {with[1], without[1]};
    }
    const tasks::LanguageModelOptions options{.steps = updates};
    const auto trained =
        tasks::trained_language_model(options, own, [&](std::int64_t done, std::int64_t total) {
          step.progress("train", seed * total + done, seeds * total);
        });
    const Texts texts = write_twice(*with_mask(*trained.model, masked),
                                    std::span(tasks::test_text(options, own)).first(first));
    all.words += texts.words;
    all.equal += texts.equal;
    if (seed == 0) all.text = texts.text;
  }
  step.formula("a model stacks layers: what one answers, the next one reads");
  step.formula("layer 0: k and v of word t come from word t alone");
  step.formula("layer 1: from answers of layer 0, which know words 0 ... t (mask)");
  step.formula("so they stay, in every layer: keep them, append the new ones");
  step.formula("logits: one number for each of 40 words, how well it would go on");
  step.formula("kv heads: heads with keys and values; the 4 query heads share them");
  auto moves =
      step.table(fmt::format("how far K and V of the first {} words move while {} more are read",
                             first, 32 - first),
                 {"layer 0", "layer 1"});
  moves.digits({-1, -1})
      .row("with the mask", kept, fmt::format("most of {} models; a share of their size", seeds))
      .row("without the mask", freed, "least of them: old words hear new ones");
  step.table("logits with a cache against all at once: largest difference",
             {"4 kv heads", "2", "1"})
      .digits({-1, -1, -1})
      .row("float32", off, fmt::format("{} models, 32 words", seeds))
      .row("float64", off64, "rounding");
  step.predict("The cached model writes a text. How many words differ from the slow one's?",
               {"a few", "none"}, all.equal == all.words ? 1 : 0);
  step.number("words that are the same", static_cast<double>(all.equal),
              fmt::format("of {} x {}, the likeliest each time; {} given, then: {} ...", seeds,
                          all.words / std::max<std::int64_t>(seeds, 1), first, all.text));
  std::vector<double> lengths;
  for (std::size_t n = 0; n < curves[0].size(); ++n)
    lengths.push_back(static_cast<double>(first + static_cast<std::int64_t>(n)));
  step.picture(course::Curves(
                   "layer 1, first model: how far keys and values of the first 8 words have moved",
                   "words read"))
      .series("with the mask", lengths, curves[0])
      .series("without", lengths, curves[1]);
  const double worst = *std::max_element(off.begin(), off.end());
  const double moved = std::max(kept[0], kept[1]);
  const bool exact = worst < 1e-5 && moved < 1e-5 && all.equal == all.words && all.words > 0;
  step.claim("B17", Evidence::kTensor, /*cases=*/3 * 32 * seeds + all.words)
      .seeds(static_cast<int>(seeds))
      .as_stated(exact)
      .right(exact && freed[0] < 1e-5 && freed[1] > 0.05)
      .value(worst)
      .expected("cached = full; without the mask layer 1 moves > 0.05")
      .tolerance("1e-5: float32, where sums of 64 products follow each other")
      .found(fmt::format("off by {:.1g}, {} of {} words, unmasked layer 1 moves {:.2f}", worst,
                         all.equal, all.words, freed[1]));
  step.why(
      "The mask makes the past deaf to the future, so what was computed for a token stays "
      "right. Without it a cache would hold stale keys.");
  step.try_next({"./gradwalk run 10 --claim=B17 --break=no-mask",
                 "./gradwalk run 10 --claim=B17 --set=updates=0"});
}

}  // namespace gradwalk::lesson_10
