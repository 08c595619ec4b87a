#pragma once

#include <utility>

#include "tensor/tensor.h"

namespace gradwalk {

class Node;

/// A value in the graph: a counted handle on its value, its gradient and the op that made it.
///
/// A Variable made from a Tensor is a constant. `parameter` makes a leaf whose gradient is wanted,
/// and the result of an op needs a gradient when one of its inputs does. Copies are the same
/// variable. The graph does not change once it is built: optimizers write into a leaf's value in
/// place, outside the graph. One thread at a time works on a graph.
class Variable {
 public:
  /// Undefined: stands for "none". Only `defined`, copies and assignment may be used on it.
  Variable() = default;
  Variable(
      Tensor value);  // NOLINT(google-explicit-constructor): a Tensor in a formula is a constant
  /// Takes over a node that nobody else counts yet; for `parameter` and `record`.
  explicit Variable(Node* node) : node_(node) {}

  Variable(const Variable& other);
  Variable(Variable&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Variable& operator=(Variable other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Variable();

  bool defined() const { return node_ != nullptr; }
  /// The value. It shares storage with the graph: an in-place write is noticed by `backward` where
  /// it would matter.
  const Tensor& value() const;
  const Shape& shape() const { return value().shape(); }
  /// Sum of the gradients of every `backward` since the last zero_grad; undefined if there was
  /// none. Leaves keep it, and variables on which `retain_grad` was called.
  const Tensor& grad() const;
  bool requires_grad() const;
  /// Name of the op that made it; "leaf" if none did.
  const char* op() const;

  /// Forgets the gradient.
  void zero_grad() const;
  /// Keeps the gradient of a variable that is no leaf, to be looked at after `backward`.
  void retain_grad() const;
  /// The same value as a constant: nothing flows back through it.
  Variable detach() const { return Variable(value()); }

  /// What all copies of one variable share.
  Node* node() const { return node_; }
  /// Lets go of the node without counting down; for the engine.
  Node* release() { return std::exchange(node_, nullptr); }

 private:
  Node* node_ = nullptr;
};

/// A leaf whose gradient is wanted. @throws std::invalid_argument for dtypes other than float32 and
/// float64
Variable parameter(Tensor value);

/// Whether ops are recorded in this thread; true at first.
bool grad_enabled();

/// Within its scope ops are computed and not recorded: results are constants.
class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  bool before_;
};

}  // namespace gradwalk
