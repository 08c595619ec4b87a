#include <algorithm>
#include <array>
#include <type_traits>

#include "tensor/kernels/layer_norm.h"
#include "tensor/kernels/norm_rows.h"
#include "tensor/kernels/simd_rows.h"

// With g = gamma dy and xhat = (x - mean) rstd:
//
//   dx     = rstd (g - mean(g) - xhat mean(g xhat))
//   dgamma = sum over rows of dy xhat         dbeta = sum over rows of dy
//
// Rows whose numbers are of ordinary size run in lanes of float32, which is the speed of memory;
// others, and float64, in lanes of float64. The lanes take four rows together, so that the sums
// over rows, which are float64, are read and written once for four.

namespace gradwalk::kernels {

namespace {

constexpr std::int64_t kBlock = 4;
// A float32 partial sum takes width / 64 terms: at this width it is as exact as a product.
constexpr std::int64_t kWidestInLanes = 4096;

template <class T>
struct Row {
  const T* x;
  const T* dy;
  T* dx;
  double mean;
  double rstd;
};

template <class T>
void backward_in_float64(const Row<T>& row, std::int64_t width, const double* gamma, double* sums) {
  const simd::Wide d;
  const auto mean = hn::Set(d, row.mean);
  const auto rstd = hn::Set(d, row.rstd);
  const auto xhat = [=](std::int64_t i, auto part) HWY_ATTR {
    return hn::Mul(hn::Sub(simd::load_wide(row.x + i, part), mean), rstd);
  };
  const auto g = [=](std::int64_t i, auto part) HWY_ATTR {
    return hn::Mul(simd::load_wide(gamma + i, part), simd::load_wide(row.dy + i, part));
  };
  const auto [sum_g, sum_g_xhat] =
      simd::wide_sums<2>(width, [=](std::int64_t i, auto part) HWY_ATTR {
        return std::array{g(i, part), hn::Mul(g(i, part), xhat(i, part))};
      });
  const auto mean_g = hn::Set(d, sum_g / static_cast<double>(width));
  const auto mean_g_xhat = hn::Set(d, sum_g_xhat / static_cast<double>(width));
  simd::for_each_vector(d, width, [=](std::int64_t i, auto part) HWY_ATTR {
    const auto own_xhat = xhat(i, part);
    const auto rest = hn::NegMulAdd(own_xhat, mean_g_xhat, hn::Sub(g(i, part), mean_g));
    simd::store_wide(hn::Mul(rstd, rest), row.dx + i, part);
    const auto dy = simd::load_wide(row.dy + i, part);
    add_to(sums + i, hn::Mul(dy, own_xhat), part);
    add_to(sums + width + i, dy, part);
  });
}

using Lanes = hn::ScalableTag<float>;

// A row in float32 lanes. The mean is taken off in two parts, so that the difference keeps its
// digits where the mean is far from zero.
struct LaneRow {
  const float* x;
  const float* dy;
  float* dx;
  float mean_high;
  float mean_low;
  float rstd;
  float mean_g;
  float mean_g_xhat;

  template <class Part>
  HWY_INLINE hn::Vec<Lanes> xhat(std::int64_t i, Part part) const {
    const Lanes d;
    const auto near = hn::Sub(simd::load(d, x + i, part), hn::Set(d, mean_high));
    return hn::Mul(hn::Sub(near, hn::Set(d, mean_low)), hn::Set(d, rstd));
  }
};

// False if the numbers of the row are too large or too small for products in float32.
bool sum_in_lanes(const Row<float>& row, std::int64_t width, const float* gamma, LaneRow& out) {
  if (!fits_lanes<float>(row.rstd)) return false;
  const Lanes d;
  const auto high = static_cast<float>(row.mean);
  out = {row.x,
         row.dy,
         row.dx,
         high,
         static_cast<float>(row.mean - double{high}),
         static_cast<float>(row.rstd),
         0,
         0};
  hn::Vec<Lanes> sum_g[4], sum_g_xhat[4], largest[4];
  for (int j = 0; j < 4; ++j) sum_g[j] = sum_g_xhat[j] = largest[j] = hn::Zero(d);
  const auto add = [&](std::int64_t i, int j, auto part) HWY_ATTR {
    __builtin_prefetch(row.dx + i, /*write=*/1);  // a store to a line that is away would wait
    const auto dy = simd::load(d, row.dy + i, part);
    const auto g = hn::Mul(simd::load(d, gamma + i, part), dy);
    sum_g[j] = hn::Add(sum_g[j], g);
    sum_g_xhat[j] = hn::MulAdd(g, out.xhat(i, part), sum_g_xhat[j]);
    largest[j] = hn::Max(largest[j], hn::Max(hn::Abs(dy), hn::Abs(g)));
  };
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + 4 * lanes <= width; i += 4 * lanes) {
    for (int j = 0; j < 4; ++j) add(i + j * lanes, j, simd::Whole());
  }
  for (; i + lanes <= width; i += lanes) add(i, 0, simd::Whole());
  if (i < width) add(i, 0, simd::First{static_cast<int>(width - i)});
  const auto total = [d](const hn::Vec<Lanes>(&of)[4]) HWY_ATTR {
    const auto sum = hn::Add(hn::Add(of[0], of[1]), hn::Add(of[2], of[3]));
    return hn::GetLane(hn::SumOfLanes(d, sum));
  };
  out.mean_g = total(sum_g) / static_cast<float>(width);
  out.mean_g_xhat = total(sum_g_xhat) / static_cast<float>(width);
  const float most = hn::GetLane(
      hn::MaxOfLanes(d, hn::Max(hn::Max(largest[0], largest[1]), hn::Max(largest[2], largest[3]))));
  const bool is_number = out.mean_g == out.mean_g && out.mean_g_xhat == out.mean_g_xhat;
  return is_number && (most == 0 || fits_lanes<float>(double{most}));
}

template <class Part>
HWY_INLINE void add_lanes_to(double* sums, hn::Vec<Lanes> v, Part part) {
  const hn::Half<Lanes> half;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(half));
  const auto low = hn::PromoteTo(simd::Wide(), hn::LowerHalf(half, v));
  const auto high = hn::PromoteTo(simd::Wide(), hn::UpperHalf(half, v));
  if constexpr (std::is_same_v<Part, simd::Whole>) {
    add_to(sums, low, part);
    add_to(sums + lanes, high, part);
  } else {
    const int below = std::min(part.count, static_cast<int>(lanes));
    add_to(sums, low, simd::First{below});
    if (part.count > below) add_to(sums + lanes, high, simd::First{part.count - below});
  }
}

void backward_in_lanes(const LaneRow (&rows)[kBlock], std::int64_t width, const float* gamma,
                       double* sums) {
  const Lanes d;
  simd::for_each_vector(d, width, [=, &rows](std::int64_t i, auto part) HWY_ATTR {
    const auto scale = simd::load(d, gamma + i, part);
    auto gamma_part = hn::Zero(d);
    auto beta_part = hn::Zero(d);
    for (const LaneRow& row : rows) {
      const auto dy = simd::load(d, row.dy + i, part);
      const auto xhat = row.xhat(i, part);
      const auto g = hn::Sub(hn::Mul(scale, dy), hn::Set(d, row.mean_g));
      const auto rest = hn::NegMulAdd(xhat, hn::Set(d, row.mean_g_xhat), g);
      simd::store(hn::Mul(hn::Set(d, row.rstd), rest), d, row.dx + i, part);
      gamma_part = hn::MulAdd(dy, xhat, gamma_part);
      beta_part = hn::Add(beta_part, dy);
    }
    add_lanes_to(sums + i, gamma_part, part);
    add_lanes_to(sums + width + i, beta_part, part);
  });
}

template <class T>
void backward_block(const Row<T>* rows, std::int64_t count, std::int64_t width, const T* gamma,
                    const double* wide_gamma, double* sums) {
  if constexpr (sizeof(T) == sizeof(float)) {
    LaneRow in_lanes[kBlock];
    bool fit = count == kBlock && width <= kWidestInLanes;
    for (std::int64_t k = 0; fit && k < count; ++k) {
      fit = sum_in_lanes(rows[k], width, gamma, in_lanes[k]);
    }
    if (fit) return backward_in_lanes(in_lanes, width, gamma, sums);
  }
  for (std::int64_t k = 0; k < count; ++k) backward_in_float64(rows[k], width, wide_gamma, sums);
}

}  // namespace

template <class T>
void layer_norm_backward(const NormRows<T>& in, const double* mean, const double* rstd, const T* dy,
                         T* dx, T* dgamma, T* dbeta) {
  const std::int64_t width = in.width;
  const Features<T> gamma(in.gamma, width, 1);
  Scratch<double> wide_gamma = features(in.gamma, width, 1);
  const auto some = [&, scale = wide_gamma.data()](std::int64_t first, std::int64_t last,
                                                   double* sums) {
    for (std::int64_t r = first; r < last; r += kBlock) {
      const std::int64_t count = std::min(kBlock, last - r);
      Row<T> rows[kBlock];
      for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t at = (r + k) * width;
        rows[k] = {in.x + at, dy + at, dx + at, mean[r + k], rstd[r + k]};
      }
      backward_block(rows, count, width, gamma.data(), scale, sums);
    }
  };
  T* const into[] = {dgamma, dbeta};
  sum_over_rows<T>(in.rows, width, into, some);
}

template void layer_norm_backward(const NormRows<float>&, const double*, const double*,
                                  const float*, float*, float*, float*);
template void layer_norm_backward(const NormRows<double>&, const double*, const double*,
                                  const double*, double*, double*, double*);

}  // namespace gradwalk::kernels
