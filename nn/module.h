#pragma once

#include <string>
#include <utility>
#include <vector>

#include "autograd/variable.h"
#include "tensor/random.h"

namespace gradwalk::nn {

/// Tensors by name, in a stable order.
using StateDict = std::vector<std::pair<std::string, Tensor>>;

struct NamedParameter {
  std::string name;
  Variable variable;
};

/// Where the random numbers of a part come from, such as those of dropout.
struct NamedGenerator {
  std::string name;
  Generator* generator;
};

/// A part of a model: its parameters, its parts, and whether it is being trained.
///
/// A module is made of named parameters and named children, which are members of the derived class
/// and announce themselves to their owner in its constructor. Names are joined by dots, as
/// checkpoints have them: `layers.0.self_attn.q_proj.weight`. The forward is a plain member
/// function of the derived class, `forward` or a call operator. A module stays where it was made.
class Module {
 public:
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  virtual ~Module() = default;

  /// Own ones first, then the children's, in the order in which they were announced; one that is
  /// shared stands there once, under the first of its names.
  std::vector<NamedParameter> named_parameters() const;
  std::vector<Variable> parameters() const;
  /// How many numbers they are together.
  std::int64_t num_parameters() const;

  /// The parameters' values: handles on the same storage, not copies.
  StateDict state_dict() const;
  /// Copies values into the parameters, converted to their dtype. Nothing is written before
  /// everything fits.
  /// @param op  the function that errors name
  /// @throws std::invalid_argument that lists the names that are missing, not known or given twice;
  /// ShapeError that names a parameter and both shapes
  void load_state_dict(const StateDict& state, const char* op = "load_state_dict");

  /// All streams that the forward draws from, as they are now: to save and resume training.
  std::vector<NamedGenerator> named_generators() const;

  /// Forgets all gradients.
  void zero_grad() const;

  /// In training (true at first) dropout drops; for this module and all below it.
  void train(bool training = true);
  void eval() { train(false); }
  bool training() const { return training_; }

 protected:
  Module() = default;

  Variable add_parameter(std::string name, Tensor value);
  /// The same parameter under a name of this module: a tied weight.
  Variable share_parameter(std::string name, const Variable& parameter);
  void add_module(std::string name, Module& child);
  void add_generator(std::string name, Generator& generator);

 private:
  void collect(const std::string& prefix, std::vector<NamedParameter>& found) const;
  void collect(const std::string& prefix, std::vector<NamedGenerator>& found) const;

  std::vector<NamedParameter> own_;
  std::vector<NamedGenerator> generators_;
  std::vector<std::pair<std::string, Module*>> children_;
  bool training_ = true;
};

}  // namespace gradwalk::nn
