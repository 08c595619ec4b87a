#include "autograd/grad_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/backward.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/random.h"
#include "tensor/reduce.h"

namespace gradwalk {
namespace {

using Function = std::function<Variable(const std::vector<Variable>&)>;

std::vector<std::int64_t> index_at(std::int64_t position, const Shape& shape) {
  std::vector<std::int64_t> index(static_cast<std::size_t>(shape.ndim()));
  for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
    index[static_cast<std::size_t>(axis)] = position % shape[axis];
    position /= shape[axis];
  }
  return index;
}

// sum(w * f(inputs)) without a graph.
double weighted(const Function& f, const std::vector<Tensor>& inputs, const Tensor& weights) {
  const NoGrad guard;
  const Variable y = f(std::vector<Variable>(inputs.begin(), inputs.end()));
  return sum(mul(weights, y.value())).item();
}

// The central difference for every entry of one input.
std::vector<double> differences(const Function& f, std::vector<Tensor> inputs, std::size_t which,
                                const Tensor& weights, double step) {
  const std::vector<double> original = inputs[which].to_vector();
  const Shape shape = inputs[which].shape();
  std::vector<double> result;
  for (std::size_t i = 0; i < original.size(); ++i) {
    const auto moved = [&](double by) {
      std::vector<double> values = original;
      values[i] += by;
      inputs[which] = from_vector(values, shape, DType::kFloat64);
      return weighted(f, inputs, weights);
    };
    result.push_back((moved(step) - moved(-step)) / (2 * step));
  }
  return result;
}

double largest_size(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace

GradCheckReport grad_check(std::string_view op, const Function& f,
                           const std::vector<Tensor>& inputs, const GradCheckOptions& options) {
  std::vector<Tensor> exact;
  std::vector<Variable> leaves;
  for (const Tensor& input : inputs) {
    exact.push_back(to(input, DType::kFloat64));
    leaves.push_back(parameter(exact.back()));
  }
  const Variable y = f(leaves);
  Generator generator(options.seed, fmt::format("grad_check {}", op));
  const Tensor weights = normal(y.shape(), generator, DType::kFloat64);
  const double scale = largest_size((mul(weights, y.value())).to_vector());
  backward(y, weights);

  GradCheckReport report{true, 0, 0, options.step, ""};
  for (std::size_t which = 0; which < leaves.size(); ++which) {
    const Tensor& grad = leaves[which].grad();
    const Shape& shape = exact[which].shape();
    const std::vector<double> ours =
        grad.defined() ? grad.to_vector()
                       : std::vector<double>(static_cast<std::size_t>(shape.numel()), 0.0);
    const std::vector<double> numeric = differences(f, exact, which, weights, options.step);
    const double floor = std::max(1e-2 * largest_size(numeric), 1e-4 * scale);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ++report.entries;
      const double size = std::max({std::abs(ours[i]), std::abs(numeric[i]), floor});
      const double difference = std::abs(ours[i] - numeric[i]);
      const double error = std::isnan(difference) ? std::numeric_limits<double>::infinity()
                           : difference == 0      ? 0
                                                  : difference / size;
      if (error <= report.worst) continue;
      report.worst = error;
      if (error <= options.tolerance) continue;
      report.ok = false;
      report.message =
          fmt::format("{}: d/d input {} at [{}]: backward {}, central difference {} (step {:.0e})",
                      op, which, fmt::join(index_at(static_cast<std::int64_t>(i), shape), ", "),
                      ours[i], numeric[i], options.step);
    }
  }
  return report;
}

}  // namespace gradwalk
