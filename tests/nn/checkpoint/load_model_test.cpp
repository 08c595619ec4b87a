// What load_model reads, and what it says of the rest. Models are small and made here, so that
// these tests need no data from outside.

#include "nn/checkpoint/load_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "nn/checkpoint/config.h"
#include "nn/checkpoint/files.h"
#include "nn/checkpoint/references.h"
#include "nn/checkpoint/safetensors.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/random.h"

namespace gradwalk::nn {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

json llama_config() {
  return {{"model_type", "llama"},      {"vocab_size", 7},          {"hidden_size", 8},
          {"num_hidden_layers", 2},     {"num_attention_heads", 4}, {"num_key_value_heads", 2},
          {"intermediate_size", 12},    {"hidden_act", "silu"},     {"rms_norm_eps", 1e-5},
          {"tie_word_embeddings", true}};
}

json gpt2_config() {
  return {{"model_type", "gpt2"}, {"vocab_size", 7}, {"n_embd", 8},
          {"n_layer", 1},         {"n_head", 2},     {"n_positions", 5}};
}

// The weights of a LLaMA-like model under Hugging Face's names.
StateDict llama_weights() {
  Generator generator(3, "weights");
  StateDict state;
  const auto add = [&](const std::string& name, const Shape& shape) {
    state.emplace_back(name, normal(shape, generator));
  };
  add("model.embed_tokens.weight", {7, 8});
  for (const std::string layer : {"model.layers.0.", "model.layers.1."}) {
    add(layer + "input_layernorm.weight", {8});
    add(layer + "self_attn.q_proj.weight", {8, 8});
    add(layer + "self_attn.k_proj.weight", {4, 8});
    add(layer + "self_attn.v_proj.weight", {4, 8});
    add(layer + "self_attn.o_proj.weight", {8, 8});
    add(layer + "post_attention_layernorm.weight", {8});
    add(layer + "mlp.gate_proj.weight", {12, 8});
    add(layer + "mlp.up_proj.weight", {12, 8});
    add(layer + "mlp.down_proj.weight", {8, 12});
  }
  add("model.norm.weight", {8});
  return state;
}

StateDict gpt2_weights() {
  Generator generator(4, "weights");
  StateDict state;
  const auto add = [&](const std::string& name, const Shape& shape) {
    state.emplace_back(name, normal(shape, generator));
  };
  add("wte.weight", {7, 8});
  add("wpe.weight", {5, 8});
  for (const char* norm : {"h.0.ln_1", "h.0.ln_2", "ln_f"}) {
    add(std::string(norm) + ".weight", {8});
    add(std::string(norm) + ".bias", {8});
  }
  add("h.0.attn.c_attn.weight", {8, 24});
  add("h.0.attn.c_attn.bias", {24});
  add("h.0.attn.c_proj.weight", {8, 8});
  add("h.0.attn.c_proj.bias", {8});
  add("h.0.mlp.c_fc.weight", {8, 32});
  add("h.0.mlp.c_fc.bias", {32});
  add("h.0.mlp.c_proj.weight", {32, 8});
  add("h.0.mlp.c_proj.bias", {8});
  return state;
}

Tensor& at(StateDict& state, std::string_view name) {
  return std::find_if(state.begin(), state.end(), [&](auto& entry) { return entry.first == name; })
      ->second;
}

void drop(StateDict& state, std::string_view name) {
  std::erase_if(state, [&](const auto& entry) { return entry.first == name; });
}

class LoadModel : public testing::Test {
 protected:
  void put(const json& config, const StateDict& weights) {
    test::write(folder_ / "config.json", config.dump());
    save_safetensors(folder_ / "model.safetensors", weights);
  }
  std::vector<double> logits() {
    const auto model = load_model(folder_.path());
    return test::logits_of(*model, {1, 2, 6, 0}).to_vector();
  }
  std::string error_with(const json& config, const StateDict& weights) {
    put(config, weights);
    return test::error_of([&] { load_model(folder_.path()); });
  }

  test::Folder folder_;
};

TEST_F(LoadModel, ATiedTableUnderEitherNameOrUnderBoth) {
  StateDict weights = llama_weights();
  put(llama_config(), weights);
  const std::vector<double> want = logits();
  StateDict both = weights;
  both.emplace_back("lm_head.weight", clone(weights[0].second));
  put(llama_config(), both);
  EXPECT_EQ(logits(), want);
  weights[0].first = "lm_head.weight";
  put(llama_config(), weights);
  EXPECT_EQ(logits(), want);
  at(both, "lm_head.weight") = zeros({7, 8});
  EXPECT_THAT(error_with(llama_config(), both),
              HasSubstr("lm_head.weight equal to model.embed_tokens.weight, as the settings tie"));
}

TEST_F(LoadModel, AnOutputLayerOfItsOwnIsTheDefaultOfLlama) {
  json config = llama_config();
  config.erase("tie_word_embeddings");
  StateDict weights = llama_weights();
  EXPECT_THAT(error_with(config, weights), HasSubstr("a tensor lm_head.weight [7, 8], got none"));
  weights.emplace_back("lm_head.weight", zeros({7, 8}));
  put(config, weights);
  EXPECT_EQ(logits(), std::vector<double>(28, 0));
}

TEST_F(LoadModel, NamesWithAndWithoutThePrefixOfTheBody) {
  put(llama_config(), llama_weights());
  const std::vector<double> llama = logits();
  StateDict bare = llama_weights();
  for (auto& [name, tensor] : bare) name = name.substr(6);
  put(llama_config(), bare);
  EXPECT_EQ(logits(), llama);

  put(gpt2_config(), gpt2_weights());
  const std::vector<double> gpt2 = logits();
  StateDict prefixed = gpt2_weights();
  for (auto& [name, tensor] : prefixed) name = "transformer." + name;
  put(gpt2_config(), prefixed);
  EXPECT_EQ(logits(), gpt2);
}

TEST_F(LoadModel, BiasesWhereTheSettingsHaveThem) {
  json config = llama_config();
  config["attention_bias"] = true;
  config["mlp_bias"] = true;
  StateDict weights = llama_weights();
  EXPECT_THAT(error_with(config, weights),
              HasSubstr("a tensor model.layers.0.self_attn.q_proj.bias [8], got none"));
  Generator generator(5, "biases");
  for (const std::string layer : {"model.layers.0.", "model.layers.1."}) {
    for (const auto& [part, width] :
         std::vector<std::pair<const char*, std::int64_t>>{{"self_attn.q_proj", 8},
                                                           {"self_attn.k_proj", 4},
                                                           {"self_attn.v_proj", 4},
                                                           {"self_attn.o_proj", 8},
                                                           {"mlp.gate_proj", 12},
                                                           {"mlp.up_proj", 12},
                                                           {"mlp.down_proj", 8}}) {
      weights.emplace_back(layer + part + ".bias", normal({width}, generator));
    }
  }
  put(config, weights);
  const std::vector<double> biased = logits();
  EXPECT_THAT(error_with(llama_config(), weights),
              HasSubstr("tensors that the model has a place for, got \"model.layers.0."));
  put(llama_config(), llama_weights());
  EXPECT_NE(biased, logits());
}

TEST_F(LoadModel, TheBaseOfRopeWhereEarlierAndLaterFilesHaveIt) {
  json config = llama_config();
  config["num_attention_heads"] =
      2;  // of width 4: in the first pair of a head the base is of no effect
  config["num_key_value_heads"] = 1;
  put(config, llama_weights());
  const std::vector<double> of_10000 = logits();
  config["rope_theta"] = 100;
  put(config, llama_weights());
  const std::vector<double> of_100 = logits();
  EXPECT_NE(of_100, of_10000);
  config.erase("rope_theta");
  config["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 100.0}};
  put(config, llama_weights());
  EXPECT_EQ(logits(), of_100);
  config["rope_parameters"]["rope_type"] = "yarn";
  EXPECT_THAT(error_with(config, llama_weights()),
              HasSubstr("rope_type \"default\", the form that is supported, got \"yarn\""));
  config["rope_parameters"] = 100;
  EXPECT_THAT(error_with(config, llama_weights()), HasSubstr("rope_parameters that are an object"));
}

TEST_F(LoadModel, AModelInPieces) {
  StateDict weights = llama_weights();
  put(llama_config(), weights);
  const std::vector<double> want = logits();
  std::filesystem::remove(folder_ / "model.safetensors");
  const auto middle = weights.begin() + 7;
  save_safetensors(folder_ / "model-1.safetensors", {weights.begin(), middle});
  save_safetensors(folder_ / "model-2.safetensors", {middle, weights.end()});
  json index;
  for (auto entry = weights.begin(); entry != weights.end(); ++entry) {
    index["weight_map"][entry->first] =
        entry < middle ? "model-1.safetensors" : "model-2.safetensors";
  }
  test::write(folder_ / "model.safetensors.index.json", index.dump());
  EXPECT_EQ(logits(), want);
}

TEST_F(LoadModel, AFileOfWeightsWithItsSettingsBesideItOrElsewhere) {
  put(llama_config(), llama_weights());
  const std::vector<double> want = logits();
  const auto of = [](CausalLm& model) { return test::logits_of(model, {1, 2, 6, 0}).to_vector(); };
  EXPECT_EQ(of(*load_model(folder_ / "model.safetensors")), want);
  std::filesystem::create_directory(folder_ / "apart");
  std::filesystem::rename(folder_ / "model.safetensors", folder_ / "apart" / "m.safetensors");
  const std::filesystem::path weights = folder_ / "apart" / "m.safetensors";
  EXPECT_EQ(of(*load_model(CheckpointFiles{folder_ / "config.json", weights})), want);
  EXPECT_THAT(
      test::error_of([&] { load_model(weights); }),
      AllOf(HasSubstr("config.json beside the file, got none"), HasSubstr("m.safetensors")));
}

TEST_F(LoadModel, WeightsThatDoNotFitNameTheTensorAndTheFile) {
  const std::string file = (folder_ / "model.safetensors").string();
  StateDict weights = llama_weights();
  at(weights, "model.layers.1.mlp.up_proj.weight") = zeros({12, 9});
  EXPECT_THAT(error_with(llama_config(), weights),
              AllOf(HasSubstr("model.layers.1.mlp.up_proj.weight [12, 8], as the settings ask for, "
                              "got [12, 9]"),
                    HasSubstr(file)));
  weights = llama_weights();
  drop(weights, "model.norm.weight");
  EXPECT_THAT(error_with(llama_config(), weights), HasSubstr("norm.weight [8], got none"));
  weights = llama_weights();
  weights.emplace_back("model.layers.2.mlp.up_proj.weight", zeros({12, 8}));
  EXPECT_THAT(error_with(llama_config(), weights),
              HasSubstr("a place for, got \"model.layers.2.mlp.up_proj.weight\""));
  weights = llama_weights();
  at(weights, "model.norm.weight") = zeros({8}, DType::kInt64);
  EXPECT_THAT(error_with(llama_config(), weights), HasSubstr("of a float type, got I64"));
}

TEST_F(LoadModel, WhatOlderFilesCarryIsLeftOut) {
  StateDict weights = llama_weights();
  weights.emplace_back("model.layers.0.self_attn.rotary_emb.inv_freq", zeros({1}));
  put(llama_config(), weights);
  EXPECT_NO_THROW(logits());
  weights = gpt2_weights();
  weights.emplace_back("h.0.attn.bias", zeros({1, 1, 5, 5}));
  weights.emplace_back("h.0.attn.masked_bias", scalar(-1e4));
  put(gpt2_config(), weights);
  EXPECT_NO_THROW(logits());
}

TEST_F(LoadModel, SettingsThatAreNotSupportedAreRefusedByName) {
  const auto refused = [&](json config, const char* key, const json& value, const char* text) {
    config[key] = value;
    const std::string error =
        error_with(config, config["model_type"] == "gpt2" ? gpt2_weights() : llama_weights());
    EXPECT_THAT(error, AllOf(HasSubstr(text), HasSubstr("config.json")));
  };
  refused(llama_config(), "model_type", "mamba",
          "model_type llama, gpt2, bert or gradwalk_encoder, got \"mamba\"");
  refused(llama_config(), "model_type", nullptr,
          "model_type llama, gpt2, bert or gradwalk_encoder, got none");
  refused(llama_config(), "hidden_act", "relu", "hidden_act \"silu\", the form that is supported");
  refused(llama_config(), "rope_scaling", {{"type", "linear"}}, "rope without rope_scaling");
  refused(llama_config(), "vocab_size", -7, "vocab_size in [1, 2^30], got -7");
  refused(llama_config(), "vocab_size", 1.5, "vocab_size in [1, 2^30], got 1.5");
  refused(llama_config(), "vocab_size", nullptr, "vocab_size in [1, 2^30], got none");
  refused(llama_config(), "num_hidden_layers", "2", "num_hidden_layers in [1, 2^30], got \"2\"");
  refused(llama_config(), "rms_norm_eps", -1, "rms_norm_eps > 0, got -1");
  refused(llama_config(), "tie_word_embeddings", 1, "tie_word_embeddings true or false");
  refused(llama_config(), "hidden_act", 3, "hidden_act \"silu\"");
  refused(gpt2_config(), "activation_function", "relu", "activation_function among gelu, gelu_new");
  refused(gpt2_config(), "scale_attn_by_inverse_layer_idx", true,
          "scale_attn_by_inverse_layer_idx false");
}

// Sizes come from a file: they are held against the weights before memory is asked for.
TEST_F(LoadModel, SizesThatLieAskForNoMemory) {
  for (const char* key : {"vocab_size", "hidden_size", "num_hidden_layers", "intermediate_size",
                          "num_attention_heads", "head_dim"}) {
    json config = llama_config();
    config[key] = 1 << 30;
    const std::string error = error_with(config, llama_weights());
    EXPECT_THAT(error, HasSubstr("model.safetensors")) << key;
  }
  json config = llama_config();
  config["num_attention_heads"] = 3;
  EXPECT_THAT(error_with(config, llama_weights()), HasSubstr("got"));
}

// Whatever part of the library finds the fault, be it the reader of JSON, of the settings, of a
// header or of a weight.
TEST_F(LoadModel, AFaultNamesTheFunctionThatWasCalled) {
  const json bert{{"model_type", "bert"},   {"vocab_size", 7},          {"hidden_size", 8},
                  {"num_hidden_layers", 1}, {"num_attention_heads", 2}, {"intermediate_size", 12}};
  const auto names_both = [&](const std::string& text, const std::function<void(json&)>& damage) {
    for (json config : {llama_config(), bert}) {
      const bool encoder = config["model_type"] == "bert";
      const test::Folder folder;
      save_safetensors(folder / "model.safetensors", {});
      damage(config);
      if (!config.is_null()) test::write(folder / "config.json", config.dump());
      if (text.find("index") != text.npos) {
        std::filesystem::remove(folder / "model.safetensors");
        test::write(folder / "model.safetensors.index.json", "{}");
      }
      if (text.find("a header") != text.npos) test::write(folder / "model.safetensors", "12345678");
      if (text.find("to read") != text.npos) {
        std::filesystem::remove(folder / "model.safetensors");
        std::filesystem::create_directory(folder / "model.safetensors");
      }
      EXPECT_THAT(
          test::error_of([&] {
            if (encoder) {
              load_encoder(folder.path());
            } else {
              load_model(folder.path());
            }
          }),
          StartsWith((encoder ? "load_encoder: expected " : "load_model: expected ") + text));
    }
  };
  const auto nothing = [](json&) {};
  names_both("config.json in the folder", [](json& config) { config = nullptr; });
  names_both("an object", [](json& config) { config = json::array(); });
  names_both("vocab_size in", [](json& config) { config["vocab_size"] = 0; });
  names_both("hidden_act", [](json& config) { config["hidden_act"] = "relu"; });
  names_both("a tensor ", nothing);
  names_both("an index with", nothing);
  names_both("a header", nothing);
  names_both("a file to read", nothing);

  const auto expect = [](const std::function<void()>& call, const char* text) {
    EXPECT_THAT(test::error_of(call), StartsWith(text));
  };
  test::write(folder_ / "x.bin", "short");
  expect([&] { load_model(folder_ / "x.bin"); }, "load_model: expected a header of 28 bytes");
  expect([&] { load_encoder(folder_ / "x.bin"); }, "load_encoder: expected an encoder");
  expect([&] { find_checkpoint(folder_ / "none"); }, "find_checkpoint: expected a folder or a");
  expect([&] { read_config(folder_ / "none"); }, "read_config: expected a file to read");
  test::write(folder_ / "config.json", "{}");
  expect([&] { read_config(folder_ / "config.json"); }, "read_config: expected model_type");
}

// Sizes that no model can have, but that fit the weights.
TEST_F(LoadModel, SettingsThatDoNotFitEachOther) {
  json config = llama_config();
  config["num_attention_heads"] = 4;
  config["num_key_value_heads"] = 4;
  config["head_dim"] = 1;
  StateDict weights = llama_weights();
  for (auto& [name, tensor] : weights) {
    for (const char* part : {"q_proj", "k_proj", "v_proj"}) {
      if (name.find(part) != name.npos) tensor = zeros({4, 8});
    }
    if (name.find("o_proj") != name.npos) tensor = zeros({8, 4});
  }
  EXPECT_THAT(error_with(config, weights),
              AllOf(StartsWith("load_model: expected settings that fit each other, got "
                               "MultiHeadAttention: expected an even head_dim"),
                    HasSubstr("model.safetensors")));
}

TEST_F(LoadModel, WhatIsNoModel) {
  const auto error = [&](const std::filesystem::path& path) {
    return test::error_of([&] { load_model(path); });
  };
  EXPECT_THAT(error(folder_ / "none"), HasSubstr("a folder or a file, got nothing"));
  EXPECT_THAT(error(folder_.path()),
              HasSubstr("config.json in the folder, or one .bin file of llama2.c, got neither"));
  test::write(folder_ / "config.json", llama_config().dump());
  EXPECT_THAT(error(folder_.path()),
              HasSubstr("model.safetensors or model.safetensors.index.json"));
  test::write(folder_ / "pytorch_model.bin", "PK");
  EXPECT_THAT(error(folder_.path()), HasSubstr("got pytorch_model.bin, which is not supported"));
  save_safetensors(folder_ / "model.safetensors", {});
  test::write(folder_ / "config.json", "{\"model_type\": ");
  EXPECT_THAT(error(folder_.path()), HasSubstr("expected JSON, got an error at byte"));
  test::write(folder_ / "model.gguf", "GGUF");
  EXPECT_THAT(error(folder_ / "model.gguf"),
              HasSubstr("a folder with config.json, a .safetensors file, or a .bin file"));
  test::write(folder_ / "config.json", json{{"model_type", "bert"},
                                            {"vocab_size", 5},
                                            {"hidden_size", 4},
                                            {"num_hidden_layers", 1},
                                            {"num_attention_heads", 2},
                                            {"intermediate_size", 4}}
                                           .dump());
  EXPECT_THAT(error(folder_.path()), HasSubstr("bert, an encoder, which load_encoder reads"));
  test::write(folder_ / "config.json", gpt2_config().dump());
  EXPECT_THAT(test::error_of([&] { load_encoder(folder_.path()); }),
              HasSubstr("an encoder, got gpt2, a language model"));
}

}  // namespace
}  // namespace gradwalk::nn
