#pragma once

// Exponentials and what is made of them, a vector at a time, for float and double.
//
// All stand on e^x = 2^n e^r with whole n and |r| <= ln(2) / 2: a short polynomial gives e^r, and
// 2^n costs no multiplication at all. Adding 1.5 * 2^m + bias to n, where m is the number of
// mantissa bits, leaves n + bias in the lowest bits of the sum; shifted up by m they are the
// exponent of a float. The same sum rounds x / ln(2) to the whole number n.
//
// Errors in float, in units in the last place (ulp), over all inputs: exp 1.1, exp_nonpositive and
// exp2 2.5 near 0 (exp_nonpositive at -87: 20, and 64 where there is no fused multiply-add), tanh
// 3, sigmoid 3, its slope 5, the normal distribution 6 + x^2 / 2; in double no more. A NaN gives
// NaN. The polynomials are minimax fits (Remez) for float and Taylor's for double. Source of the
// shifted exponent: Schraudolph 1999; of the two-part ln(2): Cody and Waite 1980.

#include <hwy/contrib/math/math-inl.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "tensor/kernels/simd.h"

namespace gradwalk::kernels::simd {

template <class T>
struct ExpConstants;

template <>
struct ExpConstants<float> {
  static constexpr int kMantissaBits = 23;
  static constexpr float kBias = 127;
  static constexpr float kShifter = 0x1.8p23F;  // whole numbers are 1 apart here
  // (2^r - 1) / r for |r| <= 1/2, to 9e-8 of 2^r.
  static constexpr std::array<float, 5> kExp2 = {0.693147004F, 0.240222424F, 0.0555073358F,
                                                 0.00967149809F, 0.00132647541F};
  // (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2; e^r to 3e-9.
  static constexpr std::array<float, 5> kExp = {0.49999994F, 0.166665211F, 0.0416683853F,
                                                0.00836871006F, 0.00138146407F};
  static constexpr float kLn2High = 0.693359375F;  // 9 bits: exact times n
  static constexpr float kLn2Low = -0.000212194440F;
  // Past these, exp rounds to 0 and to infinity.
  static constexpr float kLowest = -104;
  static constexpr float kHighest = 89;
};

// first, first x / (n + 1), first x^2 / ((n + 1) (n + 2)), ...
template <std::size_t N>
constexpr std::array<double, N> taylor(double first, int n, double x) {
  std::array<double, N> terms{};
  for (double& term : terms) {
    term = first;
    first *= x / ++n;
  }
  return terms;
}

template <>
struct ExpConstants<double> {
  static constexpr int kMantissaBits = 52;
  static constexpr double kBias = 1023;
  static constexpr double kShifter = 0x1.8p52;
  static constexpr auto kExp2 = taylor<13>(std::numbers::ln2, 1, std::numbers::ln2);
  static constexpr auto kExp = taylor<12>(0.5, 2, 1.0);
  static constexpr double kLn2High = 0x1.62e42feep-1;  // 32 bits
  static constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  static constexpr double kLowest = -746;
  static constexpr double kHighest = 710;
};

template <class D, class V = hn::Vec<D>, class T, std::size_t N>
HWY_INLINE V polynomial(D d, V x, const std::array<T, N>& coefficients) {
  V y = hn::Set(d, coefficients[N - 1]);
  for (std::size_t k = N - 1; k-- > 0;) y = hn::MulAdd(y, x, hn::Set(d, coefficients[k]));
  return y;
}

// x, but not below `limit`. The order of the arguments keeps a NaN in x, on x86 too.
template <class D, class V = hn::Vec<D>, class T>
HWY_INLINE V at_least(D d, T limit, V x) {
  return hn::Max(hn::Set(d, limit), x);
}

// 2^n from n + kShifter + kBias, -kBias <= n <= kBias; 0 for n = -kBias.
template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE V power_of_two(D d, V shifted) {
  const hn::RebindToUnsigned<D> bits;
  return hn::BitCast(d, hn::ShiftLeft<ExpConstants<T>::kMantissaBits>(hn::BitCast(bits, shifted)));
}

template <class T>
inline constexpr T kShifterAndBias = ExpConstants<T>::kShifter + ExpConstants<T>::kBias;

// 2^r 2^n
template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE V exp2_of_parts(D d, V r, V shifted) {
  const V fraction = hn::MulAdd(polynomial(d, r, ExpConstants<T>::kExp2), r, hn::Set(d, T{1}));
  return hn::Mul(fraction, power_of_two(d, shifted));
}

/// 2^u for u <= 127 (double: 1023), exactly 0 from -126.5 (-1022.5) down and 1 at 0. For softmax in
/// base 2, where one multiply-add makes u of a score and the row's maximum.
template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE V exp2(D d, V u) {
  const V shifter = hn::Set(d, kShifterAndBias<T>);
  u = at_least(d, -ExpConstants<T>::kBias, u);
  const V shifted = hn::Add(u, shifter);
  return exp2_of_parts(d, hn::Sub(u, hn::Sub(shifted, shifter)), shifted);
}

/// e^x for x <= 0, exactly 0 from -87.7 (double: -708.8) down and 1 at 0: the exponential of
/// softmax, where a large -x need not be exact.
template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE V exp_nonpositive(D d, V x) {
  const V shifter = hn::Set(d, kShifterAndBias<T>);
  const V log2e = hn::Set(d, std::numbers::log2e_v<T>);
  x = at_least(d, -ExpConstants<T>::kBias * std::numbers::ln2_v<T>, x);
  const V shifted = hn::MulAdd(x, log2e, shifter);
  return exp2_of_parts(d, hn::MulSub(x, log2e, hn::Sub(shifted, shifter)), shifted);
}

// x = n ln(2) + r.
template <class V>
struct ExpParts {
  V n, r;
};
template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE ExpParts<V> exp_parts(D d, V x) {
  using C = ExpConstants<T>;
  const V shifter = hn::Set(d, C::kShifter);
  const V n = hn::Sub(hn::MulAdd(x, hn::Set(d, std::numbers::log2e_v<T>), shifter), shifter);
  V r = hn::NegMulAdd(n, hn::Set(d, C::kLn2High), x);
  r = hn::NegMulAdd(n, hn::Set(d, C::kLn2Low), r);
  return {n, r};
}

// e^r - 1
template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE V expm1_of_rest(D d, V r) {
  return hn::MulAdd(hn::Mul(r, r), polynomial(d, r, ExpConstants<T>::kExp), r);
}

/// e^x for every x: denormal numbers, 0 and infinity where they are due.
template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE V exp(D d, V x) {
  using C = ExpConstants<T>;
  x = hn::Min(hn::Set(d, C::kHighest), at_least(d, C::kLowest, x));
  const auto [n, r] = exp_parts(d, x);
  const V fraction = hn::Add(hn::Set(d, T{1}), expm1_of_rest(d, r));
  // 2^n in two factors: one alone has no exponent for denormal results and for n = bias + 1.
  const V shifter = hn::Set(d, kShifterAndBias<T>);
  const V half = hn::MulAdd(n, hn::Set(d, T{0.5}), shifter);
  const V rest = hn::Add(hn::Sub(n, hn::Sub(half, shifter)), shifter);
  return hn::Mul(hn::Mul(fraction, power_of_two(d, half)), power_of_two(d, rest));
}

/// tanh(x) = (1 - e^(-2 |x|)) / (1 + e^(-2 |x|)), the numerator without cancellation.
template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE V tanh(D d, V x) {
  const V one = hn::Set(d, T{1});
  const V twice = hn::Mul(hn::Set(d, T{-2}), hn::Abs(x));
  const auto [n, r] = exp_parts(d, at_least(d, T{-80}, twice));
  const V scale = power_of_two(d, hn::Add(n, hn::Set(d, kShifterAndBias<T>)));
  const V expm1 = hn::MulAdd(scale, expm1_of_rest(d, r), hn::Sub(scale, one));
  return hn::CopySign(hn::Div(expm1, hn::Add(expm1, hn::Set(d, T{2}))), x);
}

/// sigmoid(x) = 1 / (1 + e^-x) and its derivative s (1 - s), both with their digits in the tails.
template <class V>
struct Logistic {
  V value, slope;
};
template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE Logistic<V> logistic(D d, V x) {
  const V one = hn::Set(d, T{1});
  const V e = exp(d, hn::Neg(hn::Abs(x)));
  const V positive = hn::Div(one, hn::Add(one, e));
  const V negative = hn::Mul(e, positive);
  return {hn::IfThenElse(hn::Lt(x, hn::Zero(d)), negative, positive), hn::Mul(negative, positive)};
}

/// log(1 + x) for x > -1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log1p(D d, V x) {
  return hn::Log1p(d, x);
}

/// The normal distribution: Phi(x), the probability of a value below x, and its density.
template <class V>
struct Normal {
  V cdf, density;
};

template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE Normal<V> normal(D d, V x) {
  const V bell = exp(d, hn::Mul(hn::Set(d, T{-0.5}), hn::Mul(x, x)));
  const V density =
      hn::Mul(bell, hn::Set(d, std::numbers::inv_sqrtpi_v<T> / std::numbers::sqrt2_v<T>));
  if constexpr (sizeof(T) == sizeof(float)) {
    // Phi(-|x|) = t Q(w) e^(-x^2 / 2) with t = 1 / (|x| + sqrt(8)) and w = 1 - 2 sqrt(8) t,
    // -1 <= w < 1, which keeps its digits in the tail; Q to 4e-8.
    constexpr std::array<float, 9> kQ = {0.722368062F,   -0.48589617F,     0.197614834F,
                                         -0.0257636849F, -0.0151909813F,   0.00455255387F,
                                         0.00210642442F, -0.000534784282F, -0.00032696026F};
    constexpr float kRoot8 = 2 * std::numbers::sqrt2_v<float>;
    const V one = hn::Set(d, 1.0F);
    const V t = hn::Div(one, hn::Add(hn::Abs(x), hn::Set(d, kRoot8)));
    const V q = polynomial(d, hn::NegMulAdd(hn::Set(d, 2 * kRoot8), t, one), kQ);
    const V tail = hn::Mul(hn::Mul(t, q), bell);
    const V cdf = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(one, tail));
    return {cdf, density};
  } else {
    HWY_ALIGN T lanes[HWY_LANES(T)];
    hn::Store(x, d, lanes);
    for (T& lane : lanes) lane = T{0.5} * std::erfc(-lane / std::numbers::sqrt2_v<T>);
    return {hn::Load(d, lanes), density};
  }
}

}  // namespace gradwalk::kernels::simd
