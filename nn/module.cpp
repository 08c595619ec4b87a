#include "nn/module.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <unordered_set>

#include "tensor/error.h"
#include "tensor/inplace.h"

namespace gradwalk::nn {

void Module::collect(const std::string& prefix, std::vector<NamedParameter>& found) const {
  for (const NamedParameter& own : own_) found.push_back({prefix + own.name, own.variable});
  for (const auto& [name, child] : children_) child->collect(prefix + name + ".", found);
}

void Module::collect(const std::string& prefix, std::vector<NamedGenerator>& found) const {
  for (const NamedGenerator& own : generators_) found.push_back({prefix + own.name, own.generator});
  for (const auto& [name, child] : children_) child->collect(prefix + name + ".", found);
}

std::vector<NamedParameter> Module::named_parameters() const {
  std::vector<NamedParameter> all;
  collect("", all);
  std::unordered_set<const Node*> seen;
  std::erase_if(all,
                [&](const NamedParameter& p) { return !seen.insert(p.variable.node()).second; });
  return all;
}

std::vector<Variable> Module::parameters() const {
  std::vector<Variable> variables;
  for (NamedParameter& parameter : named_parameters()) {
    variables.push_back(std::move(parameter.variable));
  }
  return variables;
}

std::vector<NamedGenerator> Module::named_generators() const {
  std::vector<NamedGenerator> all;
  collect("", all);
  return all;
}

std::int64_t Module::num_parameters() const {
  std::int64_t count = 0;
  for (const Variable& parameter : parameters()) count += parameter.value().numel();
  return count;
}

StateDict Module::state_dict() const {
  StateDict state;
  for (const auto& [name, variable] : named_parameters())
    state.emplace_back(name, variable.value());
  return state;
}

void Module::load_state_dict(const StateDict& state, const char* op) {
  const std::vector<NamedParameter> own = named_parameters();
  std::map<std::string_view, const Tensor*> given;
  std::vector<std::string> faults;
  for (const auto& [name, tensor] : state) {
    if (!given.emplace(name, &tensor).second) faults.push_back(name + " twice");
  }
  for (const auto& [name, variable] : own) {
    if (given.count(name) == 0) faults.push_back("no " + name);
  }
  std::unordered_set<std::string_view> known;
  for (const auto& [name, variable] : own) known.insert(name);
  for (const auto& [name, tensor] : state) {
    if (known.count(name) == 0) faults.push_back(name + ", which it does not have");
  }
  if (!faults.empty()) {
    throw_argument_error(op, "each parameter of the module once",
                         fmt::format("{}", fmt::join(faults, "; ")));
  }
  std::vector<Tensor> values;
  for (const auto& [name, variable] : own) {
    const Tensor& value = *given[name];
    if (value.shape() != variable.shape()) {
      throw_shape_error(op, fmt::format("{} {}", name, variable.shape().str()),
                        value.shape().str());
    }
    values.push_back(to(value, variable.value().dtype()));
  }
  for (std::size_t i = 0; i < own.size(); ++i) copy_into(own[i].variable.value(), values[i]);
}

void Module::zero_grad() const {
  for (const Variable& parameter : parameters()) parameter.zero_grad();
}

void Module::train(bool training) {
  training_ = training;
  for (const auto& [name, child] : children_) child->train(training);
}

Variable Module::add_parameter(std::string name, Tensor value) {
  return share_parameter(std::move(name), parameter(std::move(value)));
}

Variable Module::share_parameter(std::string name, const Variable& parameter) {
  own_.push_back({std::move(name), parameter});
  return parameter;
}

void Module::add_module(std::string name, Module& child) {
  children_.emplace_back(std::move(name), &child);
}

void Module::add_generator(std::string name, Generator& generator) {
  generators_.push_back({std::move(name), &generator});
}

}  // namespace gradwalk::nn
