// Cases of cases/cases.json, read from there. Each is also written out beside its op, where it runs
// without that folder; this holds both to the same numbers.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "autograd/backward.h"
#include "autograd/cross_entropy.h"
#include "autograd/elementwise.h"
#include "autograd/layout.h"
#include "autograd/matmul.h"
#include "autograd/reduce.h"
#include "autograd/softmax.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/reduce.h"

namespace gradwalk {
namespace {

using nlohmann::json;
using test::bug_report;
using test::tensor_from;

Variable leaf(const json& values, DType dtype = DType::kFloat64) {
  return parameter(tensor_from(values, dtype));
}

void expect_equal(const Tensor& got, const json& want, double rtol = 1e-9, double atol = 1e-11) {
  EXPECT_EQ(test::difference(got, tensor_from(want, got.dtype()), rtol, atol), "");
}

// A row with every entry blocked was NaN: exp(-inf - -inf).
TEST(BugReports, BR01RowWithEveryEntryBlocked) {
  const json report = bug_report("BR-01");
  GRADWALK_SKIP_WITHOUT(report);
  const json& in = report.at("inputs");
  std::vector<double> scores = tensor_from(in.at("scores")).to_vector();
  const std::vector<double> keep = tensor_from(in.at("keep_mask")).to_vector();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (keep[i] == 0) scores[i] = -std::numeric_limits<double>::infinity();
  }
  const Variable x =
      parameter(from_vector(scores, tensor_from(in.at("scores")).shape(), DType::kFloat64));
  const Variable y = softmax(x, in.at("axis").get<int>());
  backward(y, tensor_from(in.at("upstream")));
  const json& want = report.at("expected");
  const json& masked = want.at("row1").at("accept_any_of").at(0);
  expect_equal(y.value(), {want.at("row0_probabilities"), masked.at("probabilities")});
  expect_equal(x.grad(), {want.at("row0_grad_scores"), masked.at("grad_scores")});
}

// A loss that forms the probability first was infinite: exp(-152) is 0 in float32.
TEST(BugReports, BR04VeryUnlikelyTarget) {
  const json report = bug_report("BR-04");
  GRADWALK_SKIP_WITHOUT(report);
  const Variable logits = leaf(report.at("inputs").at("logits"), DType::kFloat32);
  const Variable loss =
      cross_entropy(logits, tensor_from(report.at("inputs").at("targets"), DType::kInt64));
  backward(loss);
  expect_equal(loss.value(), report.at("expected").at("loss"), 1e-6, 1e-7);
  expect_equal(logits.grad(), report.at("expected").at("grad_logits"), 1e-6, 1e-7);
}

// A gradient was not summed over axes that broadcasting put in front.
TEST(BugReports, BR06ProductThatStretchesBoth) {
  const json report = bug_report("BR-06");
  GRADWALK_SKIP_WITHOUT(report);
  const Variable a = leaf(report.at("inputs").at("a"));
  const Variable b = leaf(report.at("inputs").at("b"));
  const Variable y = a * b;
  backward(y, tensor_from(report.at("inputs").at("upstream")));
  expect_equal(y.value(), report.at("expected").at("out"));
  expect_equal(a.grad(), report.at("expected").at("grad_a"));
  expect_equal(b.grad(), report.at("expected").at("grad_b"));
}

// A gradient was put back on another axis than the kept one.
TEST(BugReports, BR07MeanAndSumOverTwoAxes) {
  const json report = bug_report("BR-07");
  GRADWALK_SKIP_WITHOUT(report);
  const Variable x = leaf(report.at("inputs").at("x"));
  const Tensor dy = tensor_from(report.at("inputs").at("upstream"));
  const Variable average = mean(x, {0, 2});
  backward(average, dy);
  expect_equal(average.value(), report.at("expected").at("mean"));
  expect_equal(x.grad(), report.at("expected").at("grad_x_of_mean"));
  x.zero_grad();
  const Variable total = sum(x, {-1, 0});
  backward(total, dy);
  expect_equal(total.value(), report.at("expected").at("sum"));
  expect_equal(x.grad(), report.at("expected").at("grad_x_of_sum"));
}

// A matrix that serves all batches got the gradient of one; a vector on the right hid a wrong one.
TEST(BugReports, BR08MatmulWithBatchesAndVectors) {
  const json report = bug_report("BR-08");
  GRADWALK_SKIP_WITHOUT(report);
  const json& in = report.at("inputs");
  const json& want = report.at("expected");
  const Variable a = leaf(in.at("A"));
  const Variable b = leaf(in.at("B"));
  const Variable product = matmul(a, b);
  backward(product, tensor_from(in.at("upstream")));
  expect_equal(product.value(), want.at("A@B"));
  expect_equal(a.grad(), want.at("grad_A"));
  expect_equal(b.grad(), want.at("grad_B"));
  const Variable m = leaf(in.at("M"));
  const Variable v = leaf(in.at("v"));
  const Variable applied = matmul(m, v);
  backward(applied, tensor_from(in.at("upstream_v")));
  expect_equal(applied.value(), want.at("M@v"));
  expect_equal(m.grad(), want.at("grad_M"));
  expect_equal(v.grad(), want.at("grad_v"));
}

// Kernels that look at the last stride alone took these views for dense.
TEST(BugReports, BR10TransposedAndPermutedViews) {
  const json report = bug_report("BR-10");
  GRADWALK_SKIP_WITHOUT(report);
  const Variable base = leaf(report.at("inputs").at("base"));
  const Variable view = permute(base, {1, 0, 2});
  const Tensor targets = tensor_from(report.at("inputs").at("targets_for_view"), DType::kInt64);
  const json& want = report.at("expected");
  expect_equal(softmax(view, -1).value(), want.at("softmax_of_view_last_axis"));
  expect_equal(cross_entropy(view, targets).value(), want.at("cross_entropy_mean_of_view"));
  expect_equal(slice(reshape(view, {6, 4}), 0, 0, 2).value(),
               want.at("reshape_view_to_6x4_first_row_then_second"));
  expect_equal(sum(permute(base, {2, 1, 0}), 0).value(), want.at("sum_of_permuted_over_axis_0"));
}

// A NaN showed or vanished with its place among the operands of std::max.
TEST(BugReports, BR36NanStaysVisible) {
  const json report = bug_report("BR-36");
  GRADWALK_SKIP_WITHOUT(report);
  const Tensor rows = tensor_from(report.at("inputs").at("max_of"));
  expect_equal(max(rows, -1), report.at("expected").at("max"));
  const Variable scores = leaf(report.at("inputs").at("softmax_of_rows"));
  expect_equal(softmax(scores, -1).value(), report.at("expected").at("softmax"));
}

}  // namespace
}  // namespace gradwalk
