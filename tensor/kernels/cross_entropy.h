#pragma once

#include <cstdint>

namespace gradwalk::kernels {

/// Mean over `rows` contiguous rows of `classes` >= 1 logits; 0 for no rows. float, double.
template <class T>
double cross_entropy(std::int64_t rows, std::int64_t classes, const T* x,
                     const std::int64_t* targets);
template <class T>
void cross_entropy_backward(std::int64_t rows, std::int64_t classes, const T* x,
                            const std::int64_t* targets, double dy, T* dx);

}  // namespace gradwalk::kernels
