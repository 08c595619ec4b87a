#include "lessons/course/pictures/dot_canvas.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace gradwalk::course {
namespace {

// Bit of each dot in a braille pattern, by column and row inside the cell.
constexpr unsigned kBraille[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};

std::string braille(unsigned dots) {
  // U+2800 + dots in UTF-8.
  return {static_cast<char>(0xE2), static_cast<char>(0xA0 | (dots >> 6)),
          static_cast<char>(0x80 | (dots & 0x3F))};
}

}  // namespace

DotCanvas::DotCanvas(int columns, int rows, bool ascii)
    : columns_(std::max(1, columns)),
      rows_(std::max(1, rows)),
      ascii_(ascii),
      across_(ascii ? 1 : 2),
      down_(ascii ? 1 : 4),
      cells_(static_cast<std::size_t>(columns_ * rows_)) {}

int DotCanvas::column_of(double dot_x) const {
  return static_cast<int>(std::floor(dot_x / across_));
}

int DotCanvas::row_of(double dot_y) const { return static_cast<int>(std::floor(dot_y / down_)); }

bool DotCanvas::inside(int column, int row) const {
  return column >= 0 && column < columns_ && row >= 0 && row < rows_;
}

DotCanvas::Cell& DotCanvas::cell(int column, int row) {
  return cells_[static_cast<std::size_t>(row * columns_ + column)];
}

const DotCanvas::Cell& DotCanvas::cell(int column, int row) const {
  return cells_[static_cast<std::size_t>(row * columns_ + column)];
}

void DotCanvas::dot(int x, int y, Style style, char fallback) {
  if (x < 0 || y < 0 || !inside(x / across_, y / down_)) return;
  Cell& target = cell(x / across_, y / down_);
  target.dots |= ascii_ ? 1U : kBraille[x % across_][y % down_];
  target.fallback = fallback;
  if (target.glyph.empty()) target.style = style;
}

void DotCanvas::line(double x0, double y0, double x1, double y1, Style style, char fallback) {
  if (!std::isfinite(x0 + y0 + x1 + y1)) return;
  const double longest = std::max(std::abs(x1 - x0), std::abs(y1 - y0));
  const int steps = std::min(10000, std::max(1, static_cast<int>(std::ceil(longest))));
  for (int i = 0; i <= steps; ++i) {
    const double t = static_cast<double>(i) / steps;
    dot(static_cast<int>(std::floor(x0 + t * (x1 - x0))),
        static_cast<int>(std::floor(y0 + t * (y1 - y0))), style, fallback);
  }
}

void DotCanvas::mark(int column, int row, const std::string& glyph, Style style) {
  if (!inside(column, row)) return;
  Cell& target = cell(column, row);
  target.glyph = glyph;
  target.style = style;
}

void DotCanvas::ground(int column, int row, const std::string& glyph, Style style) {
  if (!inside(column, row)) return;
  cell(column, row).ground = glyph;
  cell(column, row).ground_style = style;
}

void DotCanvas::text(int column, int row, const std::string& text, Style style) {
  std::string glyph;
  for (std::size_t i = 0; i < text.size(); ++i) {
    glyph += text[i];
    const bool last = i + 1 == text.size();
    if (last || (static_cast<unsigned char>(text[i + 1]) & 0xC0) != 0x80) {
      mark(column++, row, glyph, style);
      glyph.clear();
    }
  }
}

bool DotCanvas::free(int column, int row) const {
  return inside(column, row) && cell(column, row).glyph.empty();
}

bool DotCanvas::free(int column, int row, int width) const {
  for (int i = 0; i < width; ++i) {
    if (!free(column + i, row)) return false;
  }
  return true;
}

bool DotCanvas::has_dots(int column, int row) const {
  return inside(column, row) && cell(column, row).dots != 0;
}

Lines DotCanvas::lines() const {
  Lines lines(static_cast<std::size_t>(rows_));
  for (int row = 0; row < rows_; ++row) {
    for (int column = 0; column < columns_; ++column) {
      const Cell& one = cell(column, row);
      Line& line = lines[static_cast<std::size_t>(row)];
      if (!one.glyph.empty()) {
        line.add(one.glyph, one.style);
      } else if (one.dots != 0) {
        line.add(ascii_ ? std::string(1, one.fallback) : braille(one.dots), one.style);
      } else if (!one.ground.empty()) {
        line.add(one.ground, one.ground_style);
      } else {
        line.add(" ");
      }
    }
  }
  return lines;
}

std::string series_mark(std::size_t at) {
  constexpr std::array kMarks = {"●", "◆", "▲", "■", "▼", "○"};
  return kMarks[at % kMarks.size()];
}

}  // namespace gradwalk::course
