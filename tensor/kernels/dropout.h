#pragma once

#include "tensor/random.h"
#include "tensor/shape.h"

namespace gradwalk::kernels {

/// y_i = scale * x_i if the generator's next word is greater than `last_dropped`, else 0; y
/// contiguous. float, double.
template <class T>
void dropout(const Shape& shape, const Strides& strides, const T* x, std::uint32_t last_dropped,
             T scale, Generator& generator, T* y);

}  // namespace gradwalk::kernels
