#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string_view>
#include <utility>

#include "nn/optim/adamw.h"
#include "tensor/create.h"
#include "tensor/error.h"

namespace gradwalk::nn {
namespace {

constexpr const char* kLoad = "AdamW::load_state_dict";

const std::string& name_of(const char* op, const Variable& parameter,
                           const std::vector<NamedParameter>& names) {
  for (const NamedParameter& named : names) {
    if (named.variable.node() == parameter.node()) return named.name;
  }
  throw_argument_error(op, "a name for each parameter", "none", {{"parameter", parameter.shape()}});
}

// A StateDict that is taken apart name by name.
class Entries {
 public:
  explicit Entries(const StateDict& state) {
    for (const auto& [name, tensor] : state) {
      if (!tensor.defined()) throw_argument_error(kLoad, "tensors", name + " undefined");
      if (!left_.emplace(name, tensor).second) faults_.push_back(name + " twice");
    }
  }

  bool has(const std::string& name) const { return left_.contains(name); }
  Tensor take(const std::string& name, const Shape& shape, DType dtype) {
    const auto found = left_.find(name);
    if (found == left_.end()) {
      faults_.push_back("no " + name);
      return {};
    }
    const Tensor value = found->second;
    left_.erase(found);
    if (value.shape() != shape) {
      throw_shape_error(kLoad, fmt::format("{} {}", name, shape.str()), value.shape().str());
    }
    if (value.dtype() != dtype) {
      throw_argument_error(kLoad, fmt::format("{} {}", name, gradwalk::name(dtype)),
                           gradwalk::name(value.dtype()));
    }
    return value;
  }
  void expect_empty() {
    for (const auto& [name, tensor] : left_) faults_.push_back(name + ", which it does not have");
    if (faults_.empty()) return;
    throw_argument_error(kLoad, "lr, and of each parameter exp_avg, exp_avg_sq and step or none",
                         fmt::format("{}", fmt::join(faults_, "; ")));
  }

 private:
  std::map<std::string, Tensor> left_;
  std::vector<std::string> faults_;
};

}  // namespace

StateDict AdamW::state_dict(const std::vector<NamedParameter>& names) const {
  StateDict all;
  all.emplace_back("lr", scalar(options_.lr, DType::kFloat64));
  for (const State& state : states_) {
    const std::string& name = name_of("AdamW::state_dict", state.parameter, names);
    if (state.steps == 0) continue;
    all.emplace_back(name + ".exp_avg", state.m);
    all.emplace_back(name + ".exp_avg_sq", state.v);
    all.emplace_back(name + ".step", scalar(static_cast<double>(state.steps), DType::kInt64));
  }
  return all;
}

void AdamW::load_state_dict(const std::vector<NamedParameter>& names, const StateDict& state) {
  Entries entries(state);
  const Tensor lr = entries.take("lr", {}, DType::kFloat64);
  std::vector<State> loaded = states_;
  for (State& one : loaded) {
    one.m = one.v = {};
    one.steps = 0;
    const std::string& name = name_of(kLoad, one.parameter, names);
    if (!entries.has(name + ".exp_avg") && !entries.has(name + ".exp_avg_sq") &&
        !entries.has(name + ".step")) {
      continue;
    }
    const Shape& shape = one.parameter.shape();
    const DType dtype = one.parameter.value().dtype();
    one.m = entries.take(name + ".exp_avg", shape, dtype);
    one.v = entries.take(name + ".exp_avg_sq", shape, dtype);
    const Tensor steps = entries.take(name + ".step", {}, DType::kInt64);
    if (!steps.defined()) continue;
    one.steps = *steps.data<std::int64_t>();
    if (one.steps < 1) {
      throw_argument_error(kLoad, name + ".step >= 1", fmt::format("{}", one.steps));
    }
  }
  entries.expect_empty();
  AdamWOptions options = options_;
  options.lr = lr.item();
  check_options(kLoad, options);
  for (State& one : loaded) {
    if (one.steps == 0) continue;
    one.m = clone(one.m);
    one.v = clone(one.v);
  }
  states_ = std::move(loaded);
  options_ = options;
}

}  // namespace gradwalk::nn
