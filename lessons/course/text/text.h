#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gradwalk::course {

/// What the reader's terminal can show.
struct Display {
  int width = 80;      ///< columns, 60 to 160
  bool color = false;  ///< 256 colours
  bool ascii = false;  ///< 7-bit output
};

/// Colours are numbers of the 256-colour palette; -1 is the terminal's own.
struct Style {
  int fg = -1;
  int bg = -1;
  bool bold = false;

  bool operator==(const Style&) const = default;
};

namespace styles {

inline constexpr Style kPlain{};
inline constexpr Style kTitle{-1, -1, true};
inline constexpr Style kLabel{67, -1, false};  ///< names of parts
inline constexpr Style kDim{245, -1, false};   ///< notes, axes
inline constexpr Style kGood{35, -1, true};
inline constexpr Style kBad{167, -1, true};
inline constexpr Style kWarn{172, -1, true};
inline constexpr Style kCommand{74, -1, false};  ///< what can be pasted

/// Colours of classes and curves, told apart by all common kinds of colour vision.
Style series(std::size_t at);

}  // namespace styles

struct Span {
  std::string text;
  Style style;
};

/// One line of output, made of styled pieces. Every code point is one column wide.
class Line {
 public:
  Line() = default;
  explicit Line(std::string text, Style style = {}) { add(std::move(text), style); }

  Line& add(std::string text, Style style = {});
  Line& add(const Line& other);
  Line& pad_to(int column);  ///< adds blanks until the line is `column` wide

  int width() const;
  bool empty() const { return spans_.empty(); }
  const std::vector<Span>& spans() const { return spans_; }

 private:
  std::vector<Span> spans_;
};

using Lines = std::vector<Line>;

/// Code points of a UTF-8 text.
int display_width(std::string_view text);

/// `text` filled up with blanks to `width` columns.
std::string pad_right(std::string_view text, int width);
std::string pad_left(std::string_view text, int width);

/// Breaks at blanks, keeps the blanks inside a line, cuts words that are longer than a line.
std::vector<std::string> wrap(std::string_view text, int width);

/// The same text in 7 bits, one character per code point.
std::string to_ascii(std::string_view text);

/// The lines as the display wants them, each ended by a newline; trailing blanks are dropped.
std::string paint(const Lines& lines, const Display& display);

/// Puts the blocks side by side while they fit into `width`, else below each other.
Lines side_by_side(const std::vector<Lines>& blocks, int gap, int width);

}  // namespace gradwalk::course
