#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "lessons/11_many_heads/language_heads.h"
#include "lessons/course/engine/step.h"

/// What several steps of lesson 11 use.
namespace gradwalk::lesson_11 {

inline LanguageHeads heads_of(course::Step& step, std::int64_t model, std::int64_t heads = 4) {
  return {.heads = heads,
          .batch = step.whole("windows"),
          .updates = step.whole("language_updates"),
          .seed = 100 * step.seed() + static_cast<std::uint64_t>(model)};
}

inline std::string heads_text(std::int64_t heads) {
  return heads == 1 ? "1 head" : fmt::format("{} heads", heads);
}

}  // namespace gradwalk::lesson_11
