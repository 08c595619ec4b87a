#pragma once

#include <string>
#include <vector>

#include "lessons/course/text/text.h"

namespace gradwalk::course {

struct TextColumn {
  std::string title;
  bool wraps = false;  ///< may be narrowed; its texts then go on below
};

struct TextCell {
  std::string text;
  Style style;
};

/// A table of texts that fits into `width`: columns that wrap give way, the widest first.
Lines draw_text_table(const std::vector<TextColumn>& columns,
                      const std::vector<std::vector<TextCell>>& rows, int width);

}  // namespace gradwalk::course
