#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "autograd/variable.h"
#include "lessons/tasks/dictionary.h"
#include "nn/attention.h"
#include "tensor/tensor.h"

namespace gradwalk::lesson_02 {

/// Of a layer without bias whose weights begin as N(0, 1/in).
nn::MultiHeadAttentionOptions plain(std::int64_t num_heads);

/// Which token depends on which: norms[i, j] = Frobenius norm of the block d y_i / d x_j, one
/// backward pass a number of y.
///
/// @param f  x [T, D] to y [T, E]
/// @return   [T, T], float64
Tensor block_norms(const std::function<Variable(const Variable&)>& f, const Tensor& x);

/// Largest and smallest of a square matrix off and on its diagonal.
struct Blocks {
  double largest_off;
  double smallest_on;
  double smallest;
};
Blocks blocks_of(const Tensor& norms);

/// Rows of a projection's weight [H Dh, D] that belong to one head, [Dh, D]: H blocks of Dh rows.
/// @param interleaved  every H-th row instead, the cut that no layer makes
Tensor head_rows(const Tensor& weight, std::int64_t head, std::int64_t num_heads, bool interleaved);

/// Turns the sign of one head's rows of a projection, in place; twice is nothing.
void negate_head(const nn::Module& module, const std::string& weight, std::int64_t head,
                 std::int64_t num_heads);

/// The dictionary model whose inputs stay as they are: x = 4 [one-hot of the key | one-hot of the
/// value], width keys + values. The question has its key, and no value.
void freeze_one_hot(tasks::DictionaryModel& model);

/// Which half of x does what, as shares of variance in [0, 1].
struct Division {
  double matching;  ///< of the question's scores over the cards: what the key half makes of it
  double content;   ///< of the logits over the classes: what the value half makes of it
};
Division division_of(const tasks::DictionaryModel& model, const tasks::DictionaryBatch& pages);

}  // namespace gradwalk::lesson_02
