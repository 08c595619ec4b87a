#include "lessons/08_long_range/reach.h"

#include <cmath>
#include <numeric>

#include "autograd/backward.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_08 {

InputGradients input_gradients(Reader reader, std::int64_t length, std::uint64_t seed) {
  constexpr std::int64_t kWidth = 32, kOutputs = 8;
  const nn::Seed own = nn::Seed(seed) / "long_range/pull";
  Generator words = (own / "words").generator(), weights = (own / "weights").generator();
  const ReadingLayer layer(reader, kWidth, own / "layer", DType::kFloat64);
  const Tensor text = normal({1, length, kWidth}, words, DType::kFloat64);
  // The same text for each L, so that one backward gives all their gradients.
  const Variable x = parameter(contiguous(expand(text, {kOutputs, length, kWidth})));
  backward(layer(x), normal({kOutputs, kWidth}, weights, DType::kFloat64));
  const auto size = [&](std::int64_t t) {
    const Tensor dx = select(x.grad(), /*axis=*/1, t);
    return std::sqrt(sum(dx * dx).item() / kOutputs);
  };
  return {.far = size(0), .near = size(length - 2)};
}

double slope_of(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xy = 0, xx = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    xx += (x[i] - mean_x) * (x[i] - mean_x);
  }
  return xy / xx;
}

double geometric_mean(const std::vector<double>& values) {
  double logs = 0;
  for (const double value : values) logs += std::log(value);
  return std::exp(logs / static_cast<double>(values.size()));
}

}  // namespace gradwalk::lesson_08
