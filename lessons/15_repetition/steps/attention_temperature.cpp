#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "lessons/15_repetition/steps/common.h"
#include "lessons/15_repetition/steps/steps.h"
#include "lessons/15_repetition/writers.h"
#include "lessons/course/engine/measure.h"
#include "lessons/tasks/language_model.h"

namespace gradwalk::lesson_15 {
namespace {

using course::Step;

}  // namespace

void attention_temperature(Step& step) {
  const std::int64_t texts = step.whole("texts");
  const std::vector<Writer> all = writers(step, false);
  step.formula(
      "weights = softmax(scores / tau) in every head, after training; words drawn at T = 0.5");
  auto table = step.table("mean of the seeds", {"repeated", "lowest", "highest", "loss, nats"});
  std::vector<double> losses(all.size(), 1e9), plain_losses(all.size());
  std::vector<double> taus = {0.25, 0.5, 1, 2, 4}, repeated_means;
  if (step.quick()) taus = {0.25, 1, 4};
  std::int64_t written = 0;
  for (const double tau : taus) {
    std::vector<double> repeated, loss;
    for (std::size_t i = 0; i < all.size(); ++i) {
      Writer writer = all[i];
      writer.attention_temperature = tau;
      repeated.push_back(repetition(texts_of(writer, texts, 0.5)));
      const tasks::LanguageModelOptions options = options_of(writer);
      loss.push_back(tasks::language_model_loss(
          *model_of(writer), std::span(tasks::test_text(options, writer.seed)).first(8000),
          options.context));
      if (tau == 1) plain_losses[i] = loss.back();
      losses[i] = std::min(losses[i], loss.back());
      step.progress("write", ++written, std::ssize(taus) * std::ssize(all));
    }
    const course::Spread spread = course::spread_of(repeated);
    repeated_means.push_back(spread.mean);
    table.digits(3).row(fmt::format("tau = {}", tau),
                        {spread.mean, spread.lowest, spread.highest, mean(loss)},
                        tau == 1 ? "as trained" : "");
  }
  const double cold = mean(repeated_means);
  step.number("repeated, all tau", cold, "at T = 0.1 of the draw it is several times as much", 3);
  step.check("the loss is lowest at tau = 1, every seed", losses == plain_losses,
             "the scores were learned for this softmax");
  step.why(
      "The softmax inside attention chooses where to look, not what to say: another temperature "
      "there spoils the model and leaves loops alone.");
  step.try_next({"./gradwalk run 15 --from=3 --seed=2"});
}

}  // namespace gradwalk::lesson_15
