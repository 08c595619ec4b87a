#include "autograd/trace.h"

#include <utility>
#include <vector>

#include "autograd/record.h"

namespace gradwalk {
namespace {

thread_local TraceObserver* current = nullptr;

}  // namespace

TraceScope::TraceScope(TraceObserver& observer) : before_(std::exchange(current, &observer)) {}
TraceScope::~TraceScope() { current = before_; }

TraceObserver* trace_observer() { return current; }

void observe_forward(const char* op, std::span<const Input> inputs, const Variable& output) {
  if (current == nullptr) return;
  std::vector<Variable> variables;
  for (const Input& input : inputs) variables.push_back(input.get());
  current->on_forward({op, variables, output});
}

}  // namespace gradwalk
