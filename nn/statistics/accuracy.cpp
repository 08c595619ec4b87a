#include "nn/statistics/accuracy.h"

#include <fmt/format.h>

#include "tensor/compare.h"
#include "tensor/detail/checks.h"
#include "tensor/detail/dispatch.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::nn {

double accuracy(const Tensor& logits, const Tensor& answer) {
  check_defined("accuracy", logits);
  check_defined("accuracy", answer);
  const Operand left{"logits", logits.shape()};
  const Operand right{"answer", answer.shape()};
  check_float("accuracy", logits.dtype(), {left, right});
  if (answer.dtype() != DType::kInt64) {
    throw_argument_error("accuracy", "answers int64", name(answer.dtype()), {left, right});
  }
  if (logits.ndim() == 0 || logits.shape()[-1] == 0 ||
      select(logits, -1, 0).shape() != answer.shape()) {
    throw_shape_error("accuracy", "logits [..., V] and answer [...]",
                      fmt::format("{} and {}", logits.shape().str(), answer.shape().str()),
                      {left, right});
  }
  return mean(to(equal(argmax(logits, /*axis=*/-1), answer), DType::kFloat64)).item();
}

}  // namespace gradwalk::nn
