#pragma once

#include <iosfwd>
#include <string>

#include "tensor/tensor.h"

namespace gradwalk {

/// How a tensor is written out.
struct PrintOptions {
  /// After the decimal point; one choice for the whole tensor, so that columns align.
  int digits = 4;
  /// An axis longer than twice this shows so many at each end and `...` between.
  std::int64_t edge = 4;
};

/// Shape and dtype, then the elements as aligned matrices; more than two axes give one matrix after
/// the other, each under its index. Very large or small numbers switch the whole tensor to
/// scientific notation.
///
///   [2, 3] float32
///      0.5000  -0.5000  12.0000
///      0.2500   1.0000      nan
std::string to_string(const Tensor& x, const PrintOptions& options = {});

std::ostream& operator<<(std::ostream& out, const Tensor& x);

}  // namespace gradwalk
