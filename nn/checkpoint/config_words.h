#pragma once

#include <string_view>

/// The words of our own config.json. Where it spells a choice, word i is that of value i.
namespace gradwalk::nn {

inline constexpr std::string_view kNormWords[] = {"layer_norm", "rms_norm", "none"};
inline constexpr std::string_view kNormPlaceWords[] = {"pre", "post"};

/// All of its keys.
inline constexpr std::string_view kEncoderKeys[] = {"model_type",
                                                    "vocab_size",
                                                    "hidden_size",
                                                    "num_hidden_layers",
                                                    "num_attention_heads",
                                                    "num_key_value_heads",
                                                    "head_dim",
                                                    "max_position_embeddings",
                                                    "type_vocab_size",
                                                    "embedding_norm",
                                                    "norm",
                                                    "norm_place",
                                                    "norm_eps",
                                                    "norm_weights",
                                                    "attention_bias",
                                                    "intermediate_size",
                                                    "hidden_act",
                                                    "mlp_bias",
                                                    "torch_dtype"};

}  // namespace gradwalk::nn
