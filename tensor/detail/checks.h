#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "tensor/error.h"
#include "tensor/tensor.h"

/// Checks that several ops share. Each error names the op, the operand and the shapes.
namespace gradwalk {

/// Ids that an op looks up (class ids, rows of a table): int64, each in [0, count).
///
/// @param which     what the error calls them, the parameter's name
/// @param ignored   one id that is let through although it may lie outside
/// @param operands  for the error
/// @return          the ids in row-major order; themselves if they are so already
/// @throws std::invalid_argument for another dtype; std::out_of_range with the first id outside and
/// its index
Tensor checked_ids(const char* op, std::string_view which, const Tensor& ids, std::int64_t count,
                   std::optional<std::int64_t> ignored, std::initializer_list<Operand> operands);

/// @throws std::invalid_argument unless the dtype is float32 or float64
void check_float(const char* op, DType dtype, std::initializer_list<Operand> operands);

/// The gradient of a loss: one number of the dtype of what it is a loss of.
/// @throws ShapeError unless dy is 0-d; std::invalid_argument if it is undefined or of another
/// dtype
void check_loss_gradient(const char* op, const Tensor& dy, const Operand& of, DType dtype,
                         std::initializer_list<Operand> operands);

}  // namespace gradwalk
