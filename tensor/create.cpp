#include "tensor/create.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tensor/detail/convert.h"
#include "tensor/detail/dispatch.h"

namespace gradwalk {
namespace {

Tensor full_named(const char* op, const Shape& shape, double value, DType dtype) {
  Tensor y(op, shape, dtype);
  visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    T* out = y.mutable_data<T>();
    std::fill(out, out + y.numel(), convert<T>(op, value));
  });
  return y;
}

Tensor copied(const char* op, const std::vector<double>& values, const Shape& shape, DType dtype) {
  Tensor y(op, shape, dtype);
  if (static_cast<std::int64_t>(values.size()) != y.numel()) {
    throw_shape_error(op, fmt::format("{} values", y.numel()), fmt::format("{}", values.size()),
                      {{"shape", shape}});
  }
  visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    T* out = y.mutable_data<T>();
    for (const double value : values) *out++ = convert<T>(op, value);
  });
  return y;
}

}  // namespace

Tensor full(const Shape& shape, double value, DType dtype) {
  return full_named("full", shape, value, dtype);
}
Tensor zeros(const Shape& shape, DType dtype) { return full_named("zeros", shape, 0, dtype); }
Tensor ones(const Shape& shape, DType dtype) { return full_named("ones", shape, 1, dtype); }
Tensor scalar(double value, DType dtype) { return full_named("scalar", {}, value, dtype); }

Tensor vector(std::initializer_list<double> values, DType dtype) {
  return copied("vector", values, {static_cast<std::int64_t>(values.size())}, dtype);
}

Tensor matrix(std::initializer_list<std::initializer_list<double>> rows, DType dtype) {
  const std::size_t columns = rows.size() == 0 ? 0 : rows.begin()->size();
  std::vector<double> values;
  for (const auto& row : rows) {
    if (row.size() != columns) {
      throw_shape_error("matrix", fmt::format("rows of {} values", columns),
                        fmt::format("one of {}", row.size()));
    }
    values.insert(values.end(), row.begin(), row.end());
  }
  return copied("matrix", values,
                {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns)},
                dtype);
}

Tensor from_vector(const std::vector<double>& values, const Shape& shape, DType dtype) {
  return copied("from_vector", values, shape, dtype);
}

Tensor arange(std::int64_t begin, std::int64_t end) {
  std::int64_t count = 0;
  if (end > begin && __builtin_sub_overflow(end, begin, &count)) {
    throw_shape_error("arange", "end - begin that fits int64", fmt::format("{} to {}", begin, end));
  }
  Tensor y("arange", {count}, DType::kInt64);
  std::int64_t* out = y.mutable_data<std::int64_t>();
  std::iota(out, out + y.numel(), begin);
  return y;
}

Tensor eye(std::int64_t n, DType dtype) {
  Tensor x("eye", {n, n}, dtype);
  visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    T* element = x.mutable_data<T>();
    std::fill(element, element + x.numel(), T{});
    for (std::int64_t i = 0; i < n; ++i) element[i * (n + 1)] = T{1};
  });
  return x;
}

}  // namespace gradwalk
