#include "lessons/course/engine/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lessons/course/engine/record.h"

namespace gradwalk::course {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

TensorRecord tensor(std::string name, std::vector<std::int64_t> shape, std::vector<double> values) {
  TensorRecord record;
  record.name = std::move(name);
  record.shape = std::move(shape);
  record.values = std::move(values);
  record.dtype = "float64";
  record.explain = Explain::given("an input");
  return record;
}

// One step with W[2,2], x[2], h[2,2], s[] and z[2,3].
RunRecord recorded() {
  StepRecord step;
  step.tensors = {tensor("W", {2, 2}, {1, 2, 3, 4}), tensor("x", {2}, {5, 6}),
                  tensor("h", {2, 2}, {7, 8, 9, 10}), tensor("s", {}, {2}),
                  tensor("z", {2, 3}, {0, 1, 2, 3, 3, 3})};
  RunRecord run;
  run.steps.push_back(std::make_shared<const StepRecord>(step));
  return run;
}

Explanation at(const Explain& explain, const Index& index) {
  const RunRecord run = recorded();
  return explain.at(index, run.operands(0));
}

TEST(Contraction, ListsTheExactTermsOfAnElement) {
  const Explanation e = at(Explain::contraction("ij,j->i", {"W", "x"}), {1});
  EXPECT_EQ(e.formula, "sum_j W[1,j] x[j]");
  EXPECT_EQ(e.value, 3 * 5 + 4 * 6);
  ASSERT_EQ(e.terms.size(), 2U);
  EXPECT_EQ(e.terms[1].text, "W[1,1] x[1]");
  EXPECT_THAT(e.terms[1].factors, ElementsAre(4, 6));
  EXPECT_EQ(e.terms[1].value, 24);
}

TEST(Contraction, TakesAScaleScalarsAndSlices) {
  EXPECT_EQ(at(Explain::contraction("i,->i", {"x", "s"}, -0.5), {1}).value, -6);
  EXPECT_EQ(at(Explain::contraction("i,->i", {"x", "s"}, -1), {1}).formula, "-x[1] s");
  const Explanation outer = at(Explain::contraction("i,j->ij", {"x", "h[1]"}), {0, 1});
  EXPECT_EQ(outer.value, 5 * 10);
  EXPECT_EQ(outer.formula, "x[0] h[1,1]");
  EXPECT_EQ(at(Explain::contraction("i->i", {"h[:,1]"}), {0}).value, 8);
}

TEST(Contraction, SumsOverSeveralLetters) {
  const Explanation e = at(Explain::contraction("ij,ij->", {"W", "h"}), {});
  EXPECT_EQ(e.value, 7 + 16 + 27 + 40);
  EXPECT_EQ(e.terms.size(), 4U);
}

TEST(ContractionError, NamesSpecAndShapes) {
  EXPECT_THAT(
      [] {
        at(Explain::contraction("ij,j->i", {"W", "z[0]"}), {0});
      },
      ThrowsMessage<std::logic_error>(
          "contraction(\"ij,j->i\"): sizes of a letter differ; W=[2,2] z=[2,3]"));
  EXPECT_THAT([] { at(Explain::contraction("i->i", {"W"}), {0}); },
              ThrowsMessage<std::logic_error>(
                  "contraction(\"i->i\"): an operand has more axes than letters; W=[2,2]"));
  EXPECT_THAT(
      [] { Explain::contraction("ij,j->i", {"W"}); },
      ThrowsMessage<std::logic_error>("contraction(\"ij,j->i\"): expected 2 operands, got 1"));
  EXPECT_THAT([] { Explain::contraction("i->k", {"x"}); },
              ThrowsMessage<std::logic_error>(
                  "contraction(\"i->k\"): letter k of the result stands in no operand"));
}

TEST(Sum, AddsTermsWithTheirSigns) {
  const Explain e = Explain::sum(
      {Explain::contraction("ij->ij", {"W"}), Explain::contraction("ij->ij", {"h"}, -0.5)});
  const Explanation x = at(e, {1, 0});
  EXPECT_EQ(x.value, 3 - 4.5);
  EXPECT_EQ(x.formula, "W[1,0] - 0.5 h[1,0]");
  EXPECT_EQ(x.terms.size(), 2U);
  const Explain minus =
      Explain::sum({Explain::contraction("i->i", {"x"}), Explain::contraction("i->i", {"x"}, -1)});
  EXPECT_EQ(at(minus, {0}).formula, "x[0] - x[0]");
}

TEST(Softmax, ShowsMaximumAndSumOfItsRow) {
  const Explanation e = at(Explain::softmax("z"), {0, 1});
  EXPECT_DOUBLE_EQ(e.value, std::exp(1) / (1 + std::exp(1) + std::exp(2)));
  EXPECT_EQ(e.formula, "exp(z[0,1] - m) / sum_j exp(z[0,j] - m)");
  EXPECT_EQ(e.lines.front(), "m = z[0,2] = 2, the largest of 3");
  EXPECT_THAT(e.next, ElementsAre("z[0,1]"));
  EXPECT_DOUBLE_EQ(at(Explain::softmax("z"), {1, 2}).value, 1.0 / 3);
}

TEST(Operands, NameWhatIsNotRecorded) {
  EXPECT_THAT(
      [] { at(Explain::contraction("i->i", {"y"}), {0}); },
      ThrowsMessage<std::logic_error>("an explanation reads 'y', which no step has recorded"));
  const RunRecord run = recorded();
  EXPECT_THAT([&] { run.operands(0)("x", {2}); },
              ThrowsMessage<std::out_of_range>("x has no element [2]: its shape is [2]"));
}

TEST(Operands, ReadTheNewestTensorUpToTheirStep) {
  RunRecord run = recorded();
  StepRecord later;
  later.tensors = {tensor("x", {2}, {50, 60})};
  run.steps.push_back(std::make_shared<const StepRecord>(later));
  EXPECT_EQ(run.operands(0)("x", {0}), 5);
  EXPECT_EQ(run.operands(1)("x", {0}), 50);
  EXPECT_EQ(run.operands(1)("W", {0, 1}), 2);
}

// A run with one tensor more, explained by `explain`.
RunRecord with(std::vector<std::int64_t> shape, std::vector<double> values, Explain explain) {
  StepRecord step = *recorded().steps[0];
  step.tensors.push_back(tensor("y", std::move(shape), std::move(values)));
  step.tensors.back().explain = std::move(explain);
  RunRecord run;
  run.steps.push_back(std::make_shared<const StepRecord>(step));
  return run;
}

TEST(VerifyExplanations, IsEmptyWhenEveryElementAgrees) {
  EXPECT_THAT(verify_explanations(with({2}, {17, 39}, Explain::contraction("ij,j->i", {"W", "x"}))),
              ElementsAre());
}

TEST(VerifyExplanations, NamesTheFirstElementThatDisagrees) {
  EXPECT_THAT(verify_explanations(with({2}, {17, 40}, Explain::contraction("ij,j->i", {"W", "x"}))),
              ElementsAre("step 1: y[1] is recorded as 40, explained as 39 (sum_j W[1,j] x[j])"));
  EXPECT_THAT(
      verify_explanations(with({2}, {1, 2}, Explain::contraction("i->i", {"x"}))),
      ElementsAre("step 1: y[0] is recorded as 1, explained as 5 (x[0]); 2 of 2 elements differ"));
}

TEST(VerifyExplanations, NamesARecipeThatDoesNotFit) {
  EXPECT_THAT(verify_explanations(with({1}, {1}, Explain::contraction("i->i", {"nothing"}))),
              ElementsAre("step 1: y: an explanation reads 'nothing', which no step has recorded"));
}

TEST(VerifyExplanations, AllowsRoundingAndNothingMore) {
  const double exact = 17;
  const double rounded = exact * (1 + 2 * std::numeric_limits<double>::epsilon());
  const auto matvec = [] { return Explain::contraction("ij,j->i", {"W", "x"}); };
  EXPECT_THAT(verify_explanations(with({2}, {rounded, 39}, matvec())), ElementsAre());
  EXPECT_EQ(verify_explanations(with({2}, {exact * (1 + 1e-13), 39}, matvec())).size(), 1U);
}

// A softmax in float32 gave 0 where the recipe, in float64, gave 1e-75.
TEST(VerifyExplanations, AllowsUnderflowOfTheRecordsDtype) {
  const auto tiny = [](double value) {
    return Explain::custom([value](const Index&, const Operands&) {
      Explanation explanation;
      explanation.value = value;
      return explanation;
    });
  };
  const auto faults = [&](const char* dtype, double value) {
    RunRecord run = with({1}, {0}, tiny(value));
    StepRecord step = *run.steps[0];
    step.tensors.back().dtype = dtype;
    run.steps[0] = std::make_shared<const StepRecord>(step);
    return verify_explanations(run).size();
  };
  EXPECT_EQ(faults("float32", 1e-75), 0U);
  EXPECT_EQ(faults("float64", 1e-75), 1U);
  EXPECT_EQ(faults("float32", 1e-30), 1U);
}

}  // namespace
}  // namespace gradwalk::course
