#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/random.h"
#include "tensor/tensor.h"

/// What tests of all layers share.
namespace gradwalk::test {

/// Is this a build with a sanitizer, where all takes some twenty times as long?
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

/// A JSON file of tests/golden/.
nlohmann::json golden(const std::string& name);

/// The case with this id from cases/cases.json in the folder GRADWALK_TEST_DATA; null when that
/// folder is not there.
nlohmann::json bug_report(const std::string& id);

/// A nested list of numbers as a tensor; "NaN", "Infinity" and "-Infinity" stand for those values.
Tensor tensor_from(const nlohmann::json& nested, DType dtype = DType::kFloat64);

/// "" if |got - want| <= atol + rtol |want| everywhere and the shapes are equal; else the first
/// element that is not, with both.
std::string difference(const Tensor& got, const Tensor& want, double rtol, double atol = 0);

/// The same with a bound of its own for each element, of the shape of `want`: |got - want| <=
/// bound. A bound of +inf claims nothing.
std::string difference(const Tensor& got, const Tensor& want, const Tensor& bound);

/// The numbers that a float type has.
struct Limits {
  explicit Limits(DType dtype) : Limits(dtype == DType::kFloat32 ? of<float>() : of<double>()) {}

  double epsilon, largest, smallest, denormal;

 private:
  Limits(double e, double l, double s, double d)
      : epsilon(e), largest(l), smallest(s), denormal(d) {}
  template <class T>
  static Limits of() {
    using L = std::numeric_limits<T>;
    return {L::epsilon(), L::max(), L::min(), L::denorm_min()};
  }
};

/// How far a sum in `dtype` may lie from the exact one, in float64: terms * epsilon * magnitude,
/// where `magnitude` is the sum of the summands' sizes and `terms` counts roundings; the smallest
/// denormal for each term that underflows. +inf where partial sums may leave the dtype's range.
Tensor sum_bound(const Tensor& magnitude, DType dtype, double terms);

/// |x| in float64; infinities and NaN, which no bound can follow, become 0.
Tensor finite_sizes(const Tensor& x);

/// What the elements of a random case are like.
enum class Values {
  kPlain,     ///< normal, mean 0 and variance 1
  kIntegers,  ///< -3, ..., 3: ties, and zeros of both signs
  kHuge,      ///< up to the largest number of the dtype
  kTiny,      ///< about the smallest normal number
  kDenormal,  ///< below it
  kInfinite,  ///< plain, some of them infinities of both signs
  kNan,       ///< plain, some of them NaN
};

/// One random case of a test: dtype and class of values follow from its number, so that 14 cases
/// have met all of them; shapes, layouts and elements are drawn. The same number gives the same
/// case.
class RandomCase {
 public:
  RandomCase(std::string_view op, std::int64_t number);

  DType dtype() const { return dtype_; }  ///< float32 or float64
  Values values() const { return values_; }
  Generator& generator() { return generator_; }
  std::int64_t below(std::int64_t n) { return generator_.below(n); }

  /// Sizes that are odd, 1, seldom 0, and at times longer than a SIMD vector; at most 300 elements.
  Shape shape(int min_ndim = 0, int max_ndim = 4);
  /// A shape that broadcasts to this one: axes set to 1, leading ones dropped.
  Shape narrowed(const Shape& shape);
  /// An axis of the shape in [-ndim, ndim).
  int axis(const Shape& shape);

  /// A tensor of this shape in some layout: contiguous, permuted, sliced with steps, expanded, or
  /// all at once.
  Tensor tensor(const Shape& shape) { return tensor(shape, dtype_, values_); }
  Tensor tensor(const Shape& shape, DType dtype, Values values);

  /// The case in words, with every tensor that was drawn.
  std::string str() const { return text_; }

 private:
  double element(DType dtype, Values values);

  Generator generator_;
  DType dtype_;
  Values values_;
  std::string text_;
};

/// Calls f for the cases 0, 1, ..., count - 1 of this op. The first one that fails a check is
/// described and is the last.
void for_each_case(std::string_view op, std::int64_t count,
                   const std::function<void(RandomCase&)>& f);

}  // namespace gradwalk::test

/// Skips a test, and says so, where the folder with the outside cases is absent.
#define GRADWALK_SKIP_WITHOUT(case_json) \
  if ((case_json).is_null()) GTEST_SKIP() << "no cases/cases.json in " GRADWALK_TEST_DATA
