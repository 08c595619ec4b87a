#include "lessons/11_many_heads/language_heads.h"

#include <algorithm>
#include <span>
#include <utility>

#include "lessons/course/engine/memo.h"
#include "lessons/tasks/grammar.h"
#include "lessons/tasks/head_weights.h"
#include "nn/diagnostics/head_contribution.h"
#include "nn/diagnostics/head_similarity.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_11 {
namespace {

constexpr std::int64_t kWindows = 200, kGreedyWindows = 50, kMapWindows = 16, kWords = 10;

void copy_first_head(nn::CausalLm& model) {
  const nn::CausalLmOptions& options = model.options();
  for (std::int64_t layer = 0; layer < options.num_layers; ++layer) {
    const tasks::HeadWeights first = tasks::head_weights(model, layer, 0);
    for (std::int64_t head = 1; head < options.block.attention.num_heads; ++head) {
      const tasks::HeadWeights copy = tasks::head_weights(model, layer, head);
      copy_into(copy.query, first.query);
      copy_into(copy.key, first.key);
      copy_into(copy.value, first.value);
      copy_into(copy.output, first.output);
    }
  }
}

double loss_on(nn::CausalLm& model, const LanguageHeads& heads, std::int64_t windows) {
  const tasks::LanguageModelOptions options = options_of(heads);
  const auto words = static_cast<std::size_t>(windows * options.context + 1);
  return tasks::language_model_loss(
      model, std::span(tasks::test_text(options, heads.seed)).first(words), options.context);
}

// The heads that are left, each with the loss without it alone, less `loss`; cheapest first.
std::vector<HeadCost> costs_of(nn::CausalLm& model, const LanguageHeads& heads,
                               std::vector<HeadCost> left, double loss, std::int64_t windows) {
  for (HeadCost& at : left) {
    const Tensor output = tasks::head_weights(model, at.layer, at.head).output;
    const Tensor before = clone(output);
    fill(output, 0);
    at.cost = loss_on(model, heads, windows) - loss;
    copy_into(output, before);
  }
  std::stable_sort(left.begin(), left.end(),
                   [](const HeadCost& a, const HeadCost& b) { return a.cost < b.cost; });
  return left;
}

std::vector<HeadCost> all_heads(const LanguageHeads& heads) {
  std::vector<HeadCost> all;
  for (std::int64_t layer = 0; layer < options_of(heads).layers; ++layer) {
    for (std::int64_t head = 0; head < heads.heads; ++head) all.push_back({layer, head, 0});
  }
  return all;
}

}  // namespace

tasks::LanguageModelOptions options_of(const LanguageHeads& heads) {
  tasks::LanguageModelOptions options;
  options.heads = heads.heads;
  options.batch = heads.batch;
  options.steps = heads.updates;
  if (heads.start == HeadStart::kSmall) options.query_key_gain = 0.1;
  return options;
}

std::unique_ptr<nn::CausalLm> model_of(const course::Step& step, const LanguageHeads& heads) {
  tasks::LanguageModelStart start;
  if (heads.start == HeadStart::kCopies) start = {"copies of head 0", copy_first_head};
  const auto progress = [&step](std::int64_t done, std::int64_t total) {
    step.progress("train a language model", done, total);
  };
  return tasks::trained_language_model(options_of(heads), heads.seed, progress, start).model;
}

HeadsApart heads_apart(const course::Step& step, const LanguageHeads& heads) {
  const auto model = model_of(step, heads);
  const tasks::LanguageModelOptions options = options_of(heads);
  const NoGrad no_grad;
  std::vector<nn::AttentionTrace> traces;
  (*model)(tasks::text_windows(tasks::test_text(options, heads.seed), options.context, kMapWindows)
               .inputs,
           {.traces = &traces});
  HeadsApart apart{0, 0};
  const auto layers = static_cast<double>(traces.size());
  for (std::size_t layer = 0; layer < traces.size(); ++layer) {
    const Tensor output = tasks::output_weight(*model, static_cast<std::int64_t>(layer));
    apart.maps += nn::mean_pairwise(nn::head_divergence(traces[layer].weights.value())) / layers;
    apart.outputs += nn::mean_pairwise(nn::head_cosine(
                         nn::head_contributions(traces[layer].head_outputs.value(), output))) /
                     layers;
  }
  return apart;
}

FirstLayerAttention first_layer_attention(const course::Step& step, const LanguageHeads& heads) {
  const auto model = model_of(step, heads);
  const auto& text = tasks::test_text(options_of(heads), heads.seed);
  const NoGrad no_grad;
  std::vector<nn::AttentionTrace> traces;
  (*model)(tasks::text_windows(text, kWords, 1).inputs, {.traces = &traces});
  const auto of_last = [](const Variable& map) {
    return select(select(map.value(), 0, 0), 1, -1);  // [H, 10]
  };
  FirstLayerAttention attention{of_last(traces[0].masked_scores), of_last(traces[0].weights), {}};
  for (std::size_t at = 0; at < kWords; ++at)
    attention.words.push_back(tasks::grammar_word(text[at]));
  return attention;
}

const Pruning& pruning(const course::Step& step, const LanguageHeads& heads) {
  static course::Memo<LanguageHeads, Pruning> memo;
  return memo(heads, [&] {
    const auto model = model_of(step, heads);
    const double loss = loss_on(*model, heads, kWindows);
    return Pruning{loss, costs_of(*model, heads, all_heads(heads), loss, kWindows)};
  });
}

const std::vector<HeadCost>& prune_all(const course::Step& step, const LanguageHeads& heads) {
  static course::Memo<LanguageHeads, std::vector<HeadCost>> memo;
  return memo(heads, [&] {
    const auto model = model_of(step, heads);
    const double loss = loss_on(*model, heads, kGreedyWindows);
    std::vector<HeadCost> left = all_heads(heads), removed;
    const auto count = static_cast<std::int64_t>(left.size());
    while (!left.empty()) {
      left = costs_of(*model, heads, std::move(left), loss, kGreedyWindows);
      removed.push_back(left.front());
      fill(tasks::head_weights(*model, left.front().layer, left.front().head).output, 0);
      left.erase(left.begin());
      step.progress("take heads away", static_cast<std::int64_t>(removed.size()), count);
    }
    return removed;
  });
}

}  // namespace gradwalk::lesson_11
