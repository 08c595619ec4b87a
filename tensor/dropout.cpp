#include "tensor/dropout.h"

#include <fmt/format.h>

#include <cmath>

#include "tensor/detail/dispatch.h"
#include "tensor/kernels/dropout.h"

namespace gradwalk {

Tensor dropout(const Tensor& x, double p, Generator& generator, bool training) {
  return visit_float("dropout", x, [&](auto zero) {
    using T = decltype(zero);
    if (!(p >= 0 && p <= 1)) {
      throw_argument_error("dropout", "p in [0, 1]", fmt::format("{}", p), {{"x", x.shape()}});
    }
    if (!training || p == 0) return x;
    Tensor y("dropout", x.shape(), x.dtype());
    // u / 2^32 >= p is u > ceil(2^32 p) - 1 in whole numbers, which fits 32 bits also for p = 1.
    const auto last_dropped = static_cast<std::uint32_t>(std::ceil(std::ldexp(p, 32)) - 1);
    const auto scale = static_cast<T>(p < 1 ? 1 / (1 - p) : 0);
    kernels::dropout(x.shape(), x.strides(), x.data<T>(), last_dropped, scale, generator,
                     y.mutable_data<T>());
    return y;
  });
}

}  // namespace gradwalk
