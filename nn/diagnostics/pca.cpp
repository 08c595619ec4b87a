#include "nn/diagnostics/pca.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tensor/create.h"
#include "tensor/detail/checks.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/linalg.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"

namespace gradwalk::nn {
namespace {

void check_pca(const Tensor& x) {
  check_defined("pca", x);
  check_float("pca", x.dtype(), {{"x", x.shape()}});
  if (x.ndim() != 2 || x.shape()[0] < 2 || x.shape()[1] < 1) {
    throw_shape_error("pca", "x [N, D], N >= 2, D >= 1", x.shape().str(), {{"x", x.shape()}});
  }
  for (const double element : x.to_vector()) {
    if (!std::isfinite(element)) {
      throw_argument_error("pca", "finite elements", fmt::format("{}", element),
                           {{"x", x.shape()}});
    }
  }
}

// [K, 1], 1 or -1: what makes the entry of largest magnitude of each row positive.
Tensor signs(const Tensor& components) {
  constexpr double kTie = 1e-6;  // entries closer than this may change places by rounding
  std::vector<double> all;
  for (std::int64_t k = 0; k < components.shape()[0]; ++k) {
    const std::vector<double> row = select(components, 0, k).to_vector();
    double largest = 0;
    for (const double entry : row) largest = std::max(largest, std::abs(entry));
    const auto first = std::find_if(row.begin(), row.end(), [&](double entry) {
      return std::abs(entry) >= largest * (1 - kTie);
    });
    all.push_back(*first < 0 ? -1 : 1);
  }
  return from_vector(all, {components.shape()[0], 1}, DType::kFloat64);
}

}  // namespace

Pca pca(const Tensor& x) {
  check_pca(x);
  const Tensor wide = to(x, DType::kFloat64);
  const Tensor center = mean(wide, /*axes=*/0, /*keepdims=*/true);
  const Tensor centered = wide - center;
  const Svd parts = svd(centered);
  const Tensor components = parts.vt * signs(parts.vt);
  const Tensor variances = parts.s * parts.s / static_cast<double>(x.shape()[0] - 1);
  const double total = sum(variances).item();
  const Tensor ratio = total == 0 ? variances : variances / total;
  const auto narrow = [&](const Tensor& y) { return to(y, x.dtype()); };
  return {narrow(squeeze(center, 0)), narrow(components), narrow(variances), narrow(ratio),
          narrow(matmul(centered, transpose(components)))};
}

}  // namespace gradwalk::nn
