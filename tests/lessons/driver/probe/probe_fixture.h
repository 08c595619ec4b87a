#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "lessons/driver/commands/command_fixture.h"
#include "lessons/driver/probe/checkpoint.h"
#include "nn/checkpoint/save_model.h"
#include "tensor/inplace.h"

namespace gradwalk::test {

/// Small models with random weights, written into the test's own folder.
class ProbeTest : public CommandTest {
 protected:
  /// Two layers of two heads, five wide vectors of eight, no positions, no feed-forward layer.
  static nn::EncoderOptions encoder_options() {
    nn::EncoderOptions options;
    options.vocab_size = 12;
    options.d_model = 8;
    options.num_layers = 2;
    options.embedding_norm = false;
    options.block.norm_place = nn::NormPlace::kPre;
    options.block.norm_options.learned = false;
    options.block.has_feed_forward = false;
    options.block.attention = {.num_heads = 2, .head_dim = 3};
    return options;
  }
  static void randomise(const nn::Module& model) {
    Generator generator(7, "probe weights");
    for (const Variable& parameter : model.parameters()) {
      copy_into(parameter.value(), normal(parameter.shape(), generator));
    }
  }
  std::filesystem::path save_encoder(const nn::EncoderOptions& options = encoder_options()) const {
    const nn::Encoder model(options, nn::Seed(1));
    randomise(model);
    nn::save_encoder(options, model.state_dict(), folder_ / "encoder");
    return folder_ / "encoder";
  }
  /// A language model with as many key heads as `kv_heads` in two layers of four heads.
  std::filesystem::path save_language_model(std::int64_t kv_heads = 2) const {
    nn::CausalLmOptions options;
    options.vocab_size = 12;
    options.d_model = 8;
    options.num_layers = 2;
    options.max_positions = 16;
    options.block.attention = {.num_heads = 4,
                               .num_kv_heads = kv_heads,
                               .rope = RopeOptions{.layout = RopeLayout::kHalves}};
    options.block.attention.linear.bias = false;
    options.block.d_hidden = 12;
    options.block.feed_forward = {.kind = nn::FeedForwardKind::kSwiGlu, .linear = {.bias = false}};
    options.block.norm = nn::NormKind::kRmsNorm;
    const nn::CausalLm model(options, nn::Seed(1));
    randomise(model);
    nn::save_model(model, folder_ / "model");
    return folder_ / "model";
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
};

/// The message of the std::runtime_error that `f` throws; "" for anything else.
template <class F>
std::string runtime_error_of(F f) {
  try {
    f();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace gradwalk::test
