#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/variable.h"
#include "tensor/allocator.h"
#include "tensor/detail/reference_count.h"

/// What an op needs in order to be recorded: `record`, `Saved` and `Grads`. Ops include this; users
/// of ops do not.
namespace gradwalk {

/// Up to three items in place, more on the heap: most ops have one or two inputs. Only items that
/// are there are made.
template <class T>
class ShortList {
 public:
  ShortList() = default;
  ShortList(ShortList&& other) noexcept : more_(std::move(other.more_)) {
    for (; count_ < other.count_; ++count_) {
      if (count_ < kHere) new (here_ + count_ * sizeof(T)) T(std::move(other[count_]));
    }
    other.clear();
  }
  ShortList& operator=(ShortList&&) = delete;
  ~ShortList() { clear(); }

  template <class Item>
  void push_back(Item&& item) {
    if (count_ < kHere) {
      new (here_ + count_ * sizeof(T)) T(std::forward<Item>(item));
    } else {
      more_.push_back(std::forward<Item>(item));
    }
    ++count_;
  }
  std::size_t size() const { return count_; }
  T& operator[](std::size_t i) { return i < kHere ? *at(i) : more_[i - kHere]; }
  const T& operator[](std::size_t i) const { return const_cast<ShortList&>(*this)[i]; }
  void clear() {
    for (std::size_t i = 0; i < std::min(count_, kHere); ++i) at(i)->~T();
    more_.clear();
    count_ = 0;
  }

 private:
  static constexpr std::size_t kHere = 3;

  T* at(std::size_t i) { return std::launder(reinterpret_cast<T*>(here_ + i * sizeof(T))); }

  std::size_t count_ = 0;
  std::vector<T> more_;
  alignas(T) std::byte here_[kHere * sizeof(T)];
};

/// What a backward rule returns: one gradient per input, in order, each of that input's shape. An
/// undefined Tensor stands for "no gradient flows there".
class Grads : public ShortList<Tensor> {
 public:
  template <class... Tensors>
  requires(std::is_convertible_v<Tensors, Tensor>&&...)
      Grads(Tensors&&... grads) {  // NOLINT(google-explicit-constructor): return {da, db};
    (push_back(std::forward<Tensors>(grads)), ...);
  }
};

/// Thrown by Saved when its value was written to; the engine turns it into an error that names the
/// op.
struct StaleValue {
  Shape shape;
  std::uint64_t writes;
};

/// A value that a backward rule keeps, with the storage's version when it was kept. A rule reads it
/// as a Tensor; if it was changed in place meanwhile, through whichever view, that is an error and
/// not a wrong gradient.
class Saved {
 public:
  explicit Saved(const Tensor& value) : value_(value), version_(value.version()) {}

  const Tensor& get() const {
    if (value_.version() != version_) throw StaleValue{value_.shape(), value_.version() - version_};
    return value_;
  }
  operator const Tensor&() const { return get(); }  // NOLINT(google-explicit-constructor)

 private:
  Tensor value_;
  std::uint64_t version_;
};

/// One variable of the graph. The engine (backward.cpp) and the handles own its fields. Nodes come
/// from the same pool of blocks as tensors.
class Node {
 public:
  Node(const char* op_name, Tensor&& node_value, bool needs_grad)
      : op(op_name), value(std::move(node_value)), requires_grad(needs_grad) {}
  virtual ~Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  static void* operator new(std::size_t bytes) { return allocate_block(bytes); }
  static void operator delete(void* node, std::size_t bytes) { free_block(node, bytes); }

  /// The gradients of the inputs from the gradient of the output.
  virtual Grads backward(const Tensor&) { return {}; }
  /// Drops the backward rule and with it the saved values.
  virtual void forget_rule() {}
  bool is_leaf() const { return inputs.size() == 0 && !used; }

  ReferenceCount references;
  const char* op;
  Tensor value;
  Tensor grad;
  ShortList<Variable> inputs;
  bool requires_grad;
  bool retains_grad = false;
  bool used = false;  ///< backward went through it: rule and inputs are gone

  // Scratch of one backward pass, valid where `pass` is that pass's number.
  std::uint64_t pass = 0;
  std::int64_t consumers = 0;  ///< edges over which gradient is still to come
  Tensor incoming;             ///< what has come so far
  Node* next = nullptr;        ///< in the one list that the node is in: of a pass, or to be freed
};

/// Which inputs of an op need a gradient, in order. A rule that would work for nothing asks:
/// `needs[1] ? matmul(transpose(a), dy) : Tensor()`.
class Needs {
 public:
  explicit Needs(const ShortList<Variable>& inputs) : inputs_(&inputs) {}
  bool operator[](std::size_t input) const { return (*inputs_)[input].node()->requires_grad; }

 private:
  const ShortList<Variable>* inputs_;
};

/// An op's node: the rule stands beside the value, in one block.
template <class F>
class OpNode final : public Node {
 public:
  OpNode(const char* op_name, Tensor&& node_value, F&& rule)
      : Node(op_name, std::move(node_value), /*needs_grad=*/true), rule_(std::move(rule)) {}

  Grads backward(const Tensor& dy) override {
    if constexpr (std::is_invocable_v<F&, const Tensor&, Needs>) {
      return (*rule_)(dy, Needs(inputs));
    } else {
      return (*rule_)(dy);
    }
  }
  void forget_rule() override { rule_.reset(); }

 private:
  std::optional<F> rule_;
};

/// An input as `record` takes it: no count is touched unless the op is recorded.
class Input {
 public:
  Input(const Variable& variable) : variable_(&variable) {}  // NOLINT(google-explicit-constructor)
  const Variable& get() const { return *variable_; }

 private:
  const Variable* variable_;
};

/// Whether an op on these inputs is to be recorded: gradients are on and one of them needs one.
bool wants_record(std::span<const Input> inputs);

/// Tells this thread's observer, if there is one, about an op (autograd/trace.h).
void observe_forward(const char* op, std::span<const Input> inputs, const Variable& output);

/// Makes the result of an op. `rule` is a pure function from the output's gradient to the inputs'
/// gradients; it captures values (as Saved) and never a Variable, which would close a circle of
/// counts. Nothing is kept when no input needs a gradient.
///
/// @param op     the op's name, a literal
/// @param value  what the op computed; moved once, into the node, as the rule is
/// @param rule   Grads(const Tensor& dy) or Grads(const Tensor& dy, Needs needs)
template <class F>
Variable record(const char* op, Tensor&& value, std::span<const Input> inputs, F&& rule) {
  static_assert(!std::is_reference_v<F>, "move the rule: it belongs to the node");
  Variable output;
  if (wants_record(inputs)) {
    Node* node = new OpNode<F>(op, std::move(value), std::move(rule));
    output = Variable(node);
    for (const Input& input : inputs) node->inputs.push_back(input.get());
  } else {
    output = Variable(std::move(value));
  }
  observe_forward(op, inputs, output);
  return output;
}
template <class F>
Variable record(const char* op, Tensor&& value, std::initializer_list<Input> inputs, F&& rule) {
  return record(op, std::move(value), std::span<const Input>(inputs.begin(), inputs.size()),
                std::move(rule));
}

}  // namespace gradwalk
