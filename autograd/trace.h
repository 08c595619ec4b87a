#pragma once

#include <span>

#include "autograd/variable.h"

namespace gradwalk {

class Input;
template <class T>
class ShortList;

/// An op as it was computed.
struct ForwardStep {
  const char* op;
  std::span<const Variable> inputs;
  const Variable& output;
};

/// An op as backward went through it.
struct BackwardStep {
  const char* op;
  std::span<const Variable> inputs;
  const Tensor& output;        ///< the op's value
  const Tensor& dy;            ///< gradient of the loss with respect to it
  std::span<const Tensor> dx;  ///< one gradient per input; undefined where none flows
};

/// Is told each op of a scope, forward and backward: step-through lessons, pictures of a graph and
/// the search for the first NaN are observers. It must not throw, and what it is handed lives as
/// long as the call; a copied Variable or Tensor lives on.
class TraceObserver {
 public:
  virtual ~TraceObserver() = default;
  virtual void on_forward(const ForwardStep&) {}
  virtual void on_backward(const BackwardStep&) {}
};

/// Installs an observer in this thread for the scope's lifetime; the one before it comes back
/// afterwards.
class TraceScope {
 public:
  explicit TraceScope(TraceObserver& observer);
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  TraceObserver* before_;
};

/// This thread's observer, or null.
TraceObserver* trace_observer();

}  // namespace gradwalk
