#include "lessons/tasks/numbers/cls_checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "lessons/tasks/module_weight.h"
#include "lessons/tasks/numbers/measures.h"
#include "nn/checkpoint/safetensors.h"
#include "nn/checkpoint/save_model.h"
#include "nn/files/atomic_file.h"
#include "tensor/error.h"
#include "tensor/layout.h"

namespace gradwalk::tasks {
namespace {

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

}  // namespace

void save_expected(const Tensor& ids, const Tensor& cls, const std::filesystem::path& folder) {
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

void save_cls_model(const ClsModel& model, const NumberTask& task, std::uint64_t seed,
                    const std::filesystem::path& folder) {
  nn::StateDict state = {{"embed_tokens.weight", model.embeddings()}};
  for (const char* projection : {"q_proj", "k_proj", "v_proj", "o_proj"}) {
    state.emplace_back(fmt::format("layers.0.self_attn.{}.weight", projection),
                       weight_of(model, fmt::format("attention.{}.weight", projection)));
  }
  nn::save_encoder(as_encoder(model.options()), state, folder);
  const NoGrad guard;
  const Tensor ids = number_tests(task, seed, kCheckpointTexts).ids;
  save_expected(ids, model.summary(ids).value(), folder);
  save_classes(task, folder);
}

}  // namespace gradwalk::tasks
