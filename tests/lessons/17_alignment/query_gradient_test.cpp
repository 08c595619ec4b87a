#include "lessons/17_alignment/query_gradient.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "autograd/cross_entropy.h"
#include "lessons/course/engine/lesson.h"
#include "lessons/course/engine/measure.h"
#include "lessons/tasks/module_weight.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/training.h"
#include "nn/diagnostics/cosine.h"
#include "tensor/elementwise.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_17 {
namespace {

TEST(TowardNumbers, IsTheDifferenceOfTheMeanKeys) {
  const tasks::NumberTask task;
  const auto model = tasks::new_number_model({.task = task}, 1);
  const Tensor keys = tasks::cls_head(*model).keys, found = toward_numbers(*model, task);
  for (std::int64_t c = 0; c < 8; ++c) {
    double difference = 0;
    for (std::int64_t t = 1; t <= 32; ++t) difference += (t <= 16 ? 1 : -1) * keys.at({t, c}) / 16;
    EXPECT_NEAR(found.at({c}), difference, 1e-6);
  }
}

// A plain step on W_Q alone moves q along -dL/dq.
TEST(GradientToNumbers, IsWhereADescentStepTakesTheQuery) {
  const tasks::NumberTask task;
  const auto model = tasks::new_number_model({.task = task}, 3);
  const tasks::NumberBatch texts = tasks::number_tests(task, 3, 100);
  const double push = gradient_to_numbers(*model, texts, task);
  const Tensor direction = toward_numbers(*model, task);
  const Tensor before = clone(tasks::cls_head(*model).query);
  backward(cross_entropy(model->logits(model->summary(texts.ids)), texts.answer));
  for (const nn::NamedParameter& parameter : model->named_parameters()) {
    if (parameter.name != "attention.q_proj.weight") continue;
    add_into(tasks::weight_of(*model, parameter.name), parameter.variable.grad(), /*alpha=*/-10);
  }
  const Tensor moved = tasks::cls_head(*model).query - before;
  EXPECT_GT(course::largest(moved), 1e-4);
  EXPECT_NEAR(nn::cosine(moved, direction).item(), push, 1e-3);
}

class InitialGradientsTest : public testing::Test {
 protected:
  const course::Lesson lesson_{17, "alignment", "A lesson"};
  const course::Settings settings_{.seed = 5};
  course::StepRecord record_;
  const course::Step step_{lesson_, settings_, &record_};
};

TEST_F(InitialGradientsTest, AreMostlyTurnedAboutByTheSignOfTheValues) {
  const InitialGradients push = initial_gradients(step_, {}, 6);
  ASSERT_EQ(push.of_starts.size(), 6U);
  EXPECT_THAT(push.of_starts, testing::Each(testing::AllOf(testing::Ge(-1), testing::Le(1))));
  int opposite = 0;
  for (std::size_t i = 0; i < 6; ++i) opposite += push.of_starts[i] * push.of_twins[i] < 0;
  EXPECT_GE(opposite, 4);
}

TEST_F(InitialGradientsTest, WithoutUpdatesAreThoseOfTheNewModels) {
  EXPECT_EQ(gradient_with_values(step_, {}, 2, 0), initial_gradients(step_, {}, 2).of_starts);
}

TEST(SharePositive, CountsWhatIsAboveZero) { EXPECT_EQ(share_positive({-1, 0, 0.1, 2}), 0.5); }

}  // namespace
}  // namespace gradwalk::lesson_17
