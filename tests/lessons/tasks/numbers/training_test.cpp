#include "lessons/tasks/numbers/training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

#include "lessons/course/engine/measure.h"
#include "lessons/tasks/numbers/measures.h"
#include "support.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"

namespace gradwalk::tasks {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::Le;
using testing::SizeIs;
using testing::ThrowsMessage;

NumberTraining of(int updates) {
  NumberTraining training;
  training.updates = updates;
  return training;
}

std::map<std::string, Tensor> trained_weights(const ClsModel& model) {
  const nn::StateDict state = model.state_dict();
  return {state.begin(), state.end()};
}

TEST(TrainNumbers, LearnsToLookAtTheLargest) {
  const NumberTraining training = of(120);
  const TrainedNumberModel trained = trained_number_model(training, 100);
  const NumberScore score =
      number_score(*trained.model, training.task, number_tests(training.task, 100, 500));
  EXPECT_GT(score.accuracy, 0.95);
  EXPECT_GT(score.on_answer.at(0), 0.7);
  const Alignment end = alignment(*trained.model, training.task);
  EXPECT_GT(end.gap(), 0.8);
  EXPECT_GT(end.rho, 0.9);
}

TEST(TrainNumbers, KeepsACurveOfEverything) {
  const NumberTraining training = of(20);
  const TrainedNumberModel trained = trained_number_model(training, 100);
  const NumberCurves& c = trained.curves;
  for (const auto* curve :
       {&c.loss, &c.accuracy, &c.on_answer, &c.gradient, &c.turn, &c.gap, &c.rho}) {
    EXPECT_THAT(*curve, SizeIs(20));
  }
  // Entry 0 is of the beginning: 16 classes by guessing, weights that are almost equal.
  const Alignment start = alignment(*new_number_model(training, 100), training.task);
  EXPECT_NEAR(c.loss[0], std::log(16), 0.3);
  EXPECT_NEAR(c.on_answer[0], 1.0 / 9, 0.02);
  EXPECT_EQ(c.gap[0], start.gap());
  EXPECT_EQ(c.rho[0], start.rho);
  EXPECT_THAT(c.turn, Each(Ge(0)));
  EXPECT_THAT(c.turn, Each(Le(180)));
  EXPECT_THAT(c.gradient, Each(testing::Gt(0)));
}

TEST(TrainNumbers, IsRememberedAndTheModelIsTheCallersOwn) {
  const NumberTraining training = of(3);
  const TrainedNumberModel first = trained_number_model(training, 7);
  const Tensor before = clone(trained_weights(*first.model)["embedding.weight"]);
  fill(trained_weights(*first.model)["embedding.weight"], 0);
  int done = 0;
  const TrainedNumberModel again = trained_number_model(training, 7, [&](int) { ++done; });
  EXPECT_EQ(done, 0);
  EXPECT_EQ(test::difference(trained_weights(*again.model)["embedding.weight"], before, 0, 0), "");
  EXPECT_EQ(&first.curves, &again.curves);
  trained_number_model(training, 8, [&](int) { ++done; });
  EXPECT_EQ(done, 3);
}

TEST(TrainNumbers, MovesWhatItIsTold) {
  NumberTraining training = of(2);
  training.move_embedding = training.move_query = training.move_value = false;
  auto before = trained_weights(*new_number_model(training, 1));
  auto after = trained_weights(*trained_number_model(training, 1).model);
  for (const auto& [name, start] : before) {
    const bool still = name == "embedding.weight" || name == "attention.q_proj.weight" ||
                       name == "attention.v_proj.weight";
    EXPECT_EQ(course::distance(after[name], start) == 0, still) << name;
  }
}

// Twice the loss is twice the gradient, exactly in binary: for plain descent the same as twice the
// rate. Adam divides by the gradient's size and hardly sees it.
TEST(TrainNumbers, TwiceTheLossIsTwiceTheRateForSgdAndNothingForAdam) {
  NumberTraining sgd = of(5);
  sgd.optimizer = Optimizer::kSgd;
  sgd.lr = 0.25;
  NumberTraining twice_rate = sgd, twice_loss = sgd;
  twice_rate.lr *= 2;
  twice_loss.task_weight = 2;
  const auto embedding = [](const NumberTraining& training) {
    return trained_weights(*trained_number_model(training, 1).model)["embedding.weight"];
  };
  EXPECT_EQ(test::difference(embedding(twice_loss), embedding(twice_rate), 0, 0), "");
  EXPECT_GT(course::distance(embedding(twice_loss), embedding(sgd)), 1e-4);
  NumberTraining adam = of(5), adam_twice = of(5);
  adam_twice.task_weight = 2;
  EXPECT_LT(course::distance(embedding(adam_twice), embedding(adam)), 1e-4);
}

TEST(TrainNumbers, ExtraLossesPullAtWhatTheyName) {
  const auto trained = [](ExtraLoss extra) {
    NumberTraining training = of(30);
    training.task_weight = 0;
    training.extra = extra;
    training.extra_weight = 1;
    return trained_number_model(training, 3);
  };
  const TrainedNumberModel on_answer = trained(ExtraLoss::kAttention);
  EXPECT_GT(on_answer.curves.on_answer.back(), on_answer.curves.on_answer.front() + 0.2);
  const TrainedNumberModel pairs = trained(ExtraLoss::kPairs);
  EXPECT_GT(pairs.curves.rho.back(), 0.9);
  EXPECT_NEAR(pairs.curves.loss.front(), std::log(2), 0.2);  // of scores that are almost equal
  const TrainedNumberModel geometry = trained(ExtraLoss::kGeometry);
  EXPECT_GT(geometry.curves.gap.back(), 1.5);
  EXPECT_NEAR(geometry.curves.loss.front(), -geometry.curves.gap.front(), 1e-5);
}

TEST(TrainNumbers, MixesKindsOfTexts) {
  NumberTraining training = of(2);
  NumberTask shorter;
  shorter.tokens = 4;
  shorter.most = 2;
  training.also = {shorter};
  const TrainedNumberModel mixed = trained_number_model(training, 1);
  EXPECT_THAT(mixed.curves.loss, SizeIs(2));
  EXPECT_NE(mixed.curves.loss[0], trained_number_model(of(2), 1).curves.loss[0]);
}

TEST(TrainNumbers, TrainsBothReadoutsOfTheJointTask) {
  NumberTraining training = of(200);
  training.task.question = NumberQuestion::kJoint;
  const TrainedNumberModel trained = trained_number_model(training, 1);
  const NumberScore score =
      number_score(*trained.model, training.task, number_tests(training.task, 1, 500));
  EXPECT_GT(score.accuracy, 0.4);  // guessing: 1/15
  EXPECT_GT(score.noun_accuracy, 0.4);
}

TEST(TrainNumbersError, StopsWhenTheLossIsNoNumber) {
  NumberTraining training = of(50);
  training.optimizer = Optimizer::kSgd;
  training.lr = 1e30;
  EXPECT_THAT([&] { trained_number_model(training, 1); },
              ThrowsMessage<std::runtime_error>(
                  testing::HasSubstr("after 1 updates; a lower lr may help")));
}

TEST(UpdatesUntil, IsTheFirstWindowWhoseMeanIsThere) {
  EXPECT_EQ(updates_until({0, 1, 0, 1, 1}, 1, 1), 2);
  EXPECT_EQ(updates_until({0, 1, 0, 1, 1}, 1, 2), 5);
  EXPECT_EQ(updates_until({0, 1, 0, 1, 1}, 0.5, 2), 2);
  EXPECT_EQ(updates_until({0, 0}, 1, 1), 0);
}

}  // namespace
}  // namespace gradwalk::tasks
