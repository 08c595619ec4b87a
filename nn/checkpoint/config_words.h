#pragma once

#include <string_view>

/// How our own config.json spells a choice: the word of value i stands at place i.
namespace gradwalk::nn {

inline constexpr std::string_view kNormWords[] = {"layer_norm", "rms_norm", "none"};
inline constexpr std::string_view kNormPlaceWords[] = {"pre", "post"};

}  // namespace gradwalk::nn
