#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace gradwalk::nn {

/// Where the first byte stands that is no part of a UTF-8 code point; none if all are. Overlong
/// forms, surrogates and points past U+10FFFF are no code points.
/// Source  The Unicode Standard 15, table 3-7
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

}  // namespace gradwalk::nn
