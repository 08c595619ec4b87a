#pragma once

#include <initializer_list>
#include <vector>

#include "tensor/tensor.h"

namespace gradwalk {

/// A tensor whose elements are all `value`. zeros and ones are full with 0 and 1.
/// Here and below a fraction is cut off in int64, and a number that does not fit it is a
/// std::invalid_argument.
/// @throws ShapeError for a negative size or more than 2^63 - 1 bytes
Tensor full(const Shape& shape, double value, DType dtype = DType::kFloat32);
Tensor zeros(const Shape& shape, DType dtype = DType::kFloat32);
Tensor ones(const Shape& shape, DType dtype = DType::kFloat32);

/// A 0-d tensor.
Tensor scalar(double value, DType dtype = DType::kFloat32);

/// A vector [n] or a matrix [rows, columns] from its elements, written out.
/// @throws ShapeError if the rows of a matrix differ in length
Tensor vector(std::initializer_list<double> values, DType dtype = DType::kFloat32);
Tensor matrix(std::initializer_list<std::initializer_list<double>> rows,
              DType dtype = DType::kFloat32);

/// The values in row-major order, in the given shape.
/// @throws ShapeError unless there are exactly as many values as elements
Tensor from_vector(const std::vector<double>& values, const Shape& shape,
                   DType dtype = DType::kFloat32);

/// begin, begin + 1, ..., end - 1 as int64: positions, ids. Empty if end <= begin.
/// @throws ShapeError if there are more of them than 2^63 - 1
Tensor arange(std::int64_t begin, std::int64_t end);

/// The identity matrix [n, n]. @throws ShapeError that names eye for n < 0
Tensor eye(std::int64_t n, DType dtype = DType::kFloat32);

}  // namespace gradwalk
