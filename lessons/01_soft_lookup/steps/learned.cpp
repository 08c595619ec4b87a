#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/variable.h"
#include "lessons/01_soft_lookup/steps/steps.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/dictionary.h"
#include "lessons/tasks/training.h"
#include "nn/attention.h"
#include "nn/seed.h"
#include "tensor/create.h"
#include "tensor/layout.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"

namespace gradwalk::lesson_01 {
namespace {

using course::Explain;
using course::Step;

}  // namespace

void learned(Step& step) {
  const std::int64_t seeds = step.whole("seeds");
  const int updates = static_cast<int>(step.whole("updates"));
  const std::vector<std::string> places = {"card 0", "card 1", "card 2", "card 3",  "card 4",
                                           "card 5", "card 6", "card 7", "question"};
  step.formula("x_j = key_j + value_j      x_8 = key asked for + question mark      x[9,32]");
  step.formula("logits = W_R attention(x)_8      one score for each of 16 values; one head of 32");
  step.formula("loss = -ln softmax(logits)[right value], in nats, mean of 32 pages");
  auto table =
      step.table("after training on fresh pages", {"right", "updates to 0.7 nats", "last loss"});
  auto& curves = step.picture(course::Curves("loss in nats, mean of 20 updates", "update"));
  double fewest_right = 1;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const nn::Seed model_seed = nn::Seed(step.seed()) / fmt::format("soft_lookup/model {}", seed);
    const tasks::DictionaryModel model(model_seed, {});
    Generator pages = step.generator(fmt::format("pages {}", seed));
    const std::vector<double> losses = train_dictionary(
        model, model.parameters(),
        {.steps = updates, .progress = step.training_progress(seed, seeds, updates)}, pages);
    const double right = dictionary_accuracy(model, /*batch=*/512, pages);
    fewest_right = std::min(fewest_right, right);
    table.digits({3, 0, 3}).row(
        fmt::format("seed {}", seed),
        {right, static_cast<double>(tasks::steps_below(losses, 0.7)), losses.back()},
        seed == 0 ? "at first: 1 in 16, ln 16 = 2.77" : "");
    if (seed > 0) continue;
    curves.series("seed 0", tasks::moving_mean(losses));
    const NoGrad no_grad;
    nn::AttentionTrace trace;
    const tasks::DictionaryBatch page = draw_dictionary(1, model.options().sizes, pages);
    model(page, &trace);
    const auto last_row = [](const Variable& map) {
      return select(select(select(map.value(), 0, 0), 0, 0), 0, 8);
    };
    step.tensor("s", last_row(trace.masked_scores))
        .axes("place")
        .rows(places)
        .explain(Explain::given("scores of the question, from the trained layer"));
    step.tensor("w", last_row(trace.weights))
        .axes("place")
        .rows(places)
        .explain(Explain::softmax("s"));
    auto& bars = step.picture(course::Bars(
        fmt::format("where the question looks; card {} has its key", page.places.at({0})),
        {"weight"}));
    for (std::int64_t at = 0; at < 9; ++at) {
      bars.group(places[std::size_t(at)], {last_row(trace.weights).at({at})});
    }
  }
  step.number("answered right, worst seed", fewest_right, "of 512 fresh pages", 3);
  step.check("every seed answers at least 99 % right", fewest_right > 0.99);
  step.why(
      "Nobody told the model to compare keys: descent on the loss alone makes the question "
      "look at the card that answers it.");
  step.try_next(
      {"./gradwalk run 1 --sweep=updates=50:400:x2", "./gradwalk run 1 --from=7 --seed=2"});
}

}  // namespace gradwalk::lesson_01
