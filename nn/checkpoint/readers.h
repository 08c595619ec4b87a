#pragma once

#include <filesystem>

#include "nn/causal_lm.h"
#include "nn/checkpoint/safetensors.h"
#include "nn/encoder.h"

namespace gradwalk::nn {

/// The weights of a checkpoint under our names and in our layout, [out, in]. Every shape is held
/// against the options before anything is made of their size.
/// @throws std::runtime_error that names the tensor, the file, and file.op() as the function

/// LLaMA's names are ours but for `model.` in front.
StateDict llama_state(const Safetensors& file, const CausalLmOptions& options);

/// GPT-2 stores the weights of linear layers as [in, out], and query, key and value side by side in
/// `c_attn`.
StateDict gpt2_state(const Safetensors& file, const CausalLmOptions& options);

/// BERT's weights are [out, in]; a pooler and the heads of its training tasks are left out.
StateDict bert_state(const Safetensors& file, const EncoderOptions& options);

/// Our own names and layout, as save_encoder writes them.
StateDict encoder_state(const Safetensors& file, const EncoderOptions& options);

/// A model in the format of llama2.c: seven int32 (d_model, d_hidden, layers, heads, kv heads,
/// vocab size, positions; a negative vocab size means an output layer of its own), then float32
/// without padding: the table; for all layers each the attention norms, W_Q, W_K, W_V, W_O, the
/// feed-forward norms, gate, down and up; the last norm; cosines and sines, which are skipped; the
/// output layer. Rope on interleaved pairs, base 10000, and RMS norm with eps 1e-5.
/// Source  karpathy/llama2.c, run.c
struct Llama2c {
  CausalLmOptions options;
  StateDict state;
};
/// @param op  the function that errors name
/// @throws std::runtime_error that names the file and what in it does not fit
Llama2c read_llama2c(const char* op, const std::filesystem::path& path,
                     DType dtype = DType::kFloat32);

}  // namespace gradwalk::nn
