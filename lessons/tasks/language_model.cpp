#include "lessons/tasks/language_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "autograd/cross_entropy.h"
#include "lessons/tasks/by_width.h"
#include "lessons/tasks/grammar.h"
#include "lessons/tasks/query_key_gain.h"
#include "nn/training/language_model_trainer.h"
#include "tensor/layout.h"

namespace gradwalk::tasks {
namespace {

// A training as far as it went: the trainer's whole state where it stopped, so that it can go on.
struct Run {
  std::map<std::int64_t, nn::StateDict> states;  // by updates made
  std::vector<double> losses;                    // of the furthest
};

nn::StateDict copy(const nn::StateDict& state) {
  nn::StateDict copies;
  for (const auto& [name, tensor] : state) copies.emplace_back(name, clone(tensor));
  return copies;
}

nn::StateDict model_part(const nn::StateDict& trainer) {
  constexpr std::string_view kModel = "model.";
  nn::StateDict state;
  for (const auto& [name, tensor] : trainer) {
    if (name.starts_with(kModel)) state.emplace_back(name.substr(kModel.size()), tensor);
  }
  return state;
}

nn::LanguageModelTraining training_of(const LanguageModelOptions& o, std::uint64_t seed) {
  nn::LanguageModelTraining training;
  training.batch = o.batch;
  training.context = o.context;
  training.schedule = {.lr = o.lr, .min_lr = o.lr, .warmup = 0, .steps = 1};
  training.adamw = {.weight_decay = 0};
  training.max_grad_norm = std::numeric_limits<double>::infinity();
  training.seed = seed;
  return training;
}

// The memo's key: all that the bits of a training depend on, but not where it stops.
using Key = std::tuple<LanguageModelOptions, std::uint64_t, std::string>;

Run& run_of(LanguageModelOptions options, std::uint64_t seed, const std::string& start) {
  static std::map<Key, Run> runs;
  options.steps = 0;
  return runs[{options, seed, start}];
}

const std::vector<std::int64_t>& text(std::int64_t words, std::uint64_t seed, const char* stream) {
  static std::map<std::tuple<std::int64_t, std::uint64_t, std::string>, std::vector<std::int64_t>>
      texts;
  auto [at, is_new] = texts.try_emplace({words, seed, stream});
  if (is_new) {
    Generator generator(seed, stream);
    at->second = draw_grammar(words, generator);
  }
  return at->second;
}

}  // namespace

nn::CausalLmOptions causal_lm_options(const LanguageModelOptions& o) {
  nn::CausalLmOptions lm;
  lm.vocab_size = kGrammarWords;
  lm.d_model = o.d_model;
  lm.num_layers = o.layers;
  lm.max_positions = o.positions ? o.context : 0;
  lm.causal = o.causal;
  lm.tie_embeddings = false;
  lm.embedding = {.init = {nn::InitScheme::kNormal, 0.5}};
  lm.lm_head = kByWidth;
  lm.block.has_attention = o.attention;
  lm.block.has_feed_forward = o.feed_forward;
  lm.block.attention = {.num_heads = o.heads,
                        .num_kv_heads = o.kv_heads,
                        .scale = o.scale,
                        .has_q_proj = o.query_projection,
                        .has_k_proj = o.key_projection,
                        .has_v_proj = o.value_projection,
                        .has_o_proj = o.output_projection,
                        .tie_q_k = o.tied_query_key,
                        .linear = {.bias = false, .init = kByWidth}};
  lm.block.d_hidden = 2 * o.d_model;
  lm.block.feed_forward.linear = {.bias = true, .init = kByWidth};
  return lm;
}

std::unique_ptr<nn::CausalLm> new_language_model(const LanguageModelOptions& options,
                                                 std::uint64_t seed,
                                                 const LanguageModelStart& start) {
  auto model =
      std::make_unique<nn::CausalLm>(causal_lm_options(options), nn::Seed(seed) / "language_model");
  multiply_query_key(*model, options.query_key_gain);
  if (start.change) start.change(*model);
  return model;
}

TrainedLanguageModel trained_language_model(const LanguageModelOptions& options, std::uint64_t seed,
                                            const LanguageModelProgress& progress,
                                            const LanguageModelStart& start) {
  Run& run = run_of(options, seed, start.name);
  TrainedLanguageModel trained{new_language_model(options, seed, start), {}};
  auto from = run.states.upper_bound(options.steps);
  from = from == run.states.begin() ? run.states.end() : std::prev(from);
  if (from != run.states.end() && from->first == options.steps) {
    trained.model->load_state_dict(model_part(from->second));
  } else {
    nn::LanguageModelTrainer trainer(*trained.model,
                                     {training_text(options, seed), test_text(options, seed)},
                                     training_of(options, seed));
    std::vector<double> losses;
    if (from != run.states.end()) {
      trainer.load_state_dict(from->second);
      losses.assign(run.losses.begin(), run.losses.begin() + from->first);
    }
    while (trainer.step() < options.steps) {
      losses.push_back(trainer.update().loss);
      if (!std::isfinite(losses.back())) {
        throw std::runtime_error(fmt::format(
            "trained_language_model: the loss is {} after {} updates; a lower lr may help",
            losses.back(), trainer.step()));
      }
      if (progress) progress(trainer.step(), options.steps);
    }
    run.states[options.steps] = copy(trainer.state_dict());
    if (losses.size() > run.losses.size()) run.losses = std::move(losses);
  }
  trained.losses.assign(run.losses.begin(), run.losses.begin() + options.steps);
  return trained;
}

const std::vector<std::int64_t>& training_text(const LanguageModelOptions& options,
                                               std::uint64_t seed) {
  return text(options.train_words, seed, "grammar.train");
}

const std::vector<std::int64_t>& test_text(const LanguageModelOptions& options,
                                           std::uint64_t seed) {
  return text(options.test_words, seed, "grammar.test");
}

nn::TokenBatch text_windows(std::span<const std::int64_t> text, std::int64_t context,
                            std::int64_t count) {
  const auto all = (static_cast<std::int64_t>(text.size()) - 1) / context;
  const std::int64_t rows = count == 0 ? all : std::min(count, all);
  nn::TokenBatch windows{Tensor("text_windows", {rows, context}, DType::kInt64),
                         Tensor("text_windows", {rows, context}, DType::kInt64)};
  std::copy_n(text.begin(), rows * context, windows.inputs.mutable_data<std::int64_t>());
  std::copy_n(text.begin() + 1, rows * context, windows.targets.mutable_data<std::int64_t>());
  return windows;
}

Tensor logits_at_once(nn::CausalLm& model, const Tensor& text) {
  const NoGrad no_grad;
  return select(model(unsqueeze(text, 0)).value(), 0, 0);
}

double language_model_loss(nn::CausalLm& model, std::span<const std::int64_t> text,
                           std::int64_t context) {
  const NoGrad no_grad;
  const nn::TokenBatch windows = text_windows(text, context);
  return cross_entropy(model(windows.inputs), windows.targets).value().item();
}

}  // namespace gradwalk::tasks
