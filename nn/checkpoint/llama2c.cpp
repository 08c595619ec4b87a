#include <fmt/format.h>

#include <array>
#include <cstring>

#include "nn/checkpoint/readers.h"
#include "nn/files/mapped_file.h"
#include "nn/files/read_error.h"
#include "tensor/layout.h"

namespace gradwalk::nn {
namespace {

struct Sizes {
  std::int64_t d_model, d_hidden, layers, heads, kv_heads, vocab, positions, head_dim, kv_width;
  bool tied;
};

Sizes sizes_of(std::span<const std::byte> file, const Where& where) {
  std::array<std::int32_t, 7> header{};
  if (file.size() < sizeof(header)) {
    throw_read_error(where, fmt::format("a header of {} bytes", sizeof(header)),
                     fmt::format("a file of {}", file.size()));
  }
  std::memcpy(header.data(), file.data(), sizeof(header));
  const bool tied = header[5] > 0;
  // So small that the sum of all sizes below fits 63 bits.
  constexpr std::int64_t kMost = 1 << 19;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::int64_t size = i == 5 && !tied ? -std::int64_t{header[i]} : header[i];
    if (size < 1 || size > kMost) {
      throw_read_error(where, fmt::format("sizes in [1, {}] in the header", kMost),
                       fmt::format("{} as number {}", header[i], i));
    }
  }
  Sizes s{header[0],           header[1], header[2], header[3], header[4],
          std::abs(header[5]), header[6], 0,         0,         tied};
  if (s.d_model % s.heads != 0 || s.heads % s.kv_heads != 0 || s.d_model / s.heads % 2 != 0) {
    throw_read_error(
        where, "heads that divide d_model to an even width, and kv heads that divide the heads",
        fmt::format("{}, {} and {}", s.d_model, s.heads, s.kv_heads));
  }
  s.head_dim = s.d_model / s.heads;
  s.kv_width = s.head_dim * s.kv_heads;
  return s;
}

// Cuts a file of float32 arrays into tensors, from the front.
class Cutter {
 public:
  Cutter(const char* op, std::span<const std::byte> bytes) : op_(op), bytes_(bytes) {}

  Tensor take(const Shape& shape) {
    Tensor x(op_, shape, DType::kFloat32);
    const auto count = static_cast<std::size_t>(x.numel()) * sizeof(float);
    std::memcpy(x.mutable_data<float>(), bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
    return x;
  }
  void skip(std::int64_t count) {
    bytes_ = bytes_.subspan(static_cast<std::size_t>(count) * sizeof(float));
  }

 private:
  const char* op_;
  std::span<const std::byte> bytes_;
};

std::int64_t floats_of(const Sizes& s) {
  const std::int64_t layer = 2 * s.d_model * s.d_model + 2 * s.kv_width * s.d_model +
                             3 * s.d_hidden * s.d_model + 2 * s.d_model;
  return (s.tied ? 1 : 2) * s.vocab * s.d_model + s.layers * layer + s.d_model +
         s.positions * s.head_dim;
}

CausalLmOptions options_of(const Sizes& s, DType dtype) {
  const LinearOptions linear{.bias = false, .init = {InitScheme::kZeros, 1}, .dtype = dtype};
  CausalLmOptions o;
  o.vocab_size = s.vocab;
  o.d_model = s.d_model;
  o.num_layers = s.layers;
  o.max_positions = s.positions;
  o.tie_embeddings = s.tied;
  o.embedding = {.init = linear.init, .dtype = dtype};
  o.block.attention = {.num_heads = s.heads,
                       .num_kv_heads = s.kv_heads,
                       .rope = RopeOptions{.base = 10000, .layout = RopeLayout::kInterleaved},
                       .linear = linear};
  o.block.d_hidden = s.d_hidden;
  o.block.feed_forward = {.kind = FeedForwardKind::kSwiGlu, .linear = linear};
  o.block.norm = NormKind::kRmsNorm;
  o.block.norm_options = {.eps = 1e-5, .dtype = dtype};
  return o;
}

}  // namespace

Llama2c read_llama2c(const char* op, const std::filesystem::path& path, DType dtype) {
  const MappedFile file(op, path);
  const Where where{op, path.string()};
  const Sizes s = sizes_of(file.bytes(), where);
  const std::uint64_t want = 28 + sizeof(float) * static_cast<std::uint64_t>(floats_of(s));
  if (file.bytes().size() != want) {
    throw_read_error(where, fmt::format("{} bytes, by the sizes in the header", want),
                     fmt::format("{}", file.bytes().size()));
  }
  Llama2c model{options_of(s, dtype), {}};
  Cutter cutter(op, file.bytes().subspan(28));
  StateDict& state = model.state;
  // An array holds one kind of weight for all layers.
  const auto layers = [&](const char* name, const Shape& shape) {
    for (std::int64_t i = 0; i < s.layers; ++i) {
      state.emplace_back(fmt::format("layers.{}.{}.weight", i, name), cutter.take(shape));
    }
  };
  state.emplace_back("embed_tokens.weight", cutter.take({s.vocab, s.d_model}));
  layers("input_layernorm", {s.d_model});
  layers("self_attn.q_proj", {s.d_model, s.d_model});
  layers("self_attn.k_proj", {s.kv_width, s.d_model});
  layers("self_attn.v_proj", {s.kv_width, s.d_model});
  layers("self_attn.o_proj", {s.d_model, s.d_model});
  layers("post_attention_layernorm", {s.d_model});
  layers("mlp.gate_proj", {s.d_hidden, s.d_model});
  layers("mlp.down_proj", {s.d_model, s.d_hidden});
  layers("mlp.up_proj", {s.d_hidden, s.d_model});
  state.emplace_back("norm.weight", cutter.take({s.d_model}));
  cutter.skip(s.positions * s.head_dim);  // cosines and sines, half a head's width each
  if (!s.tied) state.emplace_back("lm_head.weight", cutter.take({s.vocab, s.d_model}));
  return model;
}

}  // namespace gradwalk::nn
