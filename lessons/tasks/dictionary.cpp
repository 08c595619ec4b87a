#include "lessons/tasks/dictionary.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "autograd/cross_entropy.h"
#include "autograd/elementwise.h"
#include "autograd/join.h"
#include "autograd/layout.h"
#include "lessons/tasks/by_width.h"
#include "lessons/tasks/query_key_gain.h"
#include "lessons/tasks/training.h"
#include "tensor/compare.h"
#include "tensor/create.h"
#include "tensor/reduce.h"

namespace gradwalk::tasks {
namespace {

nn::EmbeddingOptions embedding() { return {.init = {nn::InitScheme::kNormal, 0.7}}; }

Tensor ids(const std::vector<double>& values, const Shape& shape) {
  return from_vector(values, shape, DType::kInt64);
}

}  // namespace

DictionaryBatch draw_dictionary(std::int64_t batch, const DictionarySizes& sizes,
                                Generator& generator) {
  if (sizes.entries < 1 || sizes.keys < sizes.entries || sizes.values < 1) {
    throw std::invalid_argument(
        fmt::format("draw_dictionary: expected keys >= entries >= 1 and values >= 1, got {}, {} "
                    "and {}",
                    sizes.keys, sizes.entries, sizes.values));
  }
  if (sizes.shift < 0 || sizes.shift >= sizes.keys) {
    throw std::invalid_argument(
        fmt::format("draw_dictionary: expected shift in [0, {}), got {}", sizes.keys, sizes.shift));
  }
  std::vector<double> keys, values, places, query, answer;
  std::vector<double> deck(static_cast<std::size_t>(sizes.keys));
  for (std::int64_t page = 0; page < batch; ++page) {
    std::iota(deck.begin(), deck.end(), 0.0);
    for (std::int64_t card = 0; card < sizes.entries; ++card) {
      const auto at = static_cast<std::size_t>(card);
      std::swap(deck[at], deck[at + static_cast<std::size_t>(generator.below(sizes.keys - card))]);
      keys.push_back(deck[at]);
      values.push_back(static_cast<double>(generator.below(sizes.values)));
    }
    const std::int64_t place = generator.below(sizes.entries);
    const auto asked = static_cast<std::size_t>(page * sizes.entries + place);
    places.push_back(static_cast<double>(place));
    const auto key = static_cast<std::int64_t>(keys[asked]);
    query.push_back(static_cast<double>((key + sizes.keys - sizes.shift) % sizes.keys));
    answer.push_back(values[asked]);
  }
  return {ids(keys, {batch, sizes.entries}), ids(values, {batch, sizes.entries}),
          ids(places, {batch}), ids(query, {batch}), ids(answer, {batch})};
}

DictionaryModel::DictionaryModel(const nn::Seed& seed, const Options& options)
    : options_(options),
      key_embedding_(options.sizes.keys, options.d_model, seed / "key_embedding", embedding()),
      value_embedding_(options.sizes.values, options.d_model, seed / "value_embedding",
                       embedding()),
      norm_(options.layer_norm ? std::make_unique<nn::LayerNorm>(options.d_model,
                                                                 nn::NormOptions{.learned = false})
                               : nullptr),
      mark_(1, options.d_model, seed / "mark", embedding()),
      attention_(options.d_model, seed / "attention", options.attention),
      readout_(options.d_model, options.sizes.values, seed / "readout",
               {.bias = false, .init = kByWidth}) {
  add_module("key_embedding", key_embedding_);
  add_module("value_embedding", value_embedding_);
  add_module("mark", mark_);
  add_module("attention", attention_);
  add_module("readout", readout_);
  multiply_query_key(*this, options.query_key_gain);
}

Variable DictionaryModel::inputs(const DictionaryBatch& batch) const {
  const Variable cards = key_embedding_(batch.keys) + value_embedding_(batch.values);
  const Variable question = key_embedding_(batch.query) + mark_.weight();
  const Variable x = concat({cards, unsqueeze(question, 1)}, /*axis=*/1);
  return norm_ ? (*norm_)(x) : x;
}

Variable DictionaryModel::operator()(const DictionaryBatch& batch,
                                     nn::AttentionTrace* trace) const {
  const Variable attended = attention_(inputs(batch), {.trace = trace});
  return readout_(select(attended, /*axis=*/1, /*index=*/-1));
}

std::vector<Variable> attention_and_readout(const DictionaryModel& model) {
  std::vector<Variable> parameters;
  for (const nn::NamedParameter& one : model.named_parameters()) {
    if (one.name.starts_with("attention.") || one.name.starts_with("readout.")) {
      parameters.push_back(one.variable);
    }
  }
  return parameters;
}

Training training_of(const DictionaryTraining& training) {
  return {.updates = training.steps,
          .lr = training.lr,
          .optimizer = training.optimizer,
          .until = training.until,
          .progress = training.progress};
}

std::vector<double> train_dictionary(const DictionaryModel& model,
                                     const std::vector<Variable>& parameters,
                                     const DictionaryTraining& training, Generator& pages) {
  return train(model, parameters, training_of(training), [&] {
    const DictionaryBatch batch = draw_dictionary(training.batch, model.options().sizes, pages);
    return cross_entropy(model(batch), batch.answer);
  });
}

double dictionary_accuracy(const DictionaryModel& model, std::int64_t batch, Generator& pages) {
  const NoGrad no_grad;
  const DictionaryBatch test = draw_dictionary(batch, model.options().sizes, pages);
  const Tensor guess = argmax(model(test).value(), /*axis=*/-1);
  const std::vector<double> right = equal(guess, test.answer).to_vector();
  return std::accumulate(right.begin(), right.end(), 0.0) / static_cast<double>(right.size());
}

}  // namespace gradwalk::tasks
