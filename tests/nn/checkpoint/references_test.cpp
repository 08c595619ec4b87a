// Checkpoints of others against their reference.json: logits, activations, greedy text, gradients.
//
// References are float64 results, some rounded to 6 decimals. Tolerances are those that the data
// states for float32; the same code in float64 must come within the rounding of the file.

#include "nn/checkpoint/references.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "autograd/backward.h"
#include "autograd/rms_norm.h"
#include "nn/checkpoint/files.h"
#include "nn/checkpoint/load_model.h"
#include "nn/checkpoint/safetensors.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/join.h"
#include "tensor/layout.h"

namespace gradwalk::nn {
namespace {

using nlohmann::json;
using Ids = std::vector<std::int64_t>;

constexpr const char* kStories = "models/stories260K/";
constexpr const char* kTinyStories = "models/tinystories-656k/";
constexpr const char* kTinyGpt2 = "models/tiny-gpt2/";

std::filesystem::path path_of(const std::string& model) {
  return test::data(model == kStories ? model + "stories260K.bin" : model);
}

json reference(const std::string& model) { return test::data_json(model + "reference.json"); }

// How far a model in this dtype may be from a float64 result that was rounded to 6 decimals.
double tolerance(DType dtype) { return dtype == DType::kFloat32 ? 1e-4 : 1e-6; }

void expect_logits(const Tensor& logits, const json& wanted, double atol) {
  for (const auto& [position, want] : wanted.items()) {
    const Tensor row = select(logits, /*axis=*/0, std::stoll(position));
    EXPECT_LE(test::largest_difference(row, gradwalk::test::tensor_from(want)), atol)
        << "position " << position;
  }
}

class Reference : public testing::TestWithParam<std::tuple<const char*, DType>> {
 protected:
  std::string model_name() const { return std::get<0>(GetParam()); }
  DType dtype() const { return std::get<1>(GetParam()); }
};

using Stories = Reference;

TEST_P(Stories, LogitsAndTheLikeliestTokenAtEveryPosition) {
  const json all = reference(model_name());
  GRADWALK_SKIP_WITHOUT_DATA(all);
  const auto model = load_model(path_of(model_name()), dtype());
  for (const json& text : all.at("greedy")) {
    const Ids ids = text.at("ids");
    const Tensor logits = test::logits_of(*model, ids);
    expect_logits(logits, text["logits"], tolerance(dtype()));
    for (std::size_t i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(test::argmax(logits, static_cast<std::int64_t>(i)),
                text["argmax_every_position"][i].get<std::int64_t>())
          << i;
    }
    EXPECT_NEAR(test::next_token_loss(*model, ids).value().item(),
                text["mean_nll_of_ids"].get<double>(), 1e-5);
  }
}

TEST_P(Stories, GreedyIdsWithAndWithoutACache) {
  const json all = reference(model_name());
  GRADWALK_SKIP_WITHOUT_DATA(all);
  const auto model = load_model(path_of(model_name()), dtype());
  for (const json& text : all.at("greedy")) {
    Ids want = text.at("ids");
    constexpr std::size_t kSome = 48;
    if (gradwalk::test::kSanitized && want.size() > kSome) want.resize(kSome);
    for (const bool with_cache : {false, true}) {
      if (!with_cache && dtype() == DType::kFloat64) continue;  // slow, and float32 shows it
      EXPECT_EQ(test::greedy(*model, text["prompt_ids"].get<Ids>(), want.size(), with_cache), want)
          << with_cache;
    }
  }
}

// [H, T, Dh] as the file has it: [T, H, Dh].
Tensor by_position(const Variable& heads) {
  return permute(select(heads.value(), /*axis=*/0, 0), {1, 0, 2});
}

TEST_P(Stories, Activations) {
  const json all = reference(model_name());
  GRADWALK_SKIP_WITHOUT_DATA(all);
  const auto model = load_model(path_of(model_name()), dtype());
  const Safetensors file(test::data(model_name() + "activations.safetensors"));
  std::vector<AttentionTrace> traces;
  std::vector<Variable> hidden;
  CausalLmContext context;
  context.traces = &traces;
  context.hidden = &hidden;
  const NoGrad guard;
  const Tensor logits = (*model)(unsqueeze(file.load("ids"), 0), context).value();
  // The file's numbers are rounded to float32. A few features of tinystories' residual stream reach
  // 600, where neighbours in float32 are 6e-5 apart.
  const bool is_float = dtype() == DType::kFloat32;
  const double atol = is_float ? 1e-4 : 1e-9;
  const double rtol = is_float ? 1e-6 : 0x1p-24;
  const auto expect = [&](const std::string& name, const Tensor& got) {
    EXPECT_EQ(gradwalk::test::difference(got, file.load(name), rtol, atol), "") << name;
  };
  expect("embedding", select(hidden[0].value(), 0, 0));
  expect("layer0_q_roped", by_position(traces[0].query));
  expect("layer0_k_roped", by_position(traces[0].key));
  expect("layer0_v", by_position(traces[0].value));
  expect("layer0_attention", select(traces[0].weights.value(), 0, 0));
  for (std::size_t i = 0; i + 1 < hidden.size(); ++i) {
    expect("layer" + std::to_string(i) + "_out", select(hidden[i + 1].value(), 0, 0));
  }
  const double eps = model->options().block.norm_options.eps;
  const Variable normed = rms_norm(hidden.back(), model->named_parameters().back().variable, eps);
  expect("final_norm", select(normed.value(), 0, 0));
  expect("logits", select(logits, 0, 0));
}

// reference.json's name of a tensor, and the names of the layers that it stacks.
std::vector<std::string> ours(const std::string& name, std::int64_t num_layers) {
  static const std::map<std::string, std::string> of_a_layer = {
      {"att_norm", "input_layernorm"},
      {"wq", "self_attn.q_proj"},
      {"wk", "self_attn.k_proj"},
      {"wv", "self_attn.v_proj"},
      {"wo", "self_attn.o_proj"},
      {"ffn_norm", "post_attention_layernorm"},
      {"w1", "mlp.gate_proj"},
      {"w2", "mlp.down_proj"},
      {"w3", "mlp.up_proj"}};
  if (name == "emb" || name == "lm_head.weight") return {"embed_tokens.weight"};
  if (name == "final_norm") return {"norm.weight"};
  if (name.starts_with("model.")) return {name.substr(6)};
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < num_layers; ++i) {
    names.push_back("layers." + std::to_string(i) + "." + of_a_layer.at(name) + ".weight");
  }
  return names;
}

TEST_P(Stories, Gradients) {
  const json all = reference(model_name());
  GRADWALK_SKIP_WITHOUT_DATA(all);
  const json& gradient = all.at("gradient");
  const auto model = load_model(path_of(model_name()), dtype());
  const Variable loss = test::next_token_loss(*model, gradient["ids"].get<Ids>());
  const double rtol = dtype() == DType::kFloat32 ? 1e-5 : 1e-12;
  EXPECT_NEAR(loss.value().item(), gradient["loss"].get<double>(), rtol);
  backward(loss);

  std::map<std::string, Tensor> grads;
  for (const NamedParameter& parameter : model->named_parameters()) {
    grads[parameter.name] = parameter.variable.grad();
  }
  std::size_t checked = 0;
  for (const auto& [name, want] : gradient["tensors"].items()) {
    SCOPED_TRACE(name);
    std::vector<Tensor> layers;
    for (const std::string& layer : ours(name, model->options().num_layers)) {
      layers.push_back(grads.at(layer));
    }
    checked += layers.size();
    test::expect_gradient(want["shape"].size() > static_cast<std::size_t>(layers[0].ndim())
                              ? stack(layers, /*axis=*/0)
                              : layers[0],
                          want, rtol);
  }
  EXPECT_EQ(checked, grads.size());
}

TEST_P(Stories, LossesOfFiveAdamWSteps) {
  const json all = reference(model_name());
  GRADWALK_SKIP_WITHOUT_DATA(all);
  const json& adamw = all.at("gradient").at("adamw");
  const auto model = load_model(path_of(model_name()), dtype());
  const std::vector<double> losses =
      test::adamw_losses(*model, all["gradient"]["ids"].get<Ids>(), adamw);
  // Where a gradient is about eps its sign decides the step, so rounding grows with the steps.
  const double rtol = dtype() == DType::kFloat32 ? 1e-4 : 1e-12;
  ASSERT_EQ(losses.size(), 6U);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const double want = adamw["loss"][i].get<double>();
    EXPECT_NEAR(losses[i], want, rtol * want) << "after " << i << " steps";
  }
}

const auto kBoth = testing::Values(DType::kFloat32, DType::kFloat64);
std::string label(const testing::TestParamInfo<std::tuple<const char*, DType>>& info) {
  const std::string model = std::get<0>(info.param);
  const std::string short_name = model == kStories    ? "Stories260K"
                                 : model == kTinyGpt2 ? "TinyGpt2"
                                                      : "TinyStories656K";
  return short_name + "_" + name(std::get<1>(info.param));
}
INSTANTIATE_TEST_SUITE_P(Models, Stories,
                         testing::Combine(testing::Values(kStories, kTinyStories), kBoth), label);

using Gpt2 = Reference;

TEST_P(Gpt2, LogitsAttentionAndNll) {
  const json all = reference(model_name());
  GRADWALK_SKIP_WITHOUT_DATA(all);
  const auto model = load_model(path_of(model_name()), dtype());
  // 12 digits are listed; |logits| stay below 8.
  const double atol = dtype() == DType::kFloat32 ? 1e-4 : 1e-10;
  for (const json& one : all.at("cases")) {
    const Ids ids = one.at("ids");
    std::vector<AttentionTrace> traces;
    CausalLmContext context;
    context.traces = &traces;
    const NoGrad guard;
    const Tensor logits = select((*model)(test::ids_of(ids), context).value(), 0, 0);
    expect_logits(logits, one["logits"], atol);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(test::argmax(logits, static_cast<std::int64_t>(i)),
                one["argmax"][i].get<std::int64_t>());
    }
    if (one.contains("layer0_attention")) {
      EXPECT_LE(test::largest_difference(select(traces[0].weights.value(), 0, 0),
                                         gradwalk::test::tensor_from(one["layer0_attention"])),
                atol);
    }
    if (one.contains("mean_nll")) {
      EXPECT_NEAR(test::next_token_loss(*model, ids).value().item(), one["mean_nll"].get<double>(),
                  atol);
    }
  }
}

TEST_P(Gpt2, GreedyIdsWithAndWithoutACache) {
  const json all = reference(model_name());
  GRADWALK_SKIP_WITHOUT_DATA(all);
  const auto model = load_model(path_of(model_name()), dtype());
  const Ids want = all.at("greedy").at("ids");
  const Ids prompt = all["greedy"]["prompt_ids"];
  for (const bool with_cache : {false, true}) {
    EXPECT_EQ(test::greedy(*model, prompt, want.size(), with_cache), want) << with_cache;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Gpt2, testing::Combine(testing::Values(kTinyGpt2), kBoth), label);

}  // namespace
}  // namespace gradwalk::nn
