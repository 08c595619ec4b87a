#include "lessons/course/cls_checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <variant>

#include "lessons/course/module_weight.h"
#include "lessons/course/number_measures.h"
#include "nn/checkpoint/atomic_file.h"
#include "nn/checkpoint/safetensors.h"
#include "nn/checkpoint/save_model.h"
#include "tensor/error.h"
#include "tensor/layout.h"

namespace gradwalk::course {
namespace {

constexpr std::int64_t kTexts = 20;

nn::EncoderOptions as_encoder(const ClsModelOptions& model) {
  if (model.weighting != Weighting::kSoftmax || model.one_key > 0 || model.one_value > 0) {
    throw_argument_error("save_cls_model", "weights by softmax, and a key and a value a token",
                         "another model");
  }
  nn::EncoderOptions encoder;
  encoder.vocab_size = model.vocabulary;
  encoder.d_model = model.d_model;
  encoder.num_layers = 1;
  encoder.embedding_norm = false;
  encoder.block.has_feed_forward = false;
  encoder.block.norm = nn::NormKind::kNone;
  encoder.block.attention = {.num_heads = model.heads, .head_dim = model.head_dim};
  return encoder;
}

void save_inputs(const Tensor& ids, const Tensor& cls, const std::filesystem::path& folder) {
  std::string lines;
  for (std::int64_t row = 0; row < ids.shape()[0]; ++row) {
    lines += fmt::format("{}\n", fmt::join(select(ids, 0, row).to_vector(), " "));
  }
  nn::write_file_atomically(folder / "texts.txt", lines);
  nn::save_safetensors(folder / "expected.safetensors", {{"ids", ids}, {"cls", cls}});
}

void save_classes(const NumberTask& task, const std::filesystem::path& folder) {
  nn::write_file_atomically(folder / "classes.txt",
                            fmt::format("number: 1-{}\nnoun: {}-{}\n", task.numbers,
                                        task.numbers + 1, task.numbers + task.nouns));
}

}  // namespace

void save_cls_model(const ClsModel& model, const NumberTask& task, std::uint64_t seed,
                    const std::filesystem::path& folder) {
  nn::StateDict state = {{"embed_tokens.weight", model.embeddings()}};
  for (const char* projection : {"q_proj", "k_proj", "v_proj", "o_proj"}) {
    state.emplace_back(fmt::format("layers.0.self_attn.{}.weight", projection),
                       weight_of(model, fmt::format("attention.{}.weight", projection)));
  }
  nn::save_encoder(as_encoder(model.options()), state, folder);
  const NoGrad guard;
  const Tensor ids = number_tests(task, seed, kTexts).ids;
  save_inputs(ids, model.summary(ids).value(), folder);
  save_classes(task, folder);
}

void save_cls_encoder(ClsEncoder& model, std::uint64_t seed, const std::filesystem::path& folder) {
  nn::Encoder& encoder = model.encoder();
  nn::save_encoder(encoder.options(), encoder.state_dict(), folder);
  const NoGrad guard;
  Generator generator(seed, "save_cls_encoder");
  const Tensor ids = draw_texts(kTexts, model.options(), generator).ids;
  save_inputs(ids, nn::cls(encoder(ids)).value(), folder);
  if (const auto* task = std::get_if<NumberTask>(&model.options().task)) {
    save_classes(*task, folder);
  }
}

}  // namespace gradwalk::course
