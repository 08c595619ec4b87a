#include "lessons/tasks/head_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "nn/diagnostics/head_contribution.h"
#include "tensor/create.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"

namespace gradwalk::tasks {
namespace {

using testing::ThrowsMessage;

nn::CausalLmOptions options(std::int64_t kv_heads = 0) {
  nn::CausalLmOptions lm{.vocab_size = 5, .d_model = 6, .num_layers = 2, .max_positions = 4};
  lm.block.attention = {.num_heads = 3, .num_kv_heads = kv_heads};
  return lm;
}

TEST(HeadWeights, WriteIntoTheModel) {
  nn::CausalLm model(options(), nn::Seed(1));
  const HeadWeights head = head_weights(model, 1, 2);
  EXPECT_EQ(head.query.shape(), (Shape{2, 6}));
  EXPECT_EQ(head.output.shape(), (Shape{6, 2}));
  fill(head.key, 7);
  fill(head.output, 0);
  for (const auto& [name, weight] : model.state_dict()) {
    if (name == "layers.1.self_attn.k_proj.weight") {
      EXPECT_EQ(weight.at({4, 0}), 7) << "rows 4 and 5 are head 2's";
      EXPECT_NE(weight.at({3, 0}), 7);
    }
    if (name == "layers.0.self_attn.k_proj.weight") {
      EXPECT_NE(weight.at({4, 0}), 7);
    }
  }
  std::vector<nn::AttentionTrace> traces;
  model(zeros({1, 3}, DType::kInt64), {.traces = &traces});
  const Tensor share = nn::output_share(
      nn::head_contributions(traces[1].head_outputs.value(), output_weight(model, 1)));
  EXPECT_EQ(share.at({2}), 0) << "nothing comes out of it";
  EXPECT_GT(share.at({1}), 0);
}

TEST(HeadWeights, OfAnyModel) {
  const nn::CausalLm model(options(), nn::Seed(1));
  const HeadWeights by_layer = head_weights(model, 1, 2);
  const HeadWeights by_path = head_weights(model, "layers.1.self_attn", 3, 2);
  EXPECT_EQ(by_path.query.to_vector(), by_layer.query.to_vector());
  EXPECT_EQ(by_path.output.to_vector(), by_layer.output.to_vector());
  EXPECT_THAT([&] { head_weights(model, "attention", 3, 2); },
              ThrowsMessage<std::invalid_argument>(
                  "head_weights: the model has no attention.q_proj.weight"));
}

TEST(HeadWeightsError, SaysWhatIsThere) {
  const nn::CausalLm model(options(), nn::Seed(1)), shared(options(1), nn::Seed(1));
  EXPECT_THAT([&] { head_weights(model, 2, 0); },
              ThrowsMessage<std::out_of_range>("head_weights: expected a layer in [0, 2), got 2"));
  EXPECT_THAT([&] { head_weights(model, 0, 3); },
              ThrowsMessage<std::out_of_range>("head_weights: expected a head in [0, 3), got 3"));
  EXPECT_THAT([&] { head_weights(shared, 0, 0); },
              ThrowsMessage<std::invalid_argument>(
                  "head_weights: expected keys for each head, got 3 heads and 1 of keys"));
}

}  // namespace
}  // namespace gradwalk::tasks
