#include "lessons/course/text/text_table.h"

#include <algorithm>

#include "lessons/course/text/parse.h"

namespace gradwalk::course {
namespace {

constexpr int kColumnGap = 2;
constexpr int kNarrowestColumn = 6;

int longest_word(const std::string& text) {
  int longest = 0;
  for (const std::string& word : split(text, ' ')) {
    longest = std::max(longest, display_width(word));
  }
  return longest;
}

// Takes columns from the widest that may give some, down to its floor, until the table fits.
void narrow(std::vector<int>& widths, const std::vector<int>& floors, int& surplus) {
  while (surplus > 0) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] > floors[i] && (widest == widths.size() || widths[i] > widths[widest])) {
        widest = i;
      }
    }
    if (widest == widths.size()) return;
    --widths[widest];
    --surplus;
  }
}

std::vector<int> column_widths(const std::vector<TextColumn>& columns,
                               const std::vector<std::vector<TextCell>>& rows, int width) {
  std::vector<int> widths;
  std::vector<int> words;   // whole words stay whole while they can
  std::vector<int> floors;  // below this nothing can be read
  int surplus = -kColumnGap - width;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    int wide = display_width(columns[i].title);
    int word = longest_word(columns[i].title);
    for (const auto& row : rows) {
      wide = std::max(wide, display_width(row[i].text));
      word = std::max(word, longest_word(row[i].text));
    }
    widths.push_back(wide);
    words.push_back(columns[i].wraps ? word : wide);
    floors.push_back(columns[i].wraps ? std::min(word, kNarrowestColumn) : wide);
    surplus += wide + kColumnGap;
  }
  narrow(widths, words, surplus);
  narrow(widths, floors, surplus);
  return widths;
}

void add_row(Lines& lines, const std::vector<TextCell>& row, const std::vector<int>& widths) {
  std::vector<std::vector<std::string>> parts;
  std::size_t height = 1;
  for (std::size_t i = 0; i < row.size(); ++i) {
    parts.push_back(wrap(row[i].text, widths[i]));
    height = std::max(height, parts.back().size());
  }
  for (std::size_t at = 0; at < height; ++at) {
    Line line;
    int column = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line.pad_to(column);
      if (at < parts[i].size()) line.add(parts[i][at], row[i].style);
      column += widths[i] + kColumnGap;
    }
    lines.push_back(std::move(line));
  }
}

}  // namespace

Lines draw_text_table(const std::vector<TextColumn>& columns,
                      const std::vector<std::vector<TextCell>>& rows, int width) {
  const std::vector<int> widths = column_widths(columns, rows, width);
  Lines lines;
  std::vector<TextCell> titles;
  for (const TextColumn& column : columns) titles.push_back({column.title, styles::kDim});
  add_row(lines, titles, widths);
  for (const auto& row : rows) add_row(lines, row, widths);
  return lines;
}

}  // namespace gradwalk::course
