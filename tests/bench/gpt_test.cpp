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
  const Gpt model(kTiny);
  EXPECT_NEAR(model.loss(gpt_batch(kTiny)).value().item(), std::log(11), 0.02);
}

TEST(Gpt, LossAndGradientsAreThoseOfTheNaiveLoops) {
  const Gpt model(kTiny);
  const GptBatch batch = gpt_batch(kTiny);
  const auto run = [&](const GptOps& ops) {
    for (const Variable& parameter : model.parameters()) parameter.zero_grad();
    const Variable loss = model.loss(batch, ops);
    backward(loss);
    Tensors results = gpt_grads(model);
    results.push_back(loss.value());
    return results;
  };
  // Sums of a few hundred float32 terms.
  EXPECT_EQ(difference(run(gpt_ops()), run(naive_gpt_ops()), 1e-4), "");
}

TEST(Gpt, LossFallsWithEachStep) {
  const Gpt model(kTiny);
  const GptBatch batch = gpt_batch(kTiny);
  nn::AdamW optimizer = gpt_optimizer(model);
  double before = 1e9;
  for (int step = 0; step < 5; ++step) {
    const double loss = model.loss(batch).value().item();
    EXPECT_LT(loss, before) << "step " << step;
    before = loss;
    gpt_step(model, optimizer, batch);
  }
}

}  // namespace
}  // namespace gradwalk::bench
