#include "nn/checkpoint/save_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "nn/checkpoint/config.h"
#include "nn/checkpoint/files.h"
#include "nn/checkpoint/load_model.h"
#include "nn/checkpoint/references.h"
#include "nn/checkpoint/safetensors.h"
#include "tensor/error.h"
#include "tensor/inplace.h"

namespace gradwalk::nn {
namespace {

using nlohmann::json;
using testing::StartsWith;
using testing::ThrowsMessage;

CausalLmOptions gpt2_options() {
  CausalLmOptions o;
  o.vocab_size = 7;
  o.d_model = 8;
  o.num_layers = 2;
  o.max_positions = 6;
  o.block.attention.num_heads = 2;
  o.block.attention.linear.bias = true;
  o.block.d_hidden = 12;
  return o;
}

CausalLmOptions llama_options() {
  CausalLmOptions o;
  o.vocab_size = 7;
  o.d_model = 8;
  o.num_layers = 2;
  o.max_positions = 6;
  o.tie_embeddings = false;
  o.block.attention.num_heads = 4;
  o.block.attention.num_kv_heads = 2;
  o.block.attention.rope = RopeOptions{.base = 500, .layout = RopeLayout::kHalves};
  o.block.feed_forward = {.kind = FeedForwardKind::kSwiGlu, .linear = {.bias = false}};
  o.block.norm = NormKind::kRmsNorm;
  o.block.norm_options.eps = 3e-6;
  return o;
}

// Every parameter at random: biases and gains too, so that a mix-up shows.
std::unique_ptr<CausalLm> random_model(const CausalLmOptions& options) {
  auto model = std::make_unique<CausalLm>(options, Seed(1));
  Generator generator(2, "all parameters");
  for (const Variable& parameter : model->parameters()) {
    copy_into(parameter.value(), normal(parameter.shape(), generator, parameter.value().dtype()));
  }
  return model;
}

void set_dtype(CausalLmOptions& o, DType dtype) {
  o.embedding.dtype = dtype;
  o.block.attention.linear.dtype = dtype;
  o.block.feed_forward.linear.dtype = dtype;
  o.block.norm_options.dtype = dtype;
}

void expect_same_bits(CausalLm& saved, const std::filesystem::path& folder, DType dtype) {
  const auto loaded = load_model(folder, dtype);
  const StateDict want = saved.state_dict();
  const StateDict got = loaded->state_dict();
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].first, want[i].first);
    EXPECT_EQ(got[i].second.shape(), want[i].second.shape()) << got[i].first;
    EXPECT_EQ(got[i].second.to_vector(), want[i].second.to_vector()) << got[i].first;
  }
  saved.eval();
  const std::vector<std::int64_t> ids{1, 2, 6, 0, 3};
  EXPECT_EQ(test::logits_of(*loaded, ids).to_vector(), test::logits_of(saved, ids).to_vector());
}

TEST(SaveModel, Gpt2ComesBackToTheSameBits) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    for (const bool tied : {true, false}) {
      test::Folder folder;
      CausalLmOptions options = gpt2_options();
      options.tie_embeddings = tied;
      options.block.dropout = 0.25;
      options.block.norm_options.eps = 1e-3;
      options.block.feed_forward.gelu = tied ? GeluForm::kErf : GeluForm::kTanh;
      set_dtype(options, dtype);
      const auto model = random_model(options);
      save_model(*model, folder / "new");
      expect_same_bits(*model, folder / "new", dtype);
    }
  }
}

TEST(SaveModel, LlamaComesBackToTheSameBits) {
  for (const bool all : {true, false}) {
    test::Folder folder;
    CausalLmOptions options = llama_options();
    options.tie_embeddings = all;
    options.block.attention.head_dim = all ? 6 : 0;
    options.block.attention.linear.bias = all;
    options.block.feed_forward.linear.bias = all;
    const auto model = random_model(options);
    save_model(*model, folder.path());
    expect_same_bits(*model, folder.path(), DType::kFloat32);
  }
}

TEST(SaveModel, WhatHuggingFaceReads) {
  test::Folder folder;
  CausalLmOptions options = gpt2_options();
  options.block.dropout = 0.25;
  const auto model = random_model(options);
  save_model(*model, folder.path());
  const json config = json::parse(test::read(folder / "config.json"));
  EXPECT_EQ(config.at("architectures"), json::array({"GPT2LMHeadModel"}));
  EXPECT_EQ(config.at("model_type"), "gpt2");
  EXPECT_EQ(config.at("n_inner"), 12);
  EXPECT_EQ(config.at("activation_function"), "gelu");
  EXPECT_EQ(config.at("resid_pdrop"), 0.25);
  EXPECT_EQ(config.at("eos_token_id"), nullptr);
  EXPECT_EQ(config.at("torch_dtype"), "float32");
  const Safetensors file(folder / "model.safetensors");
  EXPECT_EQ(file.metadata().at("format"), "pt");
  EXPECT_EQ(file.entries().size(), 2U + 2U * 12U + 2U);
  EXPECT_EQ(file.load("transformer.h.1.attn.c_attn.weight").shape(), (Shape{8, 24}));
  EXPECT_EQ(file.load("transformer.h.1.mlp.c_fc.weight").shape(), (Shape{8, 12}));
  EXPECT_EQ(file.find("lm_head.weight"), nullptr);

  save_model(*random_model(llama_options()), folder.path());
  const json llama = json::parse(test::read(folder / "config.json"));
  EXPECT_EQ(llama.at("architectures"), json::array({"LlamaForCausalLM"}));
  EXPECT_EQ(llama.at("intermediate_size"), 32);
  EXPECT_EQ(llama.at("num_key_value_heads"), 2);
  EXPECT_EQ(llama.at("rope_theta"), 500);
}

TEST(SaveModel, TheSameConfigIsNotWrittenAgain) {
  test::Folder folder;
  const auto model = random_model(gpt2_options());
  save_model(*model, folder.path());
  const auto first =
      std::filesystem::last_write_time(folder / "config.json") - std::chrono::hours(1);
  std::filesystem::last_write_time(folder / "config.json", first);
  save_model(*model, folder.path());
  EXPECT_EQ(std::filesystem::last_write_time(folder / "config.json"), first);
}

TEST(SaveModel, SaysWhatNeitherLayoutCan) {
  const auto refuses = [](const CausalLmOptions& options, const std::string& text) {
    test::Folder folder;
    const CausalLm model(options, Seed(1));
    EXPECT_THAT([&] { save_model(model, folder / "new"); },
                ThrowsMessage<std::invalid_argument>(
                    "save_model: expected a model in the layout of GPT-2 or LLaMA, got " + text));
    EXPECT_FALSE(std::filesystem::exists(folder / "new"));
  };
  CausalLmOptions o = gpt2_options();
  o.max_positions = 0;
  o.block.feed_forward.linear.bias = false;
  refuses(o,
          "for GPT-2 no positions, linear layers without bias; for LLaMA no rope, LayerNorm, GELU");
  o = llama_options();
  o.block.attention.rope->layout = RopeLayout::kInterleaved;
  o.block.norm_place = NormPlace::kPost;
  refuses(o,
          "for GPT-2 post-norm, rope, RMS norm, SwiGLU, linear layers without bias, grouped heads; "
          "for LLaMA post-norm, rope on neighbours");
  o = llama_options();
  o.num_layers = 0;
  o.block.norm_options.eps = 0;
  o.block.norm_options.learned = false;
  o.block.attention.scale = 1;
  o.block.attention.has_o_proj = false;
  o.block.feed_forward.linear.bias = true;
  refuses(o,
          "for GPT-2 no layers, norms without parameters, eps 0, a scale of its own, a missing "
          "projection, rope, RMS norm, SwiGLU, linear layers without bias, grouped heads; for "
          "LLaMA no layers, norms without parameters, eps 0, a scale of its own, a missing "
          "projection");
  o = gpt2_options();
  o.block.attention.head_dim = 6;
  refuses(o, "for GPT-2 head_dim of its own; for LLaMA no rope, LayerNorm, GELU");
}

EncoderOptions encoder_options() {
  EncoderOptions o;
  o.vocab_size = 9;
  o.d_model = 8;
  o.num_layers = 2;
  o.max_positions = 6;
  o.num_types = 2;
  o.block.attention = {.num_heads = 4, .num_kv_heads = 2, .head_dim = 3};
  o.block.d_hidden = 12;
  return o;
}

void expect_encoder_comes_back(const EncoderOptions& options) {
  test::Folder folder;
  Encoder saved(options, Seed(1));
  Generator generator(2, "all parameters");
  for (const Variable& parameter : saved.parameters()) {
    copy_into(parameter.value(), normal(parameter.shape(), generator));
  }
  save_encoder(options, saved.state_dict(), folder / "new");
  const auto loaded = load_encoder(folder / "new");
  const Tensor ids = test::ids_of({0, 3, 8, 8, 1});
  EXPECT_EQ((*loaded)(ids).value().to_vector(), saved(ids).value().to_vector());
}

TEST(SaveEncoder, ComesBackToTheSameBits) {
  EncoderOptions options = encoder_options();
  expect_encoder_comes_back(options);
  options.block.norm = NormKind::kRmsNorm;
  options.block.norm_place = NormPlace::kPre;
  options.block.norm_options.eps = 1e-2;
  options.block.attention.linear.bias = true;
  options.block.feed_forward = {.kind = FeedForwardKind::kSwiGlu, .linear = {.bias = false}};
  expect_encoder_comes_back(options);
  options = encoder_options();
  options.embedding_norm = false;
  options.block.norm_options.learned = false;
  options.block.feed_forward.gelu = GeluForm::kTanh;
  expect_encoder_comes_back(options);
  options.max_positions = 0;
  options.num_types = 0;
  options.block.norm = NormKind::kNone;
  options.block.has_feed_forward = false;
  expect_encoder_comes_back(options);
}

TEST(SaveEncoder, SaysWhatItCannot) {
  test::Folder folder;
  EncoderOptions options = encoder_options();
  const StateDict state = Encoder(options, Seed(1)).state_dict();
  options.block.attention.scale = 2;
  options.block.attention.head_dim = 4;
  options.block.attention.rope = RopeOptions{};
  EXPECT_THAT([&] { save_encoder(options, state, folder / "new"); },
              ThrowsMessage<std::invalid_argument>(
                  "save_encoder: expected an encoder that config.json can say, got a scale of its "
                  "own, rope"));
  options = encoder_options();
  options.num_types = 3;
  EXPECT_THAT(
      [&] { save_encoder(options, state, folder / "new"); },
      ThrowsMessage<ShapeError>("save_encoder: expected embed_types.weight [3, 8], got [2, 8]"));
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
}

TEST(SaveModel, AFaultNamesTheFunctionThatWasCalled) {
  test::Folder folder;
  const auto model = random_model(gpt2_options());
  const EncoderOptions options = encoder_options();
  const StateDict state = Encoder(options, Seed(1)).state_dict();
  const auto expect = [&](const std::filesystem::path& to, const std::string& text) {
    EXPECT_THAT(test::error_of([&] { save_model(*model, to); }), StartsWith("save_model: " + text));
    EXPECT_THAT(test::error_of([&] { save_encoder(options, state, to); }),
                StartsWith("save_encoder: " + text));
  };
  test::write(folder / "file", "x");
  expect(folder / "file" / "new", "cannot make the folder");
  for (const char* file : {"config.json", "model.safetensors"}) {
    const std::filesystem::path to = folder / (std::string("no ") + file);
    std::filesystem::create_directories(to / (std::string(file) + ".tmp"));
    expect(to, "cannot open " + (to / file).string());
  }
}

TEST(ConfigJson, AFaultNamesTheFunctionThatWasCalled) {
  CausalLmOptions o = gpt2_options();
  o.num_layers = 0;
  EXPECT_THAT([&] { config_json(o); },
              ThrowsMessage<std::invalid_argument>(StartsWith("config_json: expected a model")));
  EXPECT_THAT([&] { architecture_of(o); }, ThrowsMessage<std::invalid_argument>(
                                               StartsWith("architecture_of: expected a model")));
  EncoderOptions encoder = encoder_options();
  encoder.num_layers = 0;
  EXPECT_THAT(
      [&] { encoder_config_json(encoder); },
      ThrowsMessage<std::invalid_argument>(StartsWith("encoder_config_json: expected an encoder")));
}

TEST(SaveModel, RealCheckpointsComeBack) {
  const json reference = test::data_json("models/tiny-gpt2/reference.json");
  GRADWALK_SKIP_WITHOUT_DATA(reference);
  for (const char* name : {"models/tiny-gpt2", "models/tinystories-656k"}) {
    test::Folder folder;
    const auto model = load_model(test::data(name));
    save_model(*model, folder.path());
    expect_same_bits(*model, folder.path(), DType::kFloat32);
  }
}

}  // namespace
}  // namespace gradwalk::nn
