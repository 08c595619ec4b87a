#include "lessons/course/engine/product_count.h"

#include <string_view>

namespace gradwalk::course {

void ProductCount::on_forward(const ForwardStep& step) {
  const std::string_view op = step.op;
  const Shape& y = step.output.shape();
  if (op == "matmul" || op == "linear") {
    multiply_adds_ += y.numel() * step.inputs[0].shape()[-1];
  } else if (op == "attention") {
    const Shape& query = step.inputs[0].shape();
    const std::int64_t pairs = query.numel() / query[-1] * step.inputs[1].shape()[-2];
    multiply_adds_ += pairs * (query[-1] + y[-1]);
  }
}

}  // namespace gradwalk::course
