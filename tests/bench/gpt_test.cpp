#include "bench/gpt.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/backward.h"
#include "bench/gpt_naive.h"
#include "bench/workload.h"

namespace gradwalk::bench {
namespace {

const GptConfig kTiny{"tiny",          /*d_model=*/8,    /*num_layers=*/2,
                      /*num_heads=*/2, /*seq_len=*/5,
                      /*batch=*/3,     /*vocab_size=*/11};

TEST(Gpt, CountsFlopsAsThePeersDo) {
  // 1 token, 1 layer, d = 2: weights 12 x 4 and head 2 x 3, attention 2 x 1 x 2.
  EXPECT_EQ(gpt_forward_flops({"", 2, 1, 1, 1, 1, 3}), 2 * (48 + 6) + 4);
}

TEST(Gpt, StartsAtTheLossOfAGuess) {
  GptSetup setup(kTiny);
  EXPECT_NEAR(gpt_loss(setup.model, setup.batch).value().item(), std::log(11), 0.02);
}

TEST(Gpt, LossAndGradientsAreThoseOfTheNaiveLoops) {
  GptSetup setup(kTiny);
  const auto run = [&](auto loss_of) {
    setup.model.zero_grad();
    const Variable loss = loss_of(setup.model, setup.batch);
    backward(loss);
    Tensors results = gpt_grads(setup.model);
    results.push_back(loss.value());
    return results;
  };
  // Sums of a few hundred float32 terms.
  EXPECT_EQ(difference(run(gpt_loss), run(naive_gpt_loss), 1e-4), "");
}

TEST(Gpt, LossFallsWithEachStep) {
  GptSetup setup(kTiny);
  nn::AdamW optimizer = gpt_optimizer(setup.model);
  double before = 1e9;
  for (int step = 0; step < 5; ++step) {
    const double loss = gpt_loss(setup.model, setup.batch).value().item();
    EXPECT_LT(loss, before) << "step " << step;
    before = loss;
    gpt_step(setup.model, optimizer, setup.batch);
  }
}

}  // namespace
}  // namespace gradwalk::bench
