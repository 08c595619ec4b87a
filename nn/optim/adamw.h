#pragma once

#include <cstdint>
#include <vector>

#include "nn/module.h"
#include "tensor/adamw.h"

namespace gradwalk::nn {

/// Parameters that decay alike. Usual: matrices decay, biases, gains and embeddings do not.
struct ParameterGroup {
  std::vector<Variable> parameters;
  double weight_decay;  ///< no unit, finite, >= 0
};

/// Adam with decoupled weight decay; formula and options as in tensor/adamw.h. Each parameter has a
/// mean, a mean square and a step count of its own. One without a gradient stays as it is: it does
/// not decay and its steps are not counted.
class AdamW {
 public:
  /// @param groups   leaves made by `parameter`, each in one group and once
  /// @param options  of all groups; the weight decay is that of the group
  /// @throws std::invalid_argument for an option out of its range, a variable that needs no
  /// gradient or is no leaf, or one that is listed twice, as a tied weight in two groups would be
  AdamW(const std::vector<ParameterGroup>& groups, const AdamWOptions& options);
  /// One group, which decays by options.weight_decay.
  explicit AdamW(std::vector<Variable> parameters, const AdamWOptions& options = {});

  /// Moves each parameter that has a gradient, in place.
  void step();
  /// Forgets all gradients.
  void zero_grad();

  double lr() const { return options_.lr; }
  /// For a schedule. @throws std::invalid_argument unless lr is finite and >= 0
  void set_lr(double lr);

  /// What the next step depends on besides parameters and options: `lr`, and for each parameter
  /// that was moved `NAME.exp_avg` (m), `NAME.exp_avg_sq` (v) and `NAME.step` (t), as PyTorch calls
  /// them. m and v are handles on the same storage, not copies.
  /// @param names  a model's named_parameters()
  /// @throws std::invalid_argument for a parameter that has no name there
  StateDict state_dict(const std::vector<NamedParameter>& names) const;
  /// Copies it back: the next step gives the same bits as that of the optimizer which was saved, if
  /// both have the same options. Nothing is changed before everything fits.
  /// @throws std::invalid_argument that lists what is missing, not known or given twice, or names a
  /// number out of range or a dtype; ShapeError that names a parameter and both shapes
  void load_state_dict(const std::vector<NamedParameter>& names, const StateDict& state);

 private:
  struct State {
    Variable parameter;
    double weight_decay;
    Tensor m, v;  // undefined before the first step
    std::int64_t steps = 0;
  };

  std::vector<State> states_;
  AdamWOptions options_;
};

}  // namespace gradwalk::nn
