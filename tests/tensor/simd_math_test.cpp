// The vector functions of kernels/simd_math.h against libm in double precision, over floats of all
// sizes and both signs: zeros, denormal numbers, the largest ones, infinities and NaN.

#include "tensor/kernels/simd_math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace gradwalk::kernels {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// One float in 997, over all bit patterns; a prime, so that mantissas of all kinds come.
std::vector<float> all_floats() {
  std::vector<float> values;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 997) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  for (const double special : {0.0, -0.0, 1.0, -1.0, kInf, -kInf, std::nan(""), 1e-45, -1e-45}) {
    values.push_back(static_cast<float>(special));
  }
  return values;
}

// 200,001 doubles, evenly from -last to last.
std::vector<double> doubles_to(double last) {
  std::vector<double> values;
  for (int i = -100'000; i <= 100'000; ++i) values.push_back(last * i / 100'000);
  for (const double special : {1e-300, -1e-17, 1e-9, kInf, -kInf, std::nan("")}) {
    values.push_back(special);
  }
  return values;
}

template <class T, class F>
std::vector<T> on_all(F f, const std::vector<T>& x) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d));
  std::vector<T> y(x.size());
  const auto count = static_cast<std::ptrdiff_t>(x.size());
  for (std::ptrdiff_t i = 0; i < count; i += lanes) {
    const int n = static_cast<int>(std::min(lanes, count - i));
    store_first(f(d, load_first(d, x.data() + i, n)), d, y.data() + i, n);
  }
  return y;
}

// The distance between two neighbours at `value`, which may be denormal.
template <class T>
double ulp(double value) {
  using Limits = std::numeric_limits<T>;
  const int exponent = std::max(std::ilogb(value), Limits::min_exponent - 1);
  return std::ldexp(1.0, exponent - Limits::digits + 1);
}

// The largest error of f in ulp, over those x in [low, high]; prints it and where it is. NaN and
// infinities must be met exactly.
template <class T, class F, class G>
double largest_error(const char* what, F f, G exact, const std::vector<T>& x, double low,
                     double high) {
  const std::vector<T> y = on_all(f, x);
  double largest = 0;
  T where{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto at = static_cast<double>(x[i]);
    if (at < low || at > high) continue;
    const auto want = exact(static_cast<double>(x[i]));
    const auto rounded = static_cast<T>(want);
    double error = 0;
    if (std::isnan(rounded)) {
      error = std::isnan(y[i]) ? 0 : kInf;
    } else if (rounded == y[i]) {
      error = 0;  // zeros and infinities too
    } else {
      error = std::abs(static_cast<double>(y[i]) - want) / (want == 0 ? 1e-300 : ulp<T>(want));
    }
    if (!(error <= largest)) {
      largest = error;
      where = x[i];
    }
  }
  std::printf("  %-24s %.3f ulp at most, at %.9g\n", what, largest, static_cast<double>(where));
  return largest;
}

constexpr auto kExp = [](auto d, auto x) { return simd::exp(d, x); };
constexpr auto kExpNonpositive = [](auto d, auto x) { return simd::exp_nonpositive(d, x); };
constexpr auto kExp2 = [](auto d, auto x) { return simd::exp2(d, x); };
constexpr auto kTanh = [](auto d, auto x) { return simd::tanh(d, x); };
constexpr auto kSigmoid = [](auto d, auto x) { return simd::logistic(d, x).value; };
constexpr auto kSigmoidSlope = [](auto d, auto x) { return simd::logistic(d, x).slope; };
constexpr auto kCdf = [](auto d, auto x) { return simd::normal(d, x).cdf; };
constexpr auto kDensity = [](auto d, auto x) { return simd::normal(d, x).density; };

double exact_exp(double x) { return std::exp(x); }
double exact_exp2(double x) { return std::exp2(x); }
double exact_tanh(double x) { return std::tanh(x); }
double exact_sigmoid(double x) {
  const double e = std::exp(-std::abs(x));
  return (x < 0 ? e : 1) / (1 + e);
}
double exact_slope(double x) {
  const double e = std::exp(-std::abs(x));
  return e / ((1 + e) * (1 + e));
}
double exact_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }
double exact_density(double x) {
  return std::exp(-0.5 * x * x) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

TEST(SimdMath, FloatsWithinDocumentedUlps) {
  const std::vector<float> x = all_floats();
  EXPECT_LE(largest_error("exp", kExp, exact_exp, x, -kInf, kInf), 1.1);
  EXPECT_LE(largest_error("exp_nonpositive to -1", kExpNonpositive, exact_exp, x, -1, 0), 2.5);
  // 20 where multiply-add is one rounding
  EXPECT_LE(largest_error("exp_nonpositive to -87", kExpNonpositive, exact_exp, x, -87, 0), 64);
  EXPECT_LE(largest_error("exp2", kExp2, exact_exp2, x, -126, 127), 2.5);
  EXPECT_LE(largest_error("tanh", kTanh, exact_tanh, x, -kInf, kInf), 3);
  EXPECT_LE(largest_error("sigmoid", kSigmoid, exact_sigmoid, x, -kInf, kInf), 3);
  EXPECT_LE(largest_error("sigmoid's slope", kSigmoidSlope, exact_slope, x, -kInf, kInf), 5);
}

// e^(-x^2 / 2) turns the rounding of x^2 into a relative error of x^2 / 2 epsilon.
TEST(SimdMath, NormalTailWithinWhatItsArgumentAllows) {
  const std::vector<float> x = all_floats();
  for (const double far : {1.0, 2.0, 4.0, 6.0, 10.0, 13.0}) {
    const double bound = 6 + far * far / 2;
    EXPECT_LE(largest_error("normal cdf", kCdf, exact_cdf, x, -far, far), bound);
    EXPECT_LE(largest_error("normal density", kDensity, exact_density, x, -far, far), bound);
  }
}

// libm's own double is rounded: half a unit of it is in these bounds.
TEST(SimdMath, DoublesWithinDocumentedUlps) {
  EXPECT_LE(largest_error("exp", kExp, exact_exp, doubles_to(800), -kInf, kInf), 1.6);
  EXPECT_LE(largest_error("exp_nonpositive", kExpNonpositive, exact_exp, doubles_to(1), -1, 0), 2);
  EXPECT_LE(largest_error("exp2", kExp2, exact_exp2, doubles_to(1000), -1000, 1000), 2);
  EXPECT_LE(largest_error("tanh", kTanh, exact_tanh, doubles_to(30), -kInf, kInf), 4);
  EXPECT_LE(largest_error("sigmoid", kSigmoid, exact_sigmoid, doubles_to(800), -kInf, kInf), 4);
  EXPECT_LE(largest_error("normal cdf", kCdf, exact_cdf, doubles_to(40), -kInf, kInf), 1);
}

template <class T>
void expect_exact_places() {
  const auto value = [](auto f, double x) {
    return static_cast<double>(on_all(f, std::vector<T>{static_cast<T>(x)})[0]);
  };
  const double inf = kInf;
  EXPECT_EQ(value(kExpNonpositive, 0), 1);
  EXPECT_EQ(value(kExpNonpositive, -inf), 0);  // a masked score weighs nothing at all
  EXPECT_EQ(value(kExpNonpositive, sizeof(T) == 4 ? -88 : -709), 0);
  EXPECT_TRUE(std::isnan(value(kExpNonpositive, std::nan(""))));
  EXPECT_EQ(value(kExp2, 0), 1);
  EXPECT_EQ(value(kExp2, -3), 0.125);
  EXPECT_EQ(value(kExp2, 127), 0x1p127);
  EXPECT_EQ(value(kExp2, -inf), 0);
  EXPECT_TRUE(std::isnan(value(kExp2, std::nan(""))));
  EXPECT_EQ(value(kExp, 0), 1);
  EXPECT_EQ(value(kExp, inf), inf);
  EXPECT_EQ(value(kTanh, inf), 1);
  EXPECT_TRUE(std::signbit(value(kTanh, -0.0)));
  EXPECT_EQ(value(kSigmoid, 0), 0.5);
  EXPECT_EQ(value(kCdf, -inf), 0);
}

TEST(SimdMath, ExactPlaces) {
  expect_exact_places<float>();
  expect_exact_places<double>();
}

}  // namespace
}  // namespace gradwalk::kernels
