#include "lessons/course/engine/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace gradwalk::course {
namespace {

const TensorRecord* find_named(const StepRecord& step, std::string_view name) {
  const auto found = std::find_if(step.tensors.begin(), step.tensors.end(),
                                  [&](const TensorRecord& tensor) { return tensor.name == name; });
  return found == step.tensors.end() ? nullptr : &*found;
}

}  // namespace

std::string TensorRecord::shape_text() const { return fmt::format("[{}]", fmt::join(shape, ",")); }

std::size_t TensorRecord::offset(const Index& index) const {
  bool inside = index.size() == shape.size();
  std::int64_t at = 0;
  for (std::size_t axis = 0; inside && axis < shape.size(); ++axis) {
    inside = index[axis] >= 0 && index[axis] < shape[axis];
    at = at * shape[axis] + index[axis];
  }
  if (!inside) {
    throw std::out_of_range(fmt::format("{} has no element [{}]: its shape is {}", name,
                                        fmt::join(index, ","), shape_text()));
  }
  return static_cast<std::size_t>(at);
}

std::optional<std::size_t> RunRecord::step_of_tensor(std::string_view wanted,
                                                     std::size_t step) const {
  for (std::size_t at = std::min(step + 1, steps.size()); at-- > 0;) {
    if (find_named(*steps[at], wanted) != nullptr) return at;
  }
  return std::nullopt;
}

const TensorRecord* RunRecord::find_tensor(std::string_view wanted, std::size_t step) const {
  const auto at = step_of_tensor(wanted, step);
  return at ? find_named(*steps[*at], wanted) : nullptr;
}

Operands RunRecord::operands(std::size_t step) const {
  return Operands([this, step](std::string_view wanted) { return find_tensor(wanted, step); });
}

}  // namespace gradwalk::course
