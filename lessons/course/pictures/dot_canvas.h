#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lessons/course/text/text.h"

namespace gradwalk::course {

/// A drawing area of character cells with a finer raster of dots: 2 x 4 to a cell (braille), or 1 x
/// 1 in 7 bits. Rows count from the top. Marks and text lie above dots.
class DotCanvas {
 public:
  DotCanvas(int columns, int rows, bool ascii);

  int columns() const { return columns_; }
  int rows() const { return rows_; }
  int dots_across() const { return columns_ * across_; }
  int dots_down() const { return rows_ * down_; }
  int column_of(double dot_x) const;
  int row_of(double dot_y) const;

  /// Sets the dots from one point to another. `fallback` is the character of a dot in 7 bits.
  void line(double x0, double y0, double x1, double y1, Style style, char fallback);

  /// One character in a cell; outside the canvas nothing happens.
  void mark(int column, int row, const std::string& glyph, Style style);
  /// What shows where nothing else does: axes, a zero line.
  void ground(int column, int row, const std::string& glyph, Style style);
  void text(int column, int row, const std::string& text, Style style);

  /// Is the cell free of marks and text? Outside the canvas no cell is.
  bool free(int column, int row) const;
  bool free(int column, int row, int width) const;
  bool has_dots(int column, int row) const;

  Lines lines() const;

 private:
  struct Cell {
    std::string glyph;
    unsigned dots = 0;
    char fallback = 0;
    Style style;
    std::string ground;
    Style ground_style;
  };

  void dot(int x, int y, Style style, char fallback);
  bool inside(int column, int row) const;
  Cell& cell(int column, int row);
  const Cell& cell(int column, int row) const;

  int columns_;
  int rows_;
  bool ascii_;
  int across_;
  int down_;
  std::vector<Cell> cells_;
};

/// The mark of a curve or a path: solid shapes, in 7 bits letters and signs.
std::string series_mark(std::size_t at);

}  // namespace gradwalk::course
