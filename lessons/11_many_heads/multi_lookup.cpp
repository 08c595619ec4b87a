#include "lessons/11_many_heads/multi_lookup.h"

#include <fmt/format.h>

#include <numeric>
#include <stdexcept>
#include <utility>

#include "autograd/cross_entropy.h"
#include "autograd/elementwise.h"
#include "autograd/join.h"
#include "autograd/layout.h"
#include "autograd/reduce.h"
#include "lessons/tasks/query_key_gain.h"
#include "lessons/tasks/training.h"
#include "tensor/compare.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/gather.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_11 {
namespace {

nn::EmbeddingOptions embedding() { return {.init = {nn::InitScheme::kNormal, 0.7}}; }

// `questions` different cards for each page.
Tensor draw_places(std::int64_t batch, std::int64_t questions, std::int64_t entries,
                   Generator& generator) {
  std::vector<double> places;
  std::vector<double> deck(static_cast<std::size_t>(entries));
  for (std::int64_t page = 0; page < batch; ++page) {
    std::iota(deck.begin(), deck.end(), 0.0);
    for (std::int64_t question = 0; question < questions; ++question) {
      const auto at = static_cast<std::size_t>(question);
      std::swap(deck[at], deck[at + static_cast<std::size_t>(generator.below(entries - question))]);
      places.push_back(deck[at]);
    }
  }
  return from_vector(places, {batch, questions}, DType::kInt64);
}

}  // namespace

MultiLookupBatch draw_multi_lookup(std::int64_t batch, std::int64_t questions,
                                   const tasks::DictionarySizes& sizes, Generator& generator) {
  if (questions < 1 || questions > sizes.entries) {
    throw std::invalid_argument(
        fmt::format("draw_multi_lookup: expected 1 <= questions <= entries, got {} and {}",
                    questions, sizes.entries));
  }
  tasks::DictionaryBatch page = draw_dictionary(batch, sizes, generator);
  const Tensor places = draw_places(batch, questions, sizes.entries, generator);
  const Tensor queries = take_along_axis(page.keys, places, 1);
  const Tensor answers = take_along_axis(page.values, places, 1);
  return {std::move(page.keys), std::move(page.values), places, queries, answers};
}

MultiLookupModel::MultiLookupModel(const nn::Seed& seed, const Options& options)
    : options_(options),
      key_embedding_(options.dictionary.sizes.keys, options.dictionary.d_model,
                     seed / "key_embedding", embedding()),
      value_embedding_(options.dictionary.sizes.values, options.dictionary.d_model,
                       seed / "value_embedding", embedding()),
      query_embedding_(options.questions * options.dictionary.sizes.keys,
                       options.dictionary.d_model, seed / "query_embedding", embedding()),
      mark_(1, options.dictionary.d_model, seed / "mark", embedding()),
      attention_(options.dictionary.d_model, seed / "attention", options.dictionary.attention),
      readout_(options.dictionary.d_model, options.questions * options.dictionary.sizes.values,
               seed / "readout", {.bias = false, .init = {nn::InitScheme::kKaimingNormal, 1}}) {
  add_module("key_embedding", key_embedding_);
  add_module("value_embedding", value_embedding_);
  add_module("query_embedding", query_embedding_);
  add_module("mark", mark_);
  add_module("attention", attention_);
  add_module("readout", readout_);
  tasks::multiply_query_key(*this, options.dictionary.query_key_gain);
}

MultiLookupBatch MultiLookupModel::draw(std::int64_t batch, Generator& generator) const {
  return draw_multi_lookup(batch, options_.questions, options_.dictionary.sizes, generator);
}

Variable MultiLookupModel::operator()(const MultiLookupBatch& batch,
                                      nn::AttentionTrace* trace) const {
  const tasks::DictionarySizes& sizes = options_.dictionary.sizes;
  const std::int64_t questions = options_.questions;
  const Variable cards = key_embedding_(batch.keys) + value_embedding_(batch.values);
  // Question n reads its own part of the table.
  const Tensor first_row = arange(0, questions) * static_cast<double>(sizes.keys);      // [N]
  const Variable asked = sum(query_embedding_(batch.queries + first_row), /*axis=*/1);  // [B, D]
  const Variable x = concat({cards, unsqueeze(asked + mark_.weight(), 1)}, /*axis=*/1);
  const Variable attended = select(attention_(x, {.trace = trace}), /*axis=*/1, /*index=*/-1);
  return reshape(readout_(attended), {batch.keys.shape()[0], questions, sizes.values});
}

std::vector<double> train_multi_lookup(const MultiLookupModel& model,
                                       const tasks::DictionaryTraining& training,
                                       Generator& pages) {
  return tasks::train(model, model.parameters(), training_of(training), [&] {
    const MultiLookupBatch batch = model.draw(training.batch, pages);
    return cross_entropy(model(batch), batch.answers);
  });
}

MultiLookupScore multi_lookup_score(const MultiLookupModel& model, std::int64_t batch,
                                    Generator& pages) {
  const NoGrad no_grad;
  const MultiLookupBatch test = model.draw(batch, pages);
  const Tensor guess = argmax(model(test).value(), /*axis=*/-1);  // [B, N]
  const Tensor right = to(equal(guess, test.answers), DType::kFloat64);
  const Tensor any = equal(unsqueeze(guess, 2), unsqueeze(test.answers, 1));  // [B, N, N]
  return {.each = mean(right).item(),
          .all = mean(min(right, 1)).item(),
          .set = mean(max(to(any, DType::kFloat64), 2)).item()};
}

}  // namespace gradwalk::lesson_11
