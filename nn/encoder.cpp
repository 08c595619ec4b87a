#include "nn/encoder.h"

#include <fmt/format.h>

#include <stdexcept>

#include "autograd/elementwise.h"
#include "autograd/layout.h"
#include "tensor/create.h"
#include "tensor/error.h"

namespace gradwalk::nn {
namespace {

const EncoderOptions& checked(const EncoderOptions& o) {
  if (o.vocab_size < 1 || o.d_model < 1 || o.num_layers < 0 || o.max_positions < 0 ||
      o.num_types < 0) {
    throw_argument_error("Encoder",
                         "vocab_size, d_model >= 1 and num_layers, max_positions, num_types >= 0",
                         fmt::format("{}, {}, {}, {} and {}", o.vocab_size, o.d_model, o.num_layers,
                                     o.max_positions, o.num_types));
  }
  return o;
}

}  // namespace

Encoder::Encoder(const EncoderOptions& options, const Seed& seed)
    : options_(checked(options)),
      embed_tokens_(options.vocab_size, options.d_model, seed / "embed_tokens", options.embedding) {
  const auto table = [&](const char* name, std::int64_t rows) -> std::unique_ptr<Embedding> {
    if (rows == 0) return nullptr;
    auto made = std::make_unique<Embedding>(rows, options.d_model, seed / name, options.embedding);
    add_module(name, *made);
    return made;
  };
  const auto norm = [&](const char* name) {
    auto made = make_norm(options.block.norm, options.d_model, options.block.norm_options);
    add_module(name, *made);
    return made;
  };
  add_module("embed_tokens", embed_tokens_);
  embed_positions_ = table("embed_positions", options.max_positions);
  embed_types_ = table("embed_types", options.num_types);
  if (options.embedding_norm) embed_norm_ = norm("embed_norm");
  for (std::int64_t i = 0; i < options.num_layers; ++i) {
    const std::string layer = fmt::format("layers.{}", i);
    layers_.push_back(
        std::make_unique<TransformerBlock>(options.d_model, seed / layer, options.block));
    add_module(layer, *layers_.back());
  }
  if (options.block.norm_place == NormPlace::kPre) norm_ = norm("norm");
}

Variable Encoder::embed(const Tensor& ids, const Tensor& types) const {
  Variable x = embed_tokens_(ids);  // [B, T, D]
  if (embed_positions_) {
    const std::int64_t length = ids.shape()[1];
    if (length > options_.max_positions) {
      throw std::out_of_range(
          error_text("Encoder", fmt::format("at most {} positions", options_.max_positions),
                     fmt::format("{}", length), {{"ids", ids.shape()}}));
    }
    x = x + (*embed_positions_)(arange(0, length));
  }
  if (embed_types_) {
    x = x + (*embed_types_)(types.defined() ? types : zeros(ids.shape(), DType::kInt64));
  }
  return embed_norm_ ? (*embed_norm_)(x) : x;
}

Variable Encoder::operator()(const Tensor& ids, const EncoderContext& context) {
  if (ids.ndim() != 2) {
    throw_shape_error("Encoder", "ids [B, T]", ids.shape().str(), {{"ids", ids.shape()}});
  }
  if (context.types.defined()) {
    if (!embed_types_) {
      throw_argument_error("Encoder", "no types, since it has no embeddings of them", "some",
                           {{"types", context.types.shape()}});
    }
    if (context.types.shape() != ids.shape()) {
      throw_shape_error("Encoder", "types.shape == ids.shape",
                        context.types.shape().str() + " and " + ids.shape().str(),
                        {{"ids", ids.shape()}, {"types", context.types.shape()}});
    }
  }
  Variable x = embed(ids, context.types);
  if (context.traces) context.traces->assign(layers_.size(), {});
  if (context.hidden) context.hidden->assign(1, x);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    AttentionContext attention;
    attention.key_padding_mask = context.key_padding_mask;
    if (context.traces) attention.trace = &(*context.traces)[i];
    x = (*layers_[i])(x, attention);
    if (context.hidden) context.hidden->push_back(x);
  }
  return norm_ ? (*norm_)(x) : x;
}

Variable cls(const Variable& x) { return select(x, /*axis=*/1, 0); }

}  // namespace gradwalk::nn
