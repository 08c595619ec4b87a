#include "nn/training/language_model_trainer.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "autograd/backward.h"
#include "autograd/cross_entropy.h"
#include "nn/optim/clip.h"
#include "nn/seed.h"
#include "tensor/create.h"
#include "tensor/error.h"

namespace gradwalk::nn {
namespace {

constexpr const char* kClass = "LanguageModelTrainer";
constexpr const char* kTrainerLoad = "LanguageModelTrainer::load_state_dict";

TokenSplit checked(TokenSplit text, const LanguageModelTraining& options) {
  const auto longer = [&](const std::vector<std::int64_t>& part) {
    return static_cast<std::int64_t>(part.size()) > options.context;
  };
  if (options.batch < 1 || options.context < 1 || options.eval_batches < 1) {
    throw_argument_error(
        kClass, "batch, context, eval_batches >= 1",
        fmt::format("{}, {} and {}", options.batch, options.context, options.eval_batches));
  }
  if (!longer(text.train) || !longer(text.validation)) {
    throw_argument_error(
        kClass, fmt::format("both parts of the text longer than {} tokens", options.context),
        fmt::format("{} and {}", text.train.size(), text.validation.size()));
  }
  return text;
}

std::vector<ParameterGroup> groups(const CausalLm& model, double weight_decay) {
  ParameterGroup decaying{{}, weight_decay};
  ParameterGroup others{{}, 0};
  for (const Variable& parameter : model.parameters()) {
    (parameter.shape().ndim() > 1 ? decaying : others).parameters.push_back(parameter);
  }
  return {decaying, others};
}

}  // namespace

LanguageModelTrainer::LanguageModelTrainer(CausalLm& model, TokenSplit text,
                                           const LanguageModelTraining& options)
    : model_(model),
      text_(checked(std::move(text), options)),
      options_(options),
      names_(model.named_parameters()),
      parameters_(model.parameters()),
      optimizer_(groups(model, options.adamw.weight_decay), options.adamw),
      batches_((Seed(options.seed) / "batches").generator()) {
  model_.train();
}

LanguageModelTrainer::Update LanguageModelTrainer::update() {
  const TokenBatch batch = draw_batch(text_.train, options_.batch, options_.context, batches_);
  optimizer_.zero_grad();
  const Variable loss = cross_entropy(model_(batch.inputs), batch.targets);
  backward(loss);
  const double norm = clip_grad_norm(parameters_, options_.max_grad_norm);
  const Update update{loss.value().item(), norm};
  if (!std::isfinite(update.loss) || !std::isfinite(norm)) return update;
  optimizer_.set_lr(options_.schedule.at(step_));
  optimizer_.step();
  ++step_;
  return update;
}

double LanguageModelTrainer::loss_over(const std::vector<std::int64_t>& ids, const char* stream) {
  Generator generator = (Seed(options_.seed) / "evaluation" / stream).generator();
  double sum = 0;
  for (std::int64_t i = 0; i < options_.eval_batches; ++i) {
    const TokenBatch batch = draw_batch(ids, options_.batch, options_.context, generator);
    sum += cross_entropy(model_(batch.inputs), batch.targets).value().item();
  }
  return sum / static_cast<double>(options_.eval_batches);
}

LanguageModelTrainer::Losses LanguageModelTrainer::evaluate() {
  const NoGrad no_grad;
  model_.eval();
  const Losses losses{loss_over(text_.train, "train"), loss_over(text_.validation, "validation")};
  model_.train();
  return losses;
}

StateDict LanguageModelTrainer::state_dict() const {
  StateDict all;
  for (const auto& [name, tensor] : model_.state_dict()) all.emplace_back("model." + name, tensor);
  for (const auto& [name, tensor] : optimizer_.state_dict(names_)) {
    all.emplace_back("optimizer." + name, tensor);
  }
  all.emplace_back("generator.batches", batches_.state());
  for (const auto& [name, generator] : model_.named_generators()) {
    all.emplace_back("generator.model." + name, generator->state());
  }
  all.emplace_back("step", scalar(static_cast<double>(step_), DType::kInt64));
  return all;
}

void LanguageModelTrainer::load_state_dict(const StateDict& state) {
  StateDict model, optimizer;
  std::map<std::string, Tensor> others;
  for (const auto& [name, tensor] : state) {
    constexpr std::string_view kModel = "model.";
    constexpr std::string_view kOptimizer = "optimizer.";
    if (name.starts_with(kModel)) {
      model.emplace_back(name.substr(kModel.size()), tensor);
    } else if (name.starts_with(kOptimizer)) {
      optimizer.emplace_back(name.substr(kOptimizer.size()), tensor);
    } else if (!others.emplace(name, tensor).second) {
      throw_argument_error(kTrainerLoad, "each name once", name + " twice");
    }
  }
  const auto take = [&](const std::string& name) {
    const auto found = others.find(name);
    if (found == others.end()) throw_argument_error(kTrainerLoad, "a tensor " + name, "none");
    const Tensor tensor = found->second;
    others.erase(found);
    return tensor;
  };
  Generator batches = batches_;
  batches.set_state(take("generator.batches"));
  std::vector<std::pair<Generator*, Generator>> generators;
  for (const auto& [name, generator] : model_.named_generators()) {
    Generator restored = *generator;
    restored.set_state(take("generator.model." + name));
    generators.emplace_back(generator, restored);
  }
  const Tensor step = take("step");
  if (step.dtype() != DType::kInt64 || step.shape() != Shape{} || step.item() < 0) {
    throw_argument_error(kTrainerLoad, "step, int64 [] >= 0",
                         fmt::format("{} {}", name(step.dtype()), step.shape().str()));
  }
  if (!others.empty()) {
    throw_argument_error(kTrainerLoad, "tensors of a trainer", others.begin()->first);
  }
  AdamW moved = optimizer_;
  moved.load_state_dict(names_, optimizer);
  model_.load_state_dict(model);  // the last that can fail
  optimizer_ = std::move(moved);
  batches_ = batches;
  for (auto& [generator, restored] : generators) *generator = restored;
  step_ = static_cast<std::int64_t>(step.item());
}

}  // namespace gradwalk::nn
