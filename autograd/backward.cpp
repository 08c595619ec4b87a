#include "autograd/backward.h"

#include <fmt/format.h>

#include <atomic>
#include <utility>
#include <vector>

#include "autograd/record.h"
#include "autograd/trace.h"
#include "tensor/create.h"
#include "tensor/detail/checks.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/inplace.h"

namespace gradwalk {
namespace {

// Nodes that wait for their turn, last in first out; the list counts as a holder of each.
class NodeList {
 public:
  NodeList() = default;
  ~NodeList() {
    while (first_ != nullptr) pop();
  }
  NodeList(const NodeList&) = delete;
  NodeList& operator=(const NodeList&) = delete;

  Node* first() const { return first_; }
  void push(Variable variable) {
    Node* node = variable.release();
    node->next = first_;
    first_ = node;
  }
  Variable pop() { return Variable(std::exchange(first_, first_->next)); }

 private:
  Node* first_ = nullptr;
};

// One pass at a time in a thread: a rule or an observer that went backward itself would use up the
// nodes that this pass is about to visit.
class Pass {
 public:
  Pass() : number_(thread_tag | ++count) {
    if (running) {
      throw std::logic_error(
          "backward: expected a call from outside, got one from a backward rule "
          "or an observer");
    }
    running = true;
  }
  ~Pass() { running = false; }
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  // Counts for each node below the root, by how many edges gradient will come to it.
  void count_edges(Node* root) const {
    Node* to_visit = enter(root, nullptr);
    root->consumers = 1;  // the caller, who hands in dy
    while (to_visit != nullptr) {
      Node* node = std::exchange(to_visit, to_visit->next);
      if (node->used) {
        throw std::logic_error(
            fmt::format("backward: expected a graph that was not used before, got one whose op {} "
                        "was; run the forward again",
                        node->op));
      }
      for (std::size_t i = 0; i < node->inputs.size(); ++i) {
        Node* input = node->inputs[i].node();
        if (!input->requires_grad) continue;
        if (input->pass != number_) to_visit = enter(input, to_visit);
        ++input->consumers;
      }
    }
  }

 private:
  Node* enter(Node* node, Node* next) const {
    node->pass = number_;
    node->consumers = 0;
    if (node->incoming.defined()) node->incoming.reset();  // of a pass that an error ended
    node->next = next;
    return node;
  }

  // No two passes have one number, of whatever thread.
  static inline std::atomic<std::uint64_t> threads{0};
  static inline thread_local const std::uint64_t thread_tag = ++threads << 40;
  static inline thread_local std::uint64_t count = 0;
  static inline thread_local bool running = false;
  std::uint64_t number_;
};

void check_result(const Node& node, const Grads& grads) {
  if (grads.size() != node.inputs.size()) {
    throw std::logic_error(fmt::format("{}: expected {} gradients from its backward rule, got {}",
                                       node.op, node.inputs.size(), grads.size()));
  }
  for (std::size_t i = 0; i < grads.size(); ++i) {
    const Tensor& input = node.inputs[i].value();
    if (!grads[i].defined()) continue;
    if (grads[i].shape() != input.shape() || grads[i].dtype() != input.dtype()) {
      throw std::logic_error(fmt::format("{}: expected a gradient {} {} for input {}, got {} {}",
                                         node.op, input.shape().str(), name(input.dtype()), i,
                                         grads[i].shape().str(), name(grads[i].dtype())));
    }
  }
}

Grads run_rule(Node& node) {
  try {
    Grads grads = node.backward(node.incoming);
    check_result(node, grads);
    return grads;
  } catch (const StaleValue& stale) {
    throw std::logic_error(
        fmt::format("{}: expected the value saved for backward unchanged, got {} in-place write{} "
                    "since; saved={}",
                    node.op, stale.writes, stale.writes == 1 ? "" : "s", stale.shape.str()));
  }
}

void tell_observer(const Node& node, const Grads& grads) {
  TraceObserver* observer = trace_observer();
  if (observer == nullptr) return;
  std::vector<Variable> inputs;
  std::vector<Tensor> dx;
  for (std::size_t i = 0; i < grads.size(); ++i) {
    inputs.push_back(node.inputs[i]);
    dx.push_back(grads[i]);
  }
  observer->on_backward({node.op, inputs, node.value, node.incoming, dx});
}

// Nobody else holds it, so it may be written to.
bool is_own(const Tensor& gradient) {
  return gradient.storage().unique() && gradient.is_contiguous();
}

// Adds what came over one edge. Rules may return one buffer for two inputs, or an expanded view:
// the sum goes into one of the two where that is nobody else's.
void add_gradient(Tensor& sum, Tensor&& gradient) {
  if (!sum.defined()) {
    sum = std::move(gradient);
  } else if (is_own(sum)) {
    add_into(sum, gradient);
  } else if (is_own(gradient)) {
    add_into(gradient, sum);
    sum = std::move(gradient);
  } else {
    sum = add(sum, gradient);
  }
}

// Hands gradients on to the node's inputs; those that have all of theirs are ready. Rule, inputs
// and gradient are let go at once: what backward has passed is free for what is to come.
void hand_on(Node& node, Grads&& grads, NodeList& ready) {
  node.used = true;
  node.forget_rule();
  if (!node.retains_grad) node.incoming.reset();
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    Variable input = std::move(node.inputs[i]);
    Node& below = *input.node();
    if (!below.requires_grad) continue;
    if (grads.size() > 0 && grads[i].defined()) {
      add_gradient(below.incoming, std::move(grads[i]));
    }
    if (--below.consumers == 0) ready.push(std::move(input));
  }
  node.inputs.clear();
}

void step(Node& node, NodeList& ready) {
  if (!node.incoming.defined()) return hand_on(node, {}, ready);
  Grads grads = run_rule(node);
  tell_observer(node, grads);
  hand_on(node, std::move(grads), ready);
}

// Gradients change only once all of them are made. What could still fail, for want of memory, comes
// first.
void commit(const NodeList& kept) {
  for (Node* node = kept.first(); node != nullptr; node = node->next) {
    if (!node->grad.defined()) {
      if (!is_own(node->incoming)) node->incoming = clone(node->incoming);
    } else if (!is_own(node->grad)) {
      node->incoming = add(node->grad, node->incoming);
    }
  }
  for (Node* node = kept.first(); node != nullptr; node = node->next) {
    if (node->grad.defined() && is_own(node->grad)) {
      add_into(node->grad, node->incoming);
    } else {
      node->grad = std::move(node->incoming);
    }
    node->incoming.reset();
  }
}

}  // namespace

void backward(const Variable& loss) {
  if (!loss.defined()) throw_argument_error("backward", "a loss", "an undefined variable");
  if (loss.value().numel() != 1) {
    throw_shape_error("backward", "a loss with one element (or pass the gradient dy)",
                      fmt::format("{}", loss.value().numel()), {{"loss", loss.shape()}});
  }
  backward(loss, ones(loss.shape(), loss.value().dtype()));
}

void backward(const Variable& y, const Tensor& dy) {
  if (!y.requires_grad()) {
    throw std::logic_error("backward: expected a result made from parameters, got a constant");
  }
  check_defined("backward", dy);
  if (dy.shape() != y.shape() || dy.dtype() != y.value().dtype()) {
    throw_shape_error("backward", fmt::format("dy {} {}", y.shape().str(), name(y.value().dtype())),
                      fmt::format("{} {}", dy.shape().str(), name(dy.dtype())),
                      {{"y", y.shape()}, {"dy", dy.shape()}});
  }
  const Pass pass;
  pass.count_edges(y.node());
  y.node()->incoming = dy;
  NodeList ready;
  NodeList kept;
  ready.push(y);
  while (ready.first() != nullptr) {
    Variable variable = ready.pop();
    Node* node = variable.node();
    const bool keeps = (node->is_leaf() || node->retains_grad) && node->incoming.defined();
    if (!node->is_leaf()) step(*node, ready);
    if (keeps) kept.push(std::move(variable));
  }
  commit(kept);
}

}  // namespace gradwalk
