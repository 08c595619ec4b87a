#include "tensor/detail/map.h"

#include <fmt/format.h>

#include "tensor/create.h"

namespace gradwalk {

Tensor number_like(const char* op, const Tensor& x, double value) {
  check_defined(op, x);
  const bool fits = value >= -0x1p63 && value < 0x1p63;
  if (x.dtype() == DType::kInt64 &&
      !(fits && value == static_cast<double>(static_cast<std::int64_t>(value)))) {
    throw_argument_error(op, "a whole number beside an int64 tensor", fmt::format("{}", value),
                         {{"x", x.shape()}});
  }
  return scalar(value, x.dtype());
}

}  // namespace gradwalk
