#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "autograd/variable.h"
#include "tensor/tensor.h"

namespace gradwalk::tasks {

/// The smallest attention that can be followed number by number: three tokens [CLS], num1, num2 of
/// width 4, one head, two classes, no bias and no residual. [CLS] asks; class 0 is right. All in
/// float64.
///
///   q = W_Q h_CLS      k_i = W_K h_i      v_i = W_V h_i
///   z_i = q.k_i / sqrt(4)      a = softmax(z)      output = sum_i a_i v_i
///   logits = C output      loss = -ln softmax(logits)[0]
struct Toy {
  Tensor h;    ///< [3, 4], one row a token
  Tensor w_q;  ///< [4, 4], out by in, as w_k and w_v
  Tensor w_k;
  Tensor w_v;
  Tensor c;  ///< [2, 4]
};

/// The base case: num1 carries what the classifier wants, num2 what it does not.
Toy toy_base();
/// Variant B: [CLS]'s own value is worse than that of num2, so both number tokens beat the average.
/// Only W_V differs.
Toy toy_variant_b();
/// Variant C: the classifier is not yet matched to the values; C has its sign flipped.
Toy toy_variant_c();
/// The same toy with the values of num1 and num2 exchanged (two columns of W_V).
Toy with_swapped_values(Toy toy);

/// One forward pass on the graph.
struct ToyGraph {
  Variable w_q, w_k, w_v, c;               ///< leaves
  Variable q, k, v, z, a, output, logits;  ///< [4] [3,4] [3,4] [3] [3] [4] [2]
  Variable loss;                           ///< []
};

/// @param given  intermediate results by name ("q", "k", "v", "z", "a", "output", "logits") that
///               are put in place of the computed ones: the loss as a function of just that one
ToyGraph toy_forward(const Toy& toy, const std::map<std::string, Tensor>& given = {});

/// The logits as a function of the four parameters W_Q, W_K, W_V, C, in that order: for gradient
/// checks.
Variable toy_logits(const Tensor& h, const std::vector<Variable>& parameters);

/// dL/dX by central differences, for an intermediate result as above or a parameter ("W_Q", "W_K",
/// "W_V", "C"), on every entry.
Tensor toy_difference(const Toy& toy, const std::string& name, double step = 1e-5);

/// Everything that one pass forward and backward yields; gradients by autograd.
struct ToyState {
  Toy toy;                               ///< parameters at this step
  Tensor q, k, v, z, a, output, logits;  ///< forward
  Tensor p;                              ///< [2], softmax(logits)
  double loss;                           ///< nats
  Tensor dlogits, doutput, dz, dq, dk, dv, dw_q, dw_k, dw_v, dc;
  Tensor g_dot_v;         ///< [3], g.v_i with g = dL/doutput
  double g_dot_output;    ///< g.output
  Tensor cos_q_k;         ///< [3], cosine of q and k_i
  Tensor cos_minus_dq_k;  ///< [3], cosine of the direction of descent and k_i; 0 where dq is 0
};
ToyState toy_state(const Toy& toy);

/// dL/dX for every X as the formulas say, from the forward values alone and without autograd.
///
///   dlogits = p - onehot(0)            g = C^T dlogits           dz_i = a_i (g.v_i - g.output)
///   dq = sum_i dz_i k_i / sqrt(d)      dk_i = dz_i q / sqrt(d)   dv_i = a_i g
///   dW_Q = dq h_CLS^T      dW_K = sum_i dk_i h_i^T      dW_V = sum_i dv_i h_i^T
///   dC = dlogits output^T
///
/// @return  by name: "logits" "output" "z" "q" "k" "v" "W_Q" "W_K" "W_V" "C"
std::map<std::string, Tensor> toy_formulas(const ToyState& state);

/// Which parameters gradient descent moves.
struct Trained {
  bool w_q = false;
  bool w_k = false;
  bool w_v = false;
  bool c = false;
};

/// Plain gradient descent: all gradients at the old parameters, then W <- W - lr dW for those
/// trained.
/// @return  steps + 1 states; the first is the start
std::vector<ToyState> toy_walk(const Toy& start, Trained trained, double lr, int steps);

}  // namespace gradwalk::tasks
