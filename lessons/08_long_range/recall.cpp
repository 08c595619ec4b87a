#include "lessons/08_long_range/recall.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "autograd/cross_entropy.h"
#include "autograd/elementwise.h"
#include "autograd/layout.h"
#include "nn/statistics/accuracy.h"
#include "tensor/create.h"

namespace gradwalk::lesson_08 {
namespace {

nn::Init usual(std::int64_t d_model) {
  return {nn::InitScheme::kUniform, 1 / std::sqrt(static_cast<double>(d_model))};
}

}  // namespace

RecallBatch draw_recall(std::int64_t batch, const RecallSizes& sizes, Generator& generator) {
  if (batch < 1 || sizes.symbols < 1 || sizes.distractors < 1 || sizes.length < 1) {
    throw std::invalid_argument(
        fmt::format("draw_recall: expected batch, symbols, distractors and length >= 1, got {}, "
                    "{}, {} and {}",
                    batch, sizes.symbols, sizes.distractors, sizes.length));
  }
  const std::int64_t place = sizes.symbol_last ? sizes.length - 1 : 0;
  std::vector<double> tokens, answers;
  for (std::int64_t row = 0; row < batch; ++row) {
    for (std::int64_t t = 0; t < sizes.length; ++t) {
      const bool symbol = t == place;
      const auto id =
          static_cast<double>(symbol ? generator.below(sizes.symbols)
                                     : sizes.symbols + generator.below(sizes.distractors));
      tokens.push_back(id);
      if (symbol) answers.push_back(id);
    }
  }
  return {from_vector(tokens, {batch, sizes.length}, DType::kInt64),
          from_vector(answers, {batch}, DType::kInt64)};
}

const char* name(Reader reader) {
  switch (reader) {
    case Reader::kRnn:
      return "RNN";
    case Reader::kOrthogonalRnn:
      return "orthogonal RNN";
    case Reader::kGru:
      return "GRU";
    case Reader::kAttention:
      break;
  }
  return "attention";
}

ReadingLayer::ReadingLayer(Reader reader, std::int64_t d_model, const nn::Seed& seed, DType dtype) {
  nn::RecurrentOptions options{.dtype = dtype};
  switch (reader) {
    case Reader::kOrthogonalRnn:
      options.hidden_init = nn::Init{nn::InitScheme::kOrthogonal, 1};
      [[fallthrough]];
    case Reader::kRnn:
      recurrent_ = std::make_unique<nn::Rnn>(d_model, d_model, seed / "rnn", options);
      break;
    case Reader::kGru:
      recurrent_ = std::make_unique<nn::Gru>(d_model, d_model, seed / "gru", options);
      break;
    case Reader::kAttention: {
      const nn::LinearOptions linear{.bias = false, .init = usual(d_model), .dtype = dtype};
      attention_ = std::make_unique<nn::MultiHeadAttention>(
          d_model, seed / "attention", nn::MultiHeadAttentionOptions{.linear = linear});
      add_module("attention", *attention_);
      return;
    }
  }
  add_module("recurrent", *recurrent_);
}

Variable ReadingLayer::operator()(const Variable& x) const {
  return select(attention_ ? (*attention_)(x) : (*recurrent_)(x), /*axis=*/1, /*index=*/-1);
}

RecallModel::RecallModel(Reader reader, const RecallSizes& sizes, const nn::Seed& seed,
                         std::int64_t d_model)
    : sizes_(sizes),
      embedding_(sizes.symbols + sizes.distractors, d_model, seed / "embedding",
                 {.init = {nn::InitScheme::kNormal, 1}}),
      positions_(sizes.length, d_model, seed / "positions", {.init = {nn::InitScheme::kNormal, 1}}),
      layer_(reader, d_model, seed / "layer"),
      readout_(d_model, sizes.symbols, seed / "readout", {.init = usual(d_model)}) {
  add_module("embedding", embedding_);
  add_module("positions", positions_);
  add_module("layer", layer_);
  add_module("readout", readout_);
}

Variable RecallModel::operator()(const Tensor& tokens) const {
  return readout_(layer_(embedding_(tokens) + positions_.weight()));
}

std::vector<double> train_recall(const RecallModel& model, std::int64_t batch,
                                 const tasks::Training& training, Generator& texts) {
  return tasks::train(model, model.parameters(), training, [&] {
    const RecallBatch drawn = draw_recall(batch, model.sizes(), texts);
    return cross_entropy(model(drawn.tokens), drawn.answer);
  });
}

double recall_accuracy(const RecallModel& model, std::int64_t batch, Generator& texts) {
  const NoGrad no_grad;
  const RecallBatch test = draw_recall(batch, model.sizes(), texts);
  return nn::accuracy(model(test.tokens).value(), test.answer);
}

}  // namespace gradwalk::lesson_08
