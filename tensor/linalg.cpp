#include "tensor/linalg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "tensor/create.h"
#include "tensor/detail/dispatch.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"

namespace gradwalk {
namespace {

using Column = std::vector<double>;

double dot(const Column& a, const Column& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void rotate(Column& a, Column& b, double cosine, double sine) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double p = a[i];
    const double q = b[i];
    a[i] = cosine * p - sine * q;
    b[i] = sine * p + cosine * q;
  }
}

// Turns the columns pair by pair until all are orthogonal. v follows, so that x = columns v^T
// throughout.
void orthogonalize(std::vector<Column>& columns, std::vector<Column>& v) {
  // A dot product of m terms is rounded to about sqrt(m) epsilon: a smaller bound is never reached.
  const double tolerance =
      std::numeric_limits<double>::epsilon() *
      std::sqrt(columns.empty() ? 1.0 : static_cast<double>(columns[0].size()));
  constexpr int kMaxSweeps = 60;  // a handful are used; the bound only keeps a bad case finite
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool turned = false;
    for (std::size_t p = 0; p + 1 < columns.size(); ++p) {
      for (std::size_t q = p + 1; q < columns.size(); ++q) {
        const double pp = dot(columns[p], columns[p]);
        const double qq = dot(columns[q], columns[q]);
        const double pq = dot(columns[p], columns[q]);
        if (std::abs(pq) <= tolerance * std::sqrt(pp) * std::sqrt(qq)) continue;
        turned = true;
        const double zeta = (qq - pp) / (2 * pq);
        const double tangent = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double cosine = 1 / std::hypot(1.0, tangent);
        rotate(columns[p], columns[q], cosine, cosine * tangent);
        rotate(v[p], v[q], cosine, cosine * tangent);
      }
    }
    if (!turned) return;
  }
}

// A unit vector orthogonal to all of `basis`: what is left of the unit vector that they cover
// least.
Column orthogonal_to(const std::vector<Column>& basis, std::size_t size) {
  Column best;
  double best_norm = -1;
  for (std::size_t i = 0; i < size; ++i) {
    Column candidate(size);
    candidate[i] = 1;
    for (int twice = 0; twice < 2; ++twice) {  // once leaves rounding behind
      for (const Column& b : basis) {
        const double share = dot(candidate, b);
        for (std::size_t j = 0; j < size; ++j) candidate[j] -= share * b[j];
      }
    }
    const double norm = std::sqrt(dot(candidate, candidate));
    if (norm > best_norm) {
      best_norm = norm;
      best = candidate;
    }
  }
  for (double& element : best) element /= best_norm;
  return best;
}

Tensor columns_to_tensor(const std::vector<Column>& columns, std::size_t size, DType dtype) {
  std::vector<double> values;
  for (const Column& column : columns) values.insert(values.end(), column.begin(), column.end());
  const Shape rows = {static_cast<std::int64_t>(columns.size()), static_cast<std::int64_t>(size)};
  return transpose(from_vector(values, rows, dtype));
}

// The exponent of the largest element: without it squares stay in float64's range.
int largest_exponent(const Tensor& x) {
  double largest = 0;
  for (const double element : x.to_vector()) largest = std::max(largest, std::abs(element));
  return largest == 0 ? 0 : std::ilogb(largest);
}

// M >= N
Svd tall_svd(const Tensor& x) {
  const auto m = static_cast<std::size_t>(x.shape()[0]);
  const auto n = static_cast<std::size_t>(x.shape()[1]);
  std::vector<Column> columns(n);
  std::vector<Column> v(n, Column(n));
  const int exponent = largest_exponent(x);
  for (std::size_t j = 0; j < n; ++j) {
    columns[j] = select(x, 1, static_cast<std::int64_t>(j)).to_vector();
    for (double& element : columns[j]) element = std::ldexp(element, -exponent);
    v[j][j] = 1;
  }
  orthogonalize(columns, v);

  std::vector<double> norms(n);
  for (std::size_t j = 0; j < n; ++j) norms[j] = std::sqrt(dot(columns[j], columns[j]));
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return norms[a] > norms[b]; });

  std::vector<Column> u;
  std::vector<Column> sorted_v;
  std::vector<double> s;
  for (const std::size_t j : order) {
    s.push_back(std::ldexp(norms[j], exponent));
    sorted_v.push_back(v[j]);
    // A column that is rounding noise beside the largest has no direction of its own.
    if (norms[j] > std::numeric_limits<double>::epsilon() * norms[order[0]]) {
      for (double& element : columns[j]) element /= norms[j];
      u.push_back(columns[j]);
    } else {
      u.push_back(orthogonal_to(u, m));
    }
  }
  return {columns_to_tensor(u, m, x.dtype()),
          from_vector(s, {static_cast<std::int64_t>(n)}, x.dtype()),
          transpose(columns_to_tensor(sorted_v, n, x.dtype()))};
}

void check_matrix(const char* op, const Tensor& x) {
  visit_float(op, x, [](auto) {});
  if (x.ndim() != 2) {
    throw_shape_error(op, "a matrix", fmt::format("ndim {}", x.ndim()), {{"x", x.shape()}});
  }
  for (const double element : x.to_vector()) {
    if (!std::isfinite(element)) {
      throw_argument_error(op, "finite elements", fmt::format("{}", element), {{"x", x.shape()}});
    }
  }
}

}  // namespace

Svd svd(const Tensor& x) {
  check_matrix("svd", x);
  if (x.shape()[0] >= x.shape()[1]) return tall_svd(x);
  const Svd flipped = tall_svd(transpose(x));
  return {transpose(flipped.vt), flipped.s, transpose(flipped.u)};
}

Tensor pinv(const Tensor& x, std::optional<double> cutoff) {
  check_matrix("pinv", x);
  const double epsilon = x.dtype() == DType::kFloat32 ? std::numeric_limits<float>::epsilon()
                                                      : std::numeric_limits<double>::epsilon();
  const double share =
      cutoff.value_or(epsilon * static_cast<double>(std::max(x.shape()[0], x.shape()[1])));
  if (!(share >= 0)) {
    throw_argument_error("pinv", "cutoff >= 0", fmt::format("{}", share), {{"x", x.shape()}});
  }
  const Svd parts = svd(to(x, DType::kFloat64));
  std::vector<double> inverse = parts.s.to_vector();
  const double least = inverse.empty() ? 0 : share * inverse[0];
  for (double& s : inverse) s = s > least ? 1 / s : 0;
  const Tensor scaled_u = parts.u * from_vector(inverse, parts.s.shape(), DType::kFloat64);
  return to(transpose(matmul(scaled_u, parts.vt)), x.dtype());
}

}  // namespace gradwalk
