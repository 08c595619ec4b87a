#include "support.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "tensor/create.h"
#include "tensor/layout.h"

namespace gradwalk::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr const char* kValueNames[] = {"plain",    "integers", "huge", "tiny",
                                       "denormal", "infinite", "nan"};

double number(const nlohmann::json& value) {
  if (!value.is_string()) return value.get<double>();
  if (value == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (value == "Infinity") return std::numeric_limits<double>::infinity();
  if (value == "-Infinity") return -std::numeric_limits<double>::infinity();
  throw std::invalid_argument("not a number: " + value.dump());
}

void collect(const nlohmann::json& nested, std::vector<double>& values) {
  if (!nested.is_array()) {
    values.push_back(number(nested));
    return;
  }
  for (const auto& part : nested) collect(part, values);
}

}  // namespace

nlohmann::json golden(const std::string& name) {
  std::ifstream file(std::string(GRADWALK_SOURCE_DIR "/tests/golden/") + name);
  if (!file) throw std::runtime_error("no tests/golden/" + name);
  return nlohmann::json::parse(file);
}

nlohmann::json bug_report(const std::string& id) {
  std::ifstream file(GRADWALK_TEST_DATA "/cases/cases.json");
  if (!file) return nullptr;
  for (const auto& entry : nlohmann::json::parse(file)) {
    if (entry.at("id") == id) return entry;
  }
  throw std::invalid_argument("no case " + id);
}

Tensor tensor_from(const nlohmann::json& nested, DType dtype) {
  Shape shape;
  for (const nlohmann::json* part = &nested; part->is_array(); part = &part->front()) {
    shape.push_back(static_cast<std::int64_t>(part->size()));
    if (part->empty()) break;
  }
  std::vector<double> values;
  collect(nested, values);
  return from_vector(values, shape, dtype);
}

std::string difference(const Tensor& got, const Tensor& want, double rtol, double atol) {
  std::vector<double> bound = want.to_vector();
  for (double& element : bound) {
    // Beside an infinity or NaN only the same will do.
    element = std::isfinite(element) ? atol + rtol * std::abs(element) : 0;
  }
  return difference(got, want, from_vector(bound, want.shape(), DType::kFloat64));
}

std::string difference(const Tensor& got, const Tensor& want, const Tensor& bound) {
  if (got.shape() != want.shape()) {
    return fmt::format("shape {}, want {}", got.shape().str(), want.shape().str());
  }
  const std::vector<double> a = got.to_vector();
  const std::vector<double> b = want.to_vector();
  const std::vector<double> within = bound.to_vector();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])) ||
                      std::abs(a[i] - b[i]) <= within[i] || within[i] == kInfinity;
    if (!same) {
      return fmt::format("element {} (row-major): {}, want {} within {}", i, a[i], b[i], within[i]);
    }
  }
  return "";
}

Tensor sum_bound(const Tensor& magnitude, DType dtype, double terms) {
  const Limits limits(dtype);
  std::vector<double> bound = magnitude.to_vector();
  for (double& element : bound) {
    element =
        element < limits.largest ? terms * (limits.epsilon * element + limits.denormal) : kInfinity;
  }
  return from_vector(bound, magnitude.shape(), DType::kFloat64);
}

Tensor finite_sizes(const Tensor& x) {
  std::vector<double> sizes = x.to_vector();
  for (double& size : sizes) size = std::isfinite(size) ? std::abs(size) : 0;
  return from_vector(sizes, x.shape(), DType::kFloat64);
}

RandomCase::RandomCase(std::string_view op, std::int64_t number)
    : generator_(static_cast<std::uint64_t>(number), fmt::format("cases of {}", op)),
      dtype_(number % 2 == 0 ? DType::kFloat32 : DType::kFloat64),
      values_(static_cast<Values>(number / 2 % 7)),
      text_(fmt::format("{}, case {}:", op, number)) {}

Shape RandomCase::shape(int min_ndim, int max_ndim) {
  constexpr std::int64_t kSizes[] = {1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 9, 16, 17, 33, 67};
  constexpr std::int64_t kMostElements = 300;
  Shape shape;
  const auto ndim = min_ndim + static_cast<int>(below(max_ndim - min_ndim + 1));
  for (int axis = 0; axis < ndim; ++axis) {
    std::int64_t size = below(40) == 0 ? 0 : kSizes[below(std::size(kSizes))];
    while (size > 1 && shape.numel() * size > kMostElements) size /= 2;
    shape.push_back(size);
  }
  return shape;
}

Shape RandomCase::narrowed(const Shape& shape) {
  Shape narrow;
  for (auto axis = static_cast<int>(below(3) == 0 ? below(shape.ndim() + 1) : 0);
       axis < shape.ndim(); ++axis) {
    narrow.push_back(below(3) == 0 ? 1 : shape[axis]);
  }
  return narrow;
}

int RandomCase::axis(const Shape& shape) {
  return static_cast<int>(below(2 * shape.ndim())) - shape.ndim();
}

double RandomCase::element(DType dtype, Values values) {
  if (dtype == DType::kBool) return static_cast<double>(below(2));
  if (dtype == DType::kInt64) {
    return static_cast<double>(below(7) - 3) * (values == Values::kHuge ? 0x1p50 : 1);
  }
  const Limits limits(dtype);
  const double sign = below(2) == 0 ? 1 : -1;
  switch (values) {
    case Values::kPlain:
      return generator_.normal();
    case Values::kIntegers:
      return sign * static_cast<double>(below(4));
    case Values::kHuge:
      return sign * limits.largest * std::exp2(-10 * generator_.uniform());
    case Values::kTiny:
      return sign * limits.smallest * std::exp2(20 * generator_.uniform());
    case Values::kDenormal:
      return sign * limits.denormal * static_cast<double>(below(std::int64_t{1} << 20));
    case Values::kInfinite:
      return below(5) == 0 ? sign * kInfinity : generator_.normal();
    case Values::kNan:
      return below(5) == 0 ? std::nan("") : generator_.normal();
  }
  return 0;
}

Tensor RandomCase::tensor(const Shape& shape, DType dtype, Values values) {
  enum { kContiguous, kPermuted, kSliced, kExpanded, kAll };
  const auto layout = below(5);
  const bool expands = layout == kExpanded || layout == kAll;
  const bool slices = layout == kSliced || layout == kAll;

  std::vector<int> order;  // order[i]: the axis of the result that axis i of the memory becomes
  for (int axis = 0; axis < shape.ndim(); ++axis) order.push_back(axis);
  if (layout == kPermuted || layout == kAll) {
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
    }
  }
  struct Cut {
    std::int64_t size, begin, step;
  };
  Shape memory;
  std::vector<Cut> cuts;
  std::vector<int> place(order.size());
  for (const int axis : order) {
    place[static_cast<std::size_t>(axis)] = memory.ndim();
    const std::int64_t size = expands && below(2) == 0 ? 1 : shape[axis];
    const bool cut = slices && below(2) == 0;
    cuts.push_back({size, cut ? below(3) : 0, cut ? 1 + below(3) : 1});
    memory.push_back(cuts.back().begin + size * cuts.back().step + (cut ? below(2) : 0));
  }
  std::vector<double> elements;
  for (std::int64_t i = 0; i < memory.numel(); ++i) elements.push_back(element(dtype, values));
  Tensor x = from_vector(elements, memory, dtype);
  for (int axis = 0; axis < x.ndim(); ++axis) {
    const Cut cut = cuts[static_cast<std::size_t>(axis)];
    x = slice(x, axis, cut.begin, cut.begin + cut.size * cut.step, cut.step);
  }
  x = expand(permute(x, std::span<const int>(place)), shape);
  text_ +=
      fmt::format(" {} {} {} strides [{}] offset {};", x.shape().str(), name(dtype),
                  kValueNames[static_cast<std::size_t>(values)],
                  fmt::join(x.strides().begin(), x.strides().begin() + x.ndim(), ", "), x.offset());
  return x;
}

void for_each_case(std::string_view op, std::int64_t count,
                   const std::function<void(RandomCase&)>& f) {
  for (std::int64_t number = 0; number < count; ++number) {
    RandomCase random_case(op, number);
    f(random_case);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << random_case.str();
      return;
    }
  }
}

}  // namespace gradwalk::test
