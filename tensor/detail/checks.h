#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "tensor/error.h"
#include "tensor/tensor.h"

/// Checks of arguments, and what ops refuse alike. Each error names the op, the operand and the
/// shapes. What holds of every call costs a comparison; the words are put together where one fails.
namespace gradwalk {

// ---- Any operand.

/// @throws std::invalid_argument that names `op` if x is undefined
inline void check_defined(const char* op, const Tensor& x) {
  if (!x.defined()) throw_argument_error(op, "a tensor", "an undefined one");
}

/// @throws std::invalid_argument that names `op` and both dtypes unless they are one
void check_same_dtype(const char* op, const Operand& a, DType dtype_a, const Operand& b,
                      DType dtype_b);

/// The same for a fast path: the operands are named only where they differ.
inline void check_same_dtype(const char* op, const char* name_a, const Tensor& a,
                             const char* name_b, const Tensor& b) {
  if (a.dtype() == b.dtype()) return;
  check_same_dtype(op, {name_a, a.shape()}, a.dtype(), {name_b, b.shape()}, b.dtype());
}

/// @throws std::invalid_argument unless the dtype is float32 or float64
void check_float(const char* op, DType dtype, std::initializer_list<Operand> operands);

/// The same for a fast path, of one operand or of two that have one dtype.
inline void check_float(const char* op, const char* which, const Tensor& x) {
  if (!is_float(x.dtype())) check_float(op, x.dtype(), {{which, x.shape()}});
}
inline void check_float(const char* op, const char* name_a, const Tensor& a, const char* name_b,
                        const Tensor& b) {
  if (is_float(a.dtype())) return;
  check_float(op, a.dtype(), {{name_a, a.shape()}, {name_b, b.shape()}});
}

/// @throws std::invalid_argument that asks for `which` to be bool
void check_bool(const char* op, std::string_view which, DType dtype,
                std::initializer_list<Operand> operands);

[[noreturn]] void throw_ndim(const char* op, const Operand& x, int least);

/// @throws ShapeError unless x, which errors call `which`, has at least so many axes
inline void check_ndim(const char* op, const char* which, const Tensor& x, int least) {
  if (x.ndim() < least) throw_ndim(op, {which, x.shape()}, least);
}

[[noreturn]] void throw_not_shape_of(const char* op, const Operand& of, const Operand& x);

/// x with the shape of another operand: "x.shape == of.shape".
/// @throws ShapeError that names both
inline void check_shape_of(const char* op, const char* of_name, const Tensor& of,
                           const char* x_name, const Tensor& x) {
  if (x.shape() == of.shape()) return;
  throw_not_shape_of(op, {of_name, of.shape()}, {x_name, x.shape()});
}

/// For an operand that has not the one shape that it must have: "which.shape == [2, 3]".
[[noreturn]] void throw_other_shape(const char* op, std::string_view which, const Shape& got,
                                    const Shape& wanted, std::initializer_list<Operand> operands);

/// Whether expand takes a tensor of shape `from` to `shape`.
bool can_expand(const Shape& from, const Shape& shape);

/// The first axis along which elements share a place in memory, as an expanded view has; else -1.
int expanded_axis(const Tensor& x);

// ---- Axes and settings.

[[noreturn]] void throw_axis(const char* op, const Operand& of, int axis, int least, int most);

/// An axis in [least, most] as one in [0, most].
/// @throws ShapeError that names the operand if it is outside
inline int checked_axis(const char* op, const char* of_name, const Tensor& of, int axis, int least,
                        int most) {
  if (axis < least || axis > most) throw_axis(op, {of_name, of.shape()}, axis, least, most);
  return axis < 0 ? axis + most + 1 : axis;
}

/// @throws ShapeError if x, which errors call `which`, can have no axis more
void check_room_for_axis(const char* op, std::string_view which, const Tensor& x);

/// A setting in [0, end); `end` may be infinite: then it is finite.
/// @throws std::invalid_argument that names it; for NaN too
void check_setting(const char* op, const char* which, double value, double end,
                   std::initializer_list<Operand> operands = {});

/// @throws std::invalid_argument unless low <= high
void check_low_high(const char* op, double low, double high,
                    std::initializer_list<Operand> operands = {});

/// Query heads in groups of one size, a group for each key/value head.
/// @throws ShapeError unless num_heads % num_kv_heads == 0
void check_head_groups(const char* op, std::int64_t num_heads, std::int64_t num_kv_heads,
                       std::initializer_list<Operand> operands);

// ---- Ids and losses.

/// Ids that an op looks up (class ids, rows of a table): int64, each in [0, count).
///
/// @param which     what the error calls them, the parameter's name
/// @param ignored   one id that is let through although it may lie outside
/// @param operands  for the error
/// @return          the ids in row-major order; themselves if they are so already
/// @throws std::invalid_argument for another dtype; std::out_of_range with the first id outside and
///         its index
Tensor checked_ids(const char* op, std::string_view which, const Tensor& ids, std::int64_t count,
                   std::optional<std::int64_t> ignored, std::initializer_list<Operand> operands);

/// The gradient of a loss: one number of the dtype of what it is a loss of.
/// @throws ShapeError unless dy is 0-d; std::invalid_argument if it is undefined or of another
///         dtype
void check_loss_gradient(const char* op, const Tensor& dy, const Operand& of, DType dtype,
                         std::initializer_list<Operand> operands);

// ---- Rows, along the last axis.

/// The shape of one number a row: that of x without its last axis, which x must have.
inline Shape row_shape(const Shape& x) {
  return Shape(std::span<const std::int64_t>(x.begin(), x.end() - 1));
}

/// @throws std::invalid_argument unless x is float; ShapeError if it is 0-d
void check_rows(const char* op, const Tensor& x);

/// A learned number for each feature of x: [D] and x's dtype, if it is there at all.
void check_features(const char* op, const Tensor& x, std::string_view which,
                    const Tensor& features);

/// The gradient of the result of a norm: x's shape and dtype.
void check_upstream(const char* op, const Tensor& x, const Tensor& dy);

/// A number for each row of x, as the forward returned it: float64.
void check_statistic(const char* op, const Tensor& x, std::string_view which,
                     const Tensor& statistic);

}  // namespace gradwalk
