#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/trace.h"
#include "autograd/variable.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/step.h"
#include "lessons/tasks/toy4d.h"
#include "tensor/random.h"
#include "tensor/tensor.h"

namespace gradwalk::lesson_03 {

/// A small attention head with a loss, in float64: 6 tokens of width 8, head width 4.
///
///   q = x W_Q^T   k = x W_K^T   v = x W_V^T      s = q k^T / sqrt(4)   w = softmax(s)   o = w v
///   loss = mean of (o - target)^2
struct Head {
  Tensor x;              ///< [6, 8]
  Tensor w_q, w_k, w_v;  ///< [4, 8]
  Tensor target;         ///< [6, 4]
};
Head random_head(Generator generator);
Head head_of(course::Step& step, std::int64_t seed);  ///< that of one of the lesson's seeds

/// One forward pass; the weights are leaves, the rest keeps its gradient.
struct HeadGraph {
  Variable w_q, w_k, w_v;
  Variable q, k, v, k_t, products, s, w, o, loss;
};
HeadGraph forward(const Head& head);

/// The recipe of a matrix product.
course::Explain product(std::string spec, std::vector<std::string> operands, double scale = 1);

/// Records x, the weights and all values of a forward pass, each with its recipe.
void record_forward(course::Step& step, const Head& head, const HeadGraph& g);

/// The same head with W_K[row, column] turned by `by`.
Head turned(Head head, std::int64_t row, std::int64_t column, double by);

double loss_of(const Head& head);
Tensor scores_of(const Head& head);  ///< [6, 6]

/// dL/dW_K, three ways, all [4, 8].
Tensor gradient_by_autograd(const Head& head);
Tensor gradient_by_difference(const Head& head, double step);
/// From the values of one forward pass alone:
///
///   do = 2 (o - target) / 24      ds_ab = w_ab (do_a.v_b - do_a.o_a)
///   dW_K[i,j] = sum_ab ds_ab q_a[i] x_b[j] / sqrt(4)
Tensor gradient_by_formula(const Head& head);

/// How many of the 32 knobs lower the loss, each turned alone by `by` against the sign of
/// `gradient`.
int downhill(const Head& head, const Tensor& gradient, double by);

/// One op as backward went through it.
struct BackwardOp {
  std::string op;
  std::string name;     ///< of its value, where the graph has one
  std::string shape;    ///< of its value
  double incoming = 0;  ///< norm of the gradient at its value
  double outgoing = 0;  ///< norm of all gradients that it passed on
};

/// Writes down each op that backward goes through in its scope, and counts those of forward.
class BackwardObserver : public TraceObserver {
 public:
  void on_forward(const ForwardStep&) override { ++forward_ops_; }
  void on_backward(const BackwardStep& step) override;

  /// Names the op that made this variable.
  void name(const Variable& variable, const std::string& name);

  const std::vector<BackwardOp>& ops() const { return ops_; }
  int forward_ops() const { return forward_ops_; }

 private:
  std::vector<BackwardOp> ops_;
  std::vector<Tensor> outputs_;  ///< of the ops
  int forward_ops_ = 0;
};

/// Loss of the 4-d toy with W_Q moved by -lr times a direction.
double toy_loss_along(const tasks::Toy& toy, const Tensor& direction, double lr);

/// dL/dW_Q of the toy for the right class 0, or for the wrong one.
Tensor toy_gradient(const tasks::Toy& toy, bool wrong_label);

}  // namespace gradwalk::lesson_03
