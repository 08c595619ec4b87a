#include "lessons/14_reading_heads/readers.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "autograd/backward.h"
#include "autograd/cross_entropy.h"
#include "lessons/course/engine/memo.h"
#include "lessons/tasks/basis.h"
#include "lessons/tasks/head_weights.h"
#include "nn/diagnostics/cosine.h"
#include "nn/diagnostics/divergence.h"
#include "nn/statistics/rank_correlation.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/inplace.h"
#include "tensor/join.h"
#include "tensor/layout.h"
#include "tensor/minmax.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"

namespace gradwalk::lesson_14 {
namespace {

constexpr std::int64_t kWindows = 200, kFewWindows = 64;
constexpr std::int64_t kWords = 24, kFirstQuery = 8;  // earlier ones have little to choose from

nn::TokenBatch windows_of(const LanguageReader& reader, std::int64_t words, std::int64_t count) {
  return tasks::text_windows(tasks::test_text(options_of(reader), reader.seed), words, count);
}

// Layers side by side, in front: [L, ...].
template <class Part>
Tensor of_layers(const std::vector<nn::AttentionTrace>& traces, Part part) {
  std::vector<Tensor> parts;
  for (const nn::AttentionTrace& trace : traces) parts.push_back(unsqueeze(part(trace), 0));
  return concat(parts, /*axis=*/0);
}

Tensor weights_of(const std::vector<nn::AttentionTrace>& traces) {
  return of_layers(traces, [](const auto& trace) { return to(trace.weights.value(), kF64); });
}

WeightAndEffect measure(nn::CausalLm& model, const Tensor& words, const course::Step& step) {
  const NoGrad no_grad;
  std::vector<nn::AttentionTrace> traces;
  const auto prediction = [](const Variable& logits) {
    return softmax(to(select(logits.value(), 1, -1), kF64), /*axis=*/-1);  // [N, 40]
  };
  const Tensor whole = prediction(model(words, {.traces = &traces}));
  const Tensor weights = mean(select(weights_of(traces), 3, -1), {0, 2});  // [N, 24]
  std::vector<Tensor> effects;
  for (std::int64_t at = 0; at < kWords; ++at) {
    const Tensor seen = ones(words.shape(), DType::kBool);
    fill(select(seen, 1, at), 0);
    effects.push_back(unsqueeze(
        nn::kl_divergence(whole, prediction(model(words, {.key_padding_mask = seen}))), 1));
    step.progress("hide words", at + 1, kWords);
  }
  return {words, weights, concat(effects, /*axis=*/1)};
}

// Mean of the numbers that stand at words of a kind, both [N, T].
ByKind mean_by_kind(const Tensor& words, const Tensor& numbers) {
  const std::vector<double> ids = words.to_vector(), x = numbers.to_vector();
  ByKind sums{}, counts{};
  for (std::size_t at = 0; at < ids.size(); ++at) {
    const auto kind =
        static_cast<std::size_t>(tasks::grammar_kind(static_cast<std::int64_t>(ids[at])));
    sums[kind] += x[at];
    ++counts[kind];
  }
  for (std::size_t kind = 0; kind < sums.size(); ++kind) sums[kind] /= counts[kind];
  return sums;
}

}  // namespace

tasks::LanguageModelOptions options_of(const LanguageReader& reader) {
  tasks::LanguageModelOptions options;
  options.layers = reader.layers;
  options.steps = reader.updates;
  return options;
}

std::unique_ptr<nn::CausalLm> model_of(const course::Step& step, const LanguageReader& reader) {
  tasks::LanguageModelOptions options = options_of(reader);
  const auto progress = [&step](std::int64_t done, std::int64_t total) {
    step.progress("train a language model", done, total);
  };
  auto trained = tasks::trained_language_model(options, reader.seed, progress).model;
  if (!reader.even_maps) return trained;
  options.scale = 0;
  auto even = tasks::new_language_model(options, reader.seed);
  even->load_state_dict(trained->state_dict());
  return even;
}

QueryKeyMeasures query_key_measures(nn::CausalLm& model, const LanguageReader& reader) {
  const NoGrad no_grad;
  const tasks::LanguageModelOptions options = options_of(reader);
  const auto words = static_cast<std::size_t>(kWindows * options.context + 1);
  const auto& text = tasks::test_text(options, reader.seed);
  std::vector<nn::AttentionTrace> traces;
  model(windows_of(reader, options.context, kFewWindows).inputs, {.traces = &traces});
  return {
      .loss = tasks::language_model_loss(model, std::span(text).first(words), options.context),
      .cosines = of_layers(traces,
                           [](const auto& trace) {
                             const Tensor each = nn::cosine(trace.query.value(), trace.key.value());
                             return reshape(permute(each, {1, 0, 2}), {each.shape()[1], -1});
                           }),
      .query_length =
          mean(of_layers(traces, [](const auto& trace) { return nn::length(trace.query.value()); }))
              .item(),
      .weights = weights_of(traces)};
}

void change_basis(nn::CausalLm& model, const Tensor& r) {
  const nn::CausalLmOptions& options = model.options();
  for (std::int64_t layer = 0; layer < options.num_layers; ++layer) {
    for (std::int64_t head = 0; head < options.block.attention.num_heads; ++head) {
      const tasks::HeadWeights weights = tasks::head_weights(model, layer, head);
      const tasks::QueryKey other = tasks::in_basis({weights.query, weights.key}, r);
      copy_into(weights.query, other.query);
      copy_into(weights.key, other.key);
    }
  }
}

const WeightAndEffect& weight_and_effect(const course::Step& step, const LanguageReader& reader,
                                         std::int64_t windows) {
  static course::Memo<std::tuple<LanguageReader, std::int64_t>, WeightAndEffect> memo;
  return memo({reader, windows}, [&] {
    return measure(*model_of(step, reader), windows_of(reader, kWords, windows).inputs, step);
  });
}

Agreement order_agreement(const Tensor& a, const Tensor& b) {
  const std::int64_t queries = a.shape()[0];
  Agreement found{0, 0};
  for (std::int64_t query = 0; query < queries; ++query) {
    const std::vector<double> of_a = select(a, 0, query).to_vector();
    const std::vector<double> of_b = select(b, 0, query).to_vector();
    const auto first = [](const std::vector<double>& x) {
      return std::max_element(x.begin(), x.end()) - x.begin();
    };
    found.spearman += nn::spearman(of_a, of_b) / static_cast<double>(queries);
    found.first += (first(of_a) == first(of_b) ? 1.0 : 0.0) / static_cast<double>(queries);
  }
  return found;
}

Agreement agreement_with_gradient(const course::Step& step, const LanguageReader& reader) {
  const auto model = model_of(step, reader);
  const nn::TokenBatch windows = windows_of(reader, kWords, kFewWindows);
  std::vector<nn::AttentionTrace> traces;
  const Variable logits = (*model)(windows.inputs, {.traces = &traces});
  const Variable& weights = traces.back().weights;  // [B, H, 24, 24]
  weights.retain_grad();
  backward(cross_entropy(logits, windows.targets));
  const Tensor pull = abs(weights.value() * weights.grad());
  Agreement found{0, 0};
  for (std::int64_t query = kFirstQuery; query < kWords; ++query) {
    const auto rows = [&](const Tensor& map) {
      return reshape(slice(select(map, 2, query), 2, 0, query + 1), {-1, query + 1});
    };
    const Agreement one = order_agreement(rows(weights.value()), rows(pull));
    found.spearman += one.spearman / static_cast<double>(kWords - kFirstQuery);
    found.first += one.first / static_cast<double>(kWords - kFirstQuery);
  }
  return found;
}

ByKind weight_by_kind(const course::Step& step, const LanguageReader& reader) {
  const auto model = model_of(step, reader);
  const std::int64_t words = options_of(reader).context;
  const Tensor ids = windows_of(reader, words, kWindows).inputs;
  const NoGrad no_grad;
  std::vector<nn::AttentionTrace> traces;
  (*model)(ids, {.traces = &traces});
  const Tensor maps = mean(weights_of(traces), {0, 2});  // [N, T, T]
  // Times t + 1, and the sum over the queries that count: what each key got, [N, T].
  const Tensor even = unsqueeze(to(arange(1, words + 1), kF64), 1);
  const Tensor got = sum(slice(maps * even, 1, kFirstQuery, words), 1);
  // From so many queries a key is seen.
  const Tensor seen = minimum(static_cast<double>(words) - to(arange(0, words), kF64),
                              full({1}, static_cast<double>(words - kFirstQuery), kF64));
  const ByKind sums = mean_by_kind(ids, got), counts = mean_by_kind(ids, expand(seen, ids.shape()));
  ByKind shares{};
  for (std::size_t kind = 0; kind < shares.size(); ++kind) shares[kind] = sums[kind] / counts[kind];
  return shares;
}

ByKind effect_by_kind(const WeightAndEffect& found) {
  return mean_by_kind(found.words, found.effects);
}

ByKind text_by_kind(const LanguageReader& reader) {
  ByKind shares{};
  const auto& text = tasks::test_text(options_of(reader), reader.seed);
  for (const std::int64_t id : text) {
    shares[static_cast<std::size_t>(tasks::grammar_kind(id))] +=
        1 / static_cast<double>(text.size());
  }
  return shares;
}

}  // namespace gradwalk::lesson_14
