#include "autograd/variable.h"

#include "autograd/record.h"
#include "autograd/trace.h"
#include "tensor/detail/dispatch.h"

namespace gradwalk {
namespace {

thread_local bool recording = true;

// Nodes whose last handle is gone. Freeing one drops its inputs, which may free more: they join the
// list instead of recursing, so that a chain of a million nodes needs no stack.
thread_local Node* to_free = nullptr;
thread_local bool freeing = false;

void free_node(Node* node) {
  node->next = to_free;
  to_free = node;
  if (freeing) return;
  freeing = true;
  while (to_free != nullptr) {
    Node* first = to_free;
    to_free = first->next;
    delete first;
  }
  freeing = false;
}

}  // namespace

Variable::Variable(Tensor value)
    : node_(new Node("leaf", std::move(value), /*needs_grad=*/false)) {}

Variable::Variable(const Variable& other) : node_(other.node_) {
  if (node_) node_->references.add();
}

Variable::~Variable() {
  if (node_ && node_->references.drop()) free_node(node_);
}

const Tensor& Variable::value() const {
  static const Tensor kNone;
  return node_ ? node_->value : kNone;
}

const Tensor& Variable::grad() const {
  static const Tensor kNone;
  return node_ ? node_->grad : kNone;
}

bool Variable::requires_grad() const { return node_ && node_->requires_grad; }
const char* Variable::op() const { return node_ ? node_->op : "none"; }

void Variable::zero_grad() const {
  if (node_) node_->grad.reset();
}

void Variable::retain_grad() const {
  if (!requires_grad()) {
    throw std::logic_error(
        "retain_grad: expected a variable that needs a gradient, got a constant");
  }
  node_->retains_grad = true;
}

Variable parameter(Tensor value) {
  visit_float("parameter", value, [](auto) {});
  return Variable(new Node("leaf", std::move(value), /*needs_grad=*/true));
}

bool grad_enabled() { return recording; }
NoGrad::NoGrad() : before_(std::exchange(recording, false)) {}
NoGrad::~NoGrad() { recording = before_; }

bool wants_record(std::span<const Input> inputs) {
  if (!recording) return false;
  for (const Input& input : inputs) {
    const Node* node = input.get().node();
    if (node && node->requires_grad) return true;
  }
  return false;
}

}  // namespace gradwalk
