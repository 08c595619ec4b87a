#include "lessons/tasks/numbers/interventions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "autograd/backward.h"
#include "autograd/cross_entropy.h"
#include "lessons/course/engine/measure.h"
#include "lessons/tasks/head_weights.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/training.h"
#include "nn/diagnostics/probe_directions.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"

namespace gradwalk::tasks {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::ThrowsMessage;

NumberTraining quick() {
  NumberTraining training;
  training.updates = 100;
  return training;
}

TEST(PerturbNumberKeys, MovesWeightsAlongTheQueryAndNotAcross) {
  const NumberTraining training = quick();
  const auto model = trained_number_model(training, 1).model;
  const NumberBatch texts = number_tests(training.task, 1, 100);
  Generator generator(1, "directions");
  const ClsHead head = cls_head(*model);
  const nn::ProbeDirections d =
      nn::probe_directions(head.query, head_weights(*model, "attention", 1, 0).key, 3, generator);
  const double size = number_length(*model, training.task);
  const auto push = [&](const Tensor& step) {
    return perturb_number_keys(*model, texts, training.task, step);
  };
  const PerturbationEffect down = push(d.along * (-size));
  EXPECT_GT(down.moved, 0.3);
  EXPECT_LT(down.accuracy, 0.9);
  for (std::int64_t i = 0; i < 3; ++i) {
    EXPECT_LT(push(select(d.orthogonal, 0, i) * size).moved, 1e-5);
    EXPECT_LT(push(select(d.random, 0, i) * size).moved, down.moved);
  }
  EXPECT_EQ(push(zeros({16})).moved, 0);
  EXPECT_EQ(push(zeros({16})).accuracy, number_score(*model, training.task, texts).accuracy);
}

// The push by hand: all numbers' logits change by q.(W_K step) / sqrt(Dh), the others' do not.
TEST(PerturbNumberKeys, IsAShiftOfTheLogits) {
  NumberTraining training = quick();
  training.updates = 0;
  const auto model = trained_number_model(training, 1).model;
  const NumberBatch texts = number_tests(training.task, 1, 1);
  const ClsHead head = cls_head(*model);
  Generator generator(1, "directions");
  const Tensor step = normal({16}, generator);
  const Tensor key = head_weights(*model, "attention", 1, 0).key;
  double shift = 0;
  for (std::int64_t i = 0; i < 8; ++i) {
    for (std::int64_t j = 0; j < 16; ++j) {
      shift += head.query.at({i}) * key.at({i, j}) * step.at({j}) / std::sqrt(8.0);
    }
  }
  const std::vector<double> logits = alignment(*model, training.task).match.logits.to_vector();
  std::vector<double> before, after;
  double sum_before = 0, sum_after = 0;
  for (const double id : texts.ids.to_vector()) {
    const double z = logits[static_cast<std::size_t>(id)];
    const bool number = id >= 1 && id <= 16;
    before.push_back(std::exp(z));
    after.push_back(std::exp(z + (number ? shift : 0)));
    sum_before += before.back();
    sum_after += after.back();
  }
  double moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    moved += std::abs(before[i] / sum_before - after[i] / sum_after) / 2;
  }
  EXPECT_NEAR(perturb_number_keys(*model, texts, training.task, step).moved, moved, 1e-6);
}

TEST(NumberLength, IsTheMeanOverNumbers) {
  NumberTraining training = quick();
  training.updates = 0;
  const auto model = trained_number_model(training, 1).model;
  fill(number_rows(model->embeddings(), training.task), 0.5);
  EXPECT_NEAR(number_length(*model, training.task), 2, 1e-6);  // sqrt(16) 0.5
  const Tensor table = with_number_rows(*model, training.task, zeros({16, 16}));
  EXPECT_EQ(course::largest(number_rows(table, training.task)), 0);
  EXPECT_EQ(course::distance(noun_rows(table, training.task),
                             noun_rows(model->embeddings(), training.task)),
            0);
  EXPECT_NEAR(number_length(*model, training.task), 2, 1e-6) << "the model stays as it was";
}

TEST(HeadInfluence, IsWhatUniformWeightsCost) {
  const NumberTraining training = quick();
  const auto model = trained_number_model(training, 1).model;
  const NumberBatch texts = number_tests(training.task, 1, 200);
  const double accuracy = number_score(*model, training.task, texts).accuracy;
  EXPECT_GT(head_influence(*model, training.task, texts).at(0), 0.5);
  EXPECT_EQ(number_score(*model, training.task, texts).accuracy, accuracy) << "it was a copy";
  make_uniform(*model, 0);
  EXPECT_THAT(number_score(*model, training.task, texts).on_answer,
              ElementsAre(DoubleNear(1.0 / 9, 1e-6)));
  EXPECT_THAT(head_influence(*model, training.task, texts), ElementsAre(0));
}

// dL/dW_Q = dq e_CLS^T, head by head.
TEST(QueryGradient, IsTheFactorOfTheGradientAtWQ) {
  NumberTraining training = quick();
  training.updates = 0;
  training.model.heads = 2;
  const auto model = trained_number_model(training, 1).model;
  const NumberBatch texts = number_tests(training.task, 1, 50);
  const Tensor of_head_1 = query_gradient(*model, texts, 1);
  EXPECT_EQ(of_head_1.shape(), Shape({8}));
  backward(cross_entropy(model->logits(model->summary(texts.ids)), texts.answer));
  for (const nn::NamedParameter& parameter : model->named_parameters()) {
    if (parameter.name != "attention.q_proj.weight") continue;
    const Tensor cls = select(model->embeddings(), 0, 0);
    const Tensor want = unsqueeze(of_head_1, 1) * unsqueeze(cls, 0);
    EXPECT_GT(course::largest(want), 1e-5);
    EXPECT_LT(course::relative_distance(slice(parameter.variable.grad(), 0, 8, 16), want), 1e-5);
  }
}

TEST(PerturbNumberKeysError, NamesTheShape) {
  const NumberTraining training = quick();
  EXPECT_THAT(
      [&] {
        perturb_number_keys(*new_number_model(training, 1), number_tests(training.task, 1, 2),
                            training.task, zeros({3}));
      },
      ThrowsMessage<ShapeError>("perturb_number_keys: expected step [16], got [3]; step=[3]"));
}

}  // namespace
}  // namespace gradwalk::tasks
