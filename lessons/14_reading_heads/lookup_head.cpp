#include "lessons/14_reading_heads/lookup_head.h"

#include <fmt/format.h>

#include "autograd/cross_entropy.h"
#include "lessons/tasks/dictionary.h"
#include "lessons/tasks/training.h"
#include "nn/statistics/accuracy.h"
#include "tensor/elementwise.h"
#include "tensor/gather.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_14 {
namespace {

constexpr std::int64_t kTrainPages = 32, kTestPages = 512;

tasks::DictionaryBatch draw(std::int64_t pages, bool same_values, Generator& generator) {
  tasks::DictionaryBatch batch = tasks::draw_dictionary(pages, {}, generator);
  if (same_values) batch.values = expand(unsqueeze(batch.answer, 1), batch.values.shape());
  return batch;
}

}  // namespace

LookupHead lookup_head(const nn::Seed& seed, Generator pages, const LookupHeadOptions& options) {
  const tasks::DictionaryModel model(seed, {});
  tasks::train(model, model.parameters(),
               {.updates = options.updates, .progress = options.progress}, [&] {
                 const tasks::DictionaryBatch batch = draw(kTrainPages, options.same_values, pages);
                 return cross_entropy(model(batch), batch.answer);
               });
  const NoGrad no_grad;
  const tasks::DictionaryBatch test = draw(kTestPages, options.same_values, pages);
  nn::AttentionTrace trace;
  const Tensor logits = model(test, &trace).value();
  const auto of_question = [](const Variable& all) {
    return select(squeeze(all.value(), 1), 1, -1);  // [B, E + 1]
  };
  const Tensor weights = of_question(trace.weights);
  const Tensor asked = take_along_axis(weights, unsqueeze(test.places, 1), 1);
  LookupHead head{.accuracy = nn::accuracy(logits, test.answer),
                  .largest = mean(max(weights, 1)).item(),
                  .on_answer = mean(asked).item(),
                  .scores = select(of_question(trace.scaled_scores), 0, 0),
                  .weights = select(weights, 0, 0),
                  .cards = {}};
  for (std::int64_t card = 0; card < test.keys.shape()[1]; ++card) {
    head.cards.push_back(fmt::format("{}={}{}", test.keys.at({0, card}), test.values.at({0, card}),
                                     test.places.at({0}) == static_cast<double>(card) ? " !" : ""));
  }
  head.cards.push_back("?");
  return head;
}

}  // namespace gradwalk::lesson_14
