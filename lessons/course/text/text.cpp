#include "lessons/course/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gradwalk::course {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The code points of a text, each as its bytes.
std::vector<std::string> code_points(std::string_view text) {
  std::vector<std::string> points;
  for (const char c : text) {
    if (continues(c) && !points.empty()) {
      points.back() += c;
    } else {
      points.emplace_back(1, c);
    }
  }
  return points;
}

constexpr auto kAscii = std::to_array<std::pair<std::string_view, char>>({
    {"─", '-'},  {"│", '|'},  {"┤", '+'}, {"├", '+'},  {"└", '+'}, {"┴", '+'},  {"┬", '+'},
    {"┼", '+'},  {"┈", '-'},  {"╌", '-'}, {"█", '#'},  {"▉", '#'}, {"▊", '#'},  {"▋", '#'},
    {"▌", '#'},  {"▐", '#'},  {"▍", ' '}, {"▎", ' '},  {"▏", ' '}, {"●", 'o'},  {"◆", 'x'},
    {"▲", '+'},  {"■", '*'},  {"▼", '%'}, {"○", 'O'},  {"◉", '@'}, {"→", '>'},  {"←", '<'},
    {"↑", '^'},  {"↓", 'v'},  {"↗", '/'}, {"↖", '\\'}, {"↙", '/'}, {"↘", '\\'}, {"–", '-'},
    {"—", '-'},  {"−", '-'},  {"×", 'x'}, {"·", '.'},  {"…", '.'}, {"“", '"'},  {"”", '"'},
    {"‘", '\''}, {"’", '\''}, {"≈", '~'}, {"≤", '<'},  {"≥", '>'}, {"Σ", 'S'},  {"√", 'V'},
    {"²", '2'},  {"°", 'o'},
});

std::string escape(const Style& style) {
  std::string codes = "0";
  if (style.bold) codes += ";1";
  if (style.fg >= 0) codes += fmt::format(";38;5;{}", style.fg);
  if (style.bg >= 0) codes += fmt::format(";48;5;{}", style.bg);
  return "\x1b[" + codes + "m";
}

// As the display wants it, without trailing blanks, unless they carry a background.
std::vector<Span> trimmed(const Line& line, const Display& display) {
  std::vector<Span> spans = line.spans();
  for (Span& span : spans) {
    if (display.ascii) span.text = to_ascii(span.text);
    if (!display.color) span.style = styles::kPlain;
  }
  while (!spans.empty() && spans.back().style.bg < 0) {
    std::string& text = spans.back().text;
    text.erase(text.find_last_not_of(' ') + 1);
    if (!text.empty()) break;
    spans.pop_back();
  }
  return spans;
}

}  // namespace

Style styles::series(std::size_t at) {
  constexpr std::array kColors = {32, 208, 36, 175, 178, 74};
  return {kColors[at % kColors.size()], -1, false};
}

Line& Line::add(std::string text, Style style) {
  if (text.empty()) return *this;
  if (!spans_.empty() && spans_.back().style == style) {
    spans_.back().text += text;
  } else {
    spans_.push_back({std::move(text), style});
  }
  return *this;
}

Line& Line::add(const Line& other) {
  for (const Span& span : other.spans()) add(span.text, span.style);
  return *this;
}

Line& Line::pad_to(int column) {
  const int missing = column - width();
  if (missing > 0) add(std::string(static_cast<std::size_t>(missing), ' '));
  return *this;
}

int Line::width() const {
  int width = 0;
  for (const Span& span : spans_) width += display_width(span.text);
  return width;
}

int display_width(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

std::string pad_right(std::string_view text, int width) {
  const int missing = std::max(0, width - display_width(text));
  return std::string(text) + std::string(static_cast<std::size_t>(missing), ' ');
}

std::string pad_left(std::string_view text, int width) {
  const int missing = std::max(0, width - display_width(text));
  return std::string(static_cast<std::size_t>(missing), ' ') + std::string(text);
}

std::vector<std::string> wrap(std::string_view text, int width) {
  const auto limit = static_cast<std::size_t>(std::max(1, width));
  std::vector<std::string> points = code_points(text);
  for (std::string& point : points) {
    if (point == "\n" || point == "\t") point = " ";
  }
  std::vector<std::string> lines;
  std::size_t start = 0;
  while (points.size() - start > limit) {
    std::size_t end = start + limit;
    while (end > start && points[end] != " ") --end;
    std::size_t next = end;
    if (end == start) next = end = start + limit;
    while (next < points.size() && points[next] == " ") ++next;
    while (end > start && points[end - 1] == " ") --end;
    lines.emplace_back();
    for (std::size_t i = start; i < end; ++i) lines.back() += points[i];
    start = next;
  }
  lines.emplace_back();
  for (std::size_t i = start; i < points.size(); ++i) lines.back() += points[i];
  return lines;
}

std::string to_ascii(std::string_view text) {
  std::string result;
  for (const std::string& point : code_points(text)) {
    if (point.size() == 1 && static_cast<unsigned char>(point[0]) < 0x80) {
      result += point;
      continue;
    }
    const auto known = std::find_if(kAscii.begin(), kAscii.end(),
                                    [&](const auto& entry) { return entry.first == point; });
    result += known == kAscii.end() ? '?' : known->second;
  }
  return result;
}

std::string paint(const Lines& lines, const Display& display) {
  std::string result;
  for (const Line& line : lines) {
    for (const Span& span : trimmed(line, display)) {
      const bool styled = !(span.style == styles::kPlain);
      result += styled ? escape(span.style) + span.text + "\x1b[0m" : span.text;
    }
    result += '\n';
  }
  return result;
}

Lines side_by_side(const std::vector<Lines>& blocks, int gap, int width) {
  Lines result;
  std::size_t row = 0;  // first line of the current row of blocks
  int used = 0;
  for (const Lines& block : blocks) {
    int wide = 0;
    for (const Line& line : block) wide = std::max(wide, line.width());
    int start = used == 0 ? 0 : used + gap;
    if (used > 0 && start + wide > width) {
      row = result.size();
      start = used = 0;
    }
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (row + i == result.size()) result.emplace_back();
      result[row + i].pad_to(start).add(block[i]);
    }
    used = start + wide;
  }
  return result;
}

}  // namespace gradwalk::course
