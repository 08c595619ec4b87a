#include "nn/training/gpt.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tensor/moments.h"

namespace gradwalk::nn {
namespace {

TEST(MakeGpt, BeginsAsGpt2Does) {
  const auto model = make_gpt({.vocab_size = 65,
                               .d_model = 96,
                               .num_layers = 3,
                               .num_heads = 4,
                               .max_positions = 32,
                               .dropout = 0.5},
                              Seed(1));
  int last = 0;
  for (const auto& [name, parameter] : model->named_parameters()) {
    const Tensor& x = parameter.value();
    if (name.ends_with(".bias")) {
      EXPECT_EQ(norm(x).item(), 0) << name;
    } else if (name.find("norm") != std::string::npos) {
      EXPECT_EQ(x.to_vector(), std::vector<double>(96, 1)) << name;
    } else {
      const bool is_last = name.ends_with("o_proj.weight") || name.ends_with("down_proj.weight");
      last += is_last;
      const double want = is_last ? 0.02 / std::sqrt(6.0) : 0.02;
      const double n = static_cast<double>(x.numel());
      // 5 standard errors of a root mean square
      EXPECT_NEAR(norm(x).item() / std::sqrt(n) / want, 1, 5 / std::sqrt(2 * n)) << name;
    }
  }
  EXPECT_EQ(last, 6);
  EXPECT_EQ(model->named_generators().size(), 6U);
  const CausalLmOptions& options = model->options();
  EXPECT_TRUE(options.tie_embeddings);
  EXPECT_EQ(options.block.feed_forward.gelu, GeluForm::kTanh);
  EXPECT_EQ(options.block.dropout, 0.5);
  EXPECT_TRUE(model->learns_positions());
}

}  // namespace
}  // namespace gradwalk::nn
