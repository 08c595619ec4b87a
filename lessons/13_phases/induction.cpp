#include "lessons/13_phases/induction.h"

#include <fmt/format.h>

#include <numeric>
#include <stdexcept>
#include <utility>

#include "autograd/cross_entropy.h"
#include "autograd/variable.h"
#include "lessons/tasks/by_width.h"
#include "lessons/tasks/head_targets.h"
#include "tensor/compare.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_13 {
namespace {

constexpr std::int64_t kTextsAnUpdate = 32;
constexpr double kNotCounted = -100;
// Queries of the first round do not count. @return  bool [B, T]
Tensor counted(const InductionBatch& texts) { return not_equal(texts.targets, kNotCounted); }

}  // namespace

InductionBatch draw_induction(std::int64_t batch, const InductionSizes& sizes,
                              Generator& generator) {
  if (sizes.shortest < 1 || sizes.longest < sizes.shortest || sizes.symbols < sizes.longest ||
      sizes.tokens <= sizes.longest) {
    throw std::invalid_argument(
        fmt::format("draw_induction: expected 1 <= shortest <= longest <= symbols and longest < "
                    "tokens, got {}, {}, {} and {}",
                    sizes.shortest, sizes.longest, sizes.symbols, sizes.tokens));
  }
  std::vector<double> rounds, inputs, targets;
  std::vector<double> symbols(static_cast<std::size_t>(sizes.symbols));
  for (std::int64_t text = 0; text < batch; ++text) {
    const std::int64_t round = sizes.shortest + generator.below(sizes.longest - sizes.shortest + 1);
    std::iota(symbols.begin(), symbols.end(), 0.0);
    for (std::int64_t i = 0; i < round; ++i) {
      const std::int64_t other = i + generator.below(sizes.symbols - i);
      std::swap(symbols[static_cast<std::size_t>(i)], symbols[static_cast<std::size_t>(other)]);
    }
    rounds.push_back(static_cast<double>(round));
    for (std::int64_t t = 0; t < sizes.tokens; ++t) {
      inputs.push_back(symbols[static_cast<std::size_t>(t % round)]);
      targets.push_back(t < round ? kNotCounted
                                  : symbols[static_cast<std::size_t>((t + 1) % round)]);
    }
  }
  const Shape shape = {batch, sizes.tokens};
  return {from_vector(rounds, {batch}, DType::kInt64), from_vector(inputs, shape, DType::kInt64),
          from_vector(targets, shape, DType::kInt64)};
}

Tensor after_earlier_match(const Tensor& inputs) {
  const std::int64_t batch = inputs.shape()[0], tokens = inputs.shape()[1];
  const std::vector<double> ids = inputs.to_vector();
  std::vector<double> found(static_cast<std::size_t>(batch * tokens * tokens), 0);
  for (std::int64_t text = 0; text < batch; ++text) {
    const auto at = [&](std::int64_t t) {
      return ids[static_cast<std::size_t>(text * tokens + t)];
    };
    for (std::int64_t query = 1; query < tokens; ++query) {
      for (std::int64_t key = 1; key <= query; ++key) {
        const std::int64_t place = (text * tokens + query) * tokens + key;
        if (at(key - 1) == at(query)) found[static_cast<std::size_t>(place)] = 1;
      }
    }
  }
  return from_vector(found, {batch, tokens, tokens}, DType::kBool);
}

std::unique_ptr<nn::CausalLm> new_induction_model(const InductionOptions& options,
                                                  const nn::Seed& seed) {
  nn::CausalLmOptions lm;
  lm.vocab_size = options.sizes.symbols;
  lm.d_model = options.d_model;
  lm.num_layers = options.layers;
  lm.max_positions = options.sizes.tokens;
  lm.tie_embeddings = false;
  lm.embedding = {.init = {nn::InitScheme::kNormal, 0.5}};
  lm.lm_head = tasks::kByWidth;
  lm.block.has_feed_forward = false;
  lm.block.attention = {.num_heads = options.heads,
                        .linear = {.bias = false, .init = tasks::kByWidth}};
  return std::make_unique<nn::CausalLm>(lm, seed);
}

std::vector<double> train_induction(nn::CausalLm& model, const InductionSizes& sizes,
                                    const tasks::Training& training, Generator& texts) {
  return tasks::train(model, model.parameters(), training, [&] {
    const InductionBatch batch = draw_induction(kTextsAnUpdate, sizes, texts);
    return cross_entropy(model(batch.inputs), batch.targets);
  });
}

InductionScore induction_score(nn::CausalLm& model, const InductionBatch& texts) {
  const NoGrad no_grad;
  std::vector<nn::AttentionTrace> traces;
  const Tensor guess =
      argmax(model(texts.inputs, {.traces = &traces}).value(), /*axis=*/-1);  // [B, T]
  const Tensor counts = counted(texts);
  const Tensor right = logical_and(equal(guess, texts.targets), counts);
  InductionScore score{
      .accuracy = sum(to(right, DType::kFloat64)).item() / sum(to(counts, DType::kFloat64)).item(),
      .previous = {},
      .after_match = {},
      .sharpest = {}};
  const std::int64_t batch = texts.inputs.shape()[0], tokens = texts.inputs.shape()[1];
  const Tensor rows = unsqueeze(counts, 2);  // [B, T, 1]
  const Tensor before = logical_and(tasks::previous_key(batch, tokens, 1), logical_not(rows));
  const Tensor match = logical_and(after_earlier_match(texts.inputs), rows);
  for (const nn::AttentionTrace& trace : traces) {
    const Tensor& weights = trace.weights.value();
    score.previous.push_back(tasks::weight_on(weights, before));
    score.after_match.push_back(tasks::weight_on(weights, match));
    const Tensor sharp = to(max(weights, /*axes=*/-1), DType::kFloat64);  // [B, H, T]
    const Tensor chosen = to(unsqueeze(counts, 1), DType::kFloat64);
    score.sharpest.push_back((sum(sharp * chosen, {0, 2}) / sum(chosen).item()).to_vector());
  }
  return score;
}

}  // namespace gradwalk::lesson_13
