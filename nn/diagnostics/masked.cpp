#include "nn/diagnostics/masked.h"

#include <fmt/format.h>

#include "tensor/detail/checks.h"
#include "tensor/layout.h"

namespace gradwalk::nn {
namespace {

bool broadcasts_to(const Shape& from, const Shape& to) {
  if (from.ndim() > to.ndim()) return false;
  for (int axis = -from.ndim(); axis < 0; ++axis) {
    if (from[axis] != to[axis] && from[axis] != 1) return false;
  }
  return true;
}

}  // namespace

Tensor stretched_mask(const char* op, const NamedTensor& values, const NamedTensor& mask) {
  check_defined(op, values.value);
  check_defined(op, mask.value);
  const Operand of{values.name, values.value.shape()};
  const Operand by{mask.name, mask.value.shape()};
  check_float(op, values.value.dtype(), {of, by});
  if (mask.value.dtype() != DType::kBool) {
    throw_argument_error(op, fmt::format("{} bool", mask.name), name(mask.value.dtype()), {of, by});
  }
  if (!broadcasts_to(by.shape, of.shape)) {
    throw_shape_error(op, fmt::format("{} that broadcasts to the shape of {}", by.name, of.name),
                      by.shape.str(), {of, by});
  }
  return expand(mask.value, of.shape);
}

std::vector<double> chosen(const char* op, const NamedTensor& values, const NamedTensor& mask) {
  const std::vector<double> taken = stretched_mask(op, values, mask).to_vector();
  const std::vector<double> all = values.value.to_vector();
  std::vector<double> elements;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (taken[i] != 0) elements.push_back(all[i]);
  }
  return elements;
}

}  // namespace gradwalk::nn
