#include "autograd/backward.h"

#include <fmt/format.h>

#include <vector>

#include "autograd/record.h"
#include "autograd/trace.h"
#include "tensor/create.h"
#include "tensor/dispatch.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"

namespace gradwalk {
namespace {

// The nodes below a result that need a gradient, each with the number of edges that will bring it
// one. Clears its marks in every case, also when an error leaves the pass half done.
class Pass {
 public:
  Pass() = default;
  ~Pass() {
    for (Node* node : nodes_) {
      node->consumers = 0;
      node->incoming = Tensor();
    }
  }
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  void collect(Node* root) {
    nodes_.push_back(root);
    root->consumers = 1;  // the caller, who hands in dy
    for (std::size_t next = 0; next < nodes_.size(); ++next) {
      const Node* node = nodes_[next];
      if (node->used) {
        throw std::logic_error(
            fmt::format("backward: expected a graph that was not used before, got one whose op {} "
                        "was; run the forward again",
                        node->op));
      }
      for (std::size_t i = 0; i < node->inputs.size(); ++i) {
        Node* input = node->inputs[i].node();
        if (input->requires_grad && input->consumers++ == 0) nodes_.push_back(input);
      }
    }
  }

  const std::vector<Node*>& nodes() const { return nodes_; }

 private:
  std::vector<Node*> nodes_;
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

// Hands the node's gradient on to its inputs; those that have all of theirs are ready.
void step(Node& node, std::vector<Node*>& ready) {
  Grads grads;
  if (node.incoming.defined()) {
    grads = run_rule(node);
    tell_observer(node, grads);
  }
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    Node* input = node.inputs[i].node();
    if (!input->requires_grad) continue;
    if (node.incoming.defined() && grads[i].defined()) {
      input->incoming = input->incoming.defined() ? add(input->incoming, grads[i]) : grads[i];
    }
    if (--input->consumers == 0) ready.push_back(input);
  }
  if (!node.retains_grad) node.incoming = Tensor();
}

// A gradient that nobody else holds: rules may return one buffer for two inputs, or an expanded
// view.
Tensor own(Tensor gradient) {
  if (gradient.is_contiguous() && gradient.storage().unique()) return gradient;
  return clone(gradient);
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
  std::vector<Variable>
      released;  // outlives the pass, whose nodes these handles may be the last to count
  Pass pass;
  pass.collect(y.node());
  y.node()->incoming = dy;
  std::vector<Node*> kept;
  std::vector<Node*> ready = {y.node()};
  while (!ready.empty()) {
    Node* node = ready.back();
    ready.pop_back();
    if ((node->is_leaf() || node->retains_grad) && node->incoming.defined()) kept.push_back(node);
    if (!node->is_leaf()) step(*node, ready);
  }

  // From here on nothing throws but for want of memory, and gradients change only once all of them
  // are made.
  std::vector<Tensor> gradients;
  for (Node* node : kept) {
    Tensor gradient = std::move(node->incoming);
    node->incoming = Tensor();
    gradients.push_back(node->grad.defined() ? add(node->grad, gradient)
                                             : own(std::move(gradient)));
  }
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i]->grad = std::move(gradients[i]);
  for (Node* node : pass.nodes()) {
    if (node->is_leaf()) continue;
    node->used = true;
    node->forget_rule();
    for (std::size_t input = 0; input < node->inputs.size(); ++input) {
      released.push_back(std::move(node->inputs[input]));
    }
    node->inputs.clear();
  }
}

}  // namespace gradwalk
