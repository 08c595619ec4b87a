#include "nn/diagnostics/group_comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/diagnostics/masked.h"
#include "tensor/compare.h"
#include "tensor/error.h"

namespace gradwalk::nn {
namespace {

constexpr const char* kOp = "compare_groups";

std::vector<double> elements(const Tensor& values, const char* which, const Tensor& mask) {
  std::vector<double> taken = chosen(kOp, {"values", values}, {which, mask});
  if (taken.size() < 2) {
    throw_argument_error(kOp, fmt::format("at least 2 elements in {}", which),
                         fmt::format("{}", taken.size()),
                         {{"values", values.shape()}, {which, mask.shape()}});
  }
  return taken;
}

}  // namespace

GroupComparison compare_groups(const Tensor& values, const Tensor& group, const Tensor& control) {
  const std::vector<double> of_group = elements(values, "group", group);
  const std::vector<double> of_control = elements(values, "control", control);
  const std::vector<double> both = logical_and(group, control).to_vector();
  if (const auto count = std::count(both.begin(), both.end(), 1.0); count > 0) {
    throw_argument_error(kOp, "no element in both group and control", fmt::format("{}", count),
                         {{"group", group.shape()}, {"control", control.shape()}});
  }
  const Summary group_summary = summarize(of_group);
  const Summary control_summary = summarize(of_control);
  return {group_summary, control_summary, group_summary.mean - control_summary.mean,
          cohens_d(of_group, of_control), welch_t_test(of_group, of_control)};
}

}  // namespace gradwalk::nn
