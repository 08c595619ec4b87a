#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "lessons/course/engine/record.h"

namespace gradwalk::course {
namespace {

Index index_of(std::int64_t flat, const std::vector<std::int64_t>& shape) {
  Index index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  return index;
}

bool agree(double recorded, double explained, double tolerance) {
  if (std::isnan(recorded)) return std::isnan(explained);
  return recorded == explained || std::abs(recorded - explained) <= tolerance;
}

// The first fault, and how many elements have one.
std::string faults(const TensorRecord& tensor, const Operands& operands) {
  std::int64_t wrong = 0;
  std::string first;
  for (std::int64_t flat = 0; flat < tensor.numel(); ++flat) {
    const Index index = index_of(flat, tensor.shape);
    const Explanation explanation = tensor.explain.at(index, operands);
    const double recorded = tensor.at(index);
    if (explanation.given ||
        agree(recorded, explanation.value, explanation_tolerance(tensor, explanation))) {
      continue;
    }
    if (wrong++ == 0) {
      first = fmt::format("{} is recorded as {:.17g}, explained as {:.17g} ({})",
                          element_text(tensor.name, index), recorded, explanation.value,
                          explanation.formula);
    }
  }
  return wrong > 1 ? fmt::format("{}; {} of {} elements differ", first, wrong, tensor.numel())
                   : first;
}

}  // namespace

double explanation_tolerance(const TensorRecord& tensor, const Explanation& explanation) {
  const bool single = tensor.dtype == "float32";
  const double epsilon =
      single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const double underflow =
      single ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  const double size = std::max(explanation.magnitude, std::abs(explanation.value));
  return epsilon * (8 + static_cast<double>(explanation.terms.size())) * size + underflow;
}

std::vector<std::string> verify_explanations(const RunRecord& run) {
  std::vector<std::string> messages;
  for (std::size_t step = 0; step < run.steps.size(); ++step) {
    const Operands operands = run.operands(step);
    for (const TensorRecord& tensor : run.steps[step]->tensors) {
      std::string fault;
      try {
        fault = faults(tensor, operands);
      } catch (const std::exception& error) {
        fault = fmt::format("{}: {}", tensor.name, error.what());
      }
      if (!fault.empty()) messages.push_back(fmt::format("step {}: {}", step + 1, fault));
    }
  }
  return messages;
}

}  // namespace gradwalk::course
