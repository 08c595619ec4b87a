#include "lessons/20_diagnosing/perturbation.h"

#include <gtest/gtest.h>

#include <memory>

#include "lessons/course/engine/measure.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/training.h"
#include "nn/diagnostics/cosine.h"

namespace gradwalk::lesson_20 {
namespace {

class PerturbationTest : public testing::Test {
 protected:
  const tasks::NumberTask task_{};
  const std::unique_ptr<tasks::ClsModel> model_ =
      tasks::new_number_model({.task = task_}, /*seed=*/3);
  const tasks::NumberBatch texts_ = tasks::number_tests(task_, /*seed=*/3, 20);
  Generator generator_{/*seed=*/3, "pushes"};
};

TEST_F(PerturbationTest, ABlindOneHasADirectionThatIsNoneOfTheOthers) {
  const nn::ProbeDirections d =
      perturbation_of(*model_, task_, generator_, /*blind=*/true).directions;
  EXPECT_EQ(d.random.shape(), (Shape{kRandomDirections, 16}));
  EXPECT_EQ(d.orthogonal.shape(), (Shape{kOrthogonalDirections, 16}));
  EXPECT_NEAR(nn::length(d.along).item(), 1, 1e-6);
  EXPECT_LT(course::largest(nn::cosine(d.random, d.along)), 0.999);
}

TEST_F(PerturbationTest, OnlyOrthogonalOnesMoveNothing) {
  const PerturbationEffects found =
      perturb(*model_, task_, texts_, perturbation_of(*model_, task_, generator_), 1);
  EXPECT_LT(found.orthogonal, 1e-6);
  for (const double moved : {found.down.moved, found.up.moved, found.random.moved}) {
    EXPECT_GT(moved, 1e-3);
  }
  EXPECT_GT(found.down.moved, found.random.moved);
}

TEST_F(PerturbationTest, OfNoLengthMoveNothing) {
  const PerturbationEffects found =
      perturb(*model_, task_, texts_, perturbation_of(*model_, task_, generator_), 0);
  EXPECT_EQ(found.down.moved, 0);
  EXPECT_EQ(found.random.moved, 0);
  const double untouched = tasks::number_score(*model_, task_, texts_).accuracy;
  EXPECT_EQ(found.up.accuracy, untouched);
  EXPECT_NEAR(found.random.accuracy, untouched, 1e-12);
}

}  // namespace
}  // namespace gradwalk::lesson_20
