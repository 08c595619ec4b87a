#include "nn/optim/adamw.h"

#include <utility>

#include "nn/optim/check_parameters.h"
#include "tensor/create.h"

namespace gradwalk::nn {

AdamW::AdamW(const std::vector<ParameterGroup>& groups, const AdamWOptions& options)
    : options_(options) {
  check_options("AdamW", options);
  std::vector<Variable> all;
  for (const ParameterGroup& group : groups) {
    AdamWOptions own = options;
    own.weight_decay = group.weight_decay;
    check_options("AdamW", own);
    for (const Variable& parameter : group.parameters) {
      all.push_back(parameter);
      states_.push_back({parameter, group.weight_decay, {}, {}});
    }
  }
  check_parameters("AdamW", all);
}

AdamW::AdamW(std::vector<Variable> parameters, const AdamWOptions& options)
    : AdamW({ParameterGroup{std::move(parameters), options.weight_decay}}, options) {}

void AdamW::step() {
  AdamWOptions own = options_;
  for (State& state : states_) {
    const Variable& parameter = state.parameter;
    if (!parameter.grad().defined()) continue;
    if (!state.m.defined()) {
      state.m = zeros(parameter.shape(), parameter.value().dtype());
      state.v = zeros(parameter.shape(), parameter.value().dtype());
    }
    own.weight_decay = state.weight_decay;
    adamw_step(parameter.value(), parameter.grad(), state.m, state.v, ++state.steps, own);
  }
}

void AdamW::zero_grad() {
  for (const State& state : states_) state.parameter.zero_grad();
}

void AdamW::set_lr(double lr) {
  AdamWOptions changed = options_;
  changed.lr = lr;
  check_options("AdamW", changed);
  options_ = changed;
}

}  // namespace gradwalk::nn
