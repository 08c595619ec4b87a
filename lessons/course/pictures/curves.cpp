#include "lessons/course/pictures/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "lessons/course/json/numbers.h"
#include "lessons/course/pictures/dot_canvas.h"
#include "lessons/course/text/number_format.h"

namespace gradwalk::course {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFewestCurveRows = 10;
constexpr int kMostCurveRows = 13;
constexpr int kMostTicks = 8;
constexpr int kWidestPlot = 72;
constexpr int kCurveMarkEvery = 12;  // columns between the marks of a curve

struct Range {
  double low = INFINITY;
  double high = -INFINITY;

  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void settle() {
    if (!(low <= high)) low = high = 0;
    if (low == high) {
      const double half = low == 0 ? 1 : std::abs(low) / 2;
      low -= half;
      high += half;
    }
  }
  double size() const { return high - low; }
};

// Names at the right end stand on the row of their curve's last value, moved apart where they
// would meet.
std::vector<int> label_rows(std::vector<int> wanted, int rows) {
  std::vector<std::size_t> order(wanted.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  int next = 0;
  for (const std::size_t i : order) next = (wanted[i] = std::max(wanted[i], next)) + 1;
  int last = rows - 1;
  for (std::size_t k = order.size(); k-- > 0;)
    last = (wanted[order[k]] = std::min(wanted[order[k]], last)) - 1;
  return wanted;
}

class CurvesPlot {
 public:
  CurvesPlot(const Curves& curves, int width, const Display& display)
      : curves_(curves), display_(display), width_(width) {
    for (const Curve& series : curves.curves) {
      for (const double x : series.x) x_.add(x);
      for (const double y : series.y) y_.add(y);
      name_width_ = std::max(name_width_, display_width(series.name) + 3);
    }
    x_.settle();
    y_.settle();
    ticks_ = nice_ticks(y_.low, y_.high, kMostTicks);
    number_ = scale_for(ticks_);
    rows_ = best_rows();
    for (const double tick : ticks_) {
      tick_width_ = std::max(tick_width_, display_width(number_.format(tick)));
    }
    const int room = width - tick_width_ - 2;
    labels_fit_ = name_width_ <= room / 3 && curves.curves.size() <= kFewestCurveRows;
    columns_ = std::min(kWidestPlot, room - (labels_fit_ ? name_width_ : 0));
  }

  Lines draw() const {
    Lines lines = heading();
    DotCanvas canvas(columns_, rows_, display_.ascii);
    if (y_.low < 0 && y_.high > 0) {
      for (int column = 0; column < columns_; ++column) {
        canvas.ground(column, canvas.row_of(dot_y(canvas, 0)), "┈", styles::kDim);
      }
    }
    for (std::size_t i = 0; i < curves_.curves.size(); ++i) draw_line(canvas, i);
    for (std::size_t i = 0; i < curves_.curves.size(); ++i) draw_marks(canvas, i);
    const Lines area = canvas.lines();
    std::vector<int> rows;
    for (const Curve& series : curves_.curves) rows.push_back(last_row(canvas, series));
    rows = label_rows(std::move(rows), rows_);
    for (int row = 0; row < rows_; ++row) {
      Line line = y_axis(canvas, row);
      line.add(area[static_cast<std::size_t>(row)]);
      for (std::size_t i = 0; labels_fit_ && i < rows.size(); ++i) {
        if (rows[i] == row) line.add(" ").add(label(i));
      }
      lines.push_back(std::move(line));
    }
    x_axis(canvas, lines);
    return lines;
  }

 private:
  double dot_x(const DotCanvas& canvas, double x) const {
    return (x - x_.low) / x_.size() * (canvas.dots_across() - 1) + 0.5;
  }
  // The extremes lie in the middle of the first and the last row.
  double dot_y(const DotCanvas& canvas, double y) const {
    const double row = (y_.high - y) / y_.size() * (rows_ - 1) + 0.5;
    return row * canvas.dots_down() / rows_;
  }

  // As many rows as let the ticks stand nearest to the middle of one.
  int best_rows() const {
    int best = kFewestCurveRows;
    double least = INFINITY;
    for (int rows = kFewestCurveRows; rows <= kMostCurveRows; ++rows) {
      double off = 0;
      for (const double tick : ticks_) {
        const double row = (y_.high - tick) / y_.size() * (rows - 1);
        off = std::max(off, std::abs(row - std::round(row)));
      }
      if (off < least - 1e-9) best = rows;
      least = std::min(least, off);
    }
    return best;
  }

  Line label(std::size_t at) const {
    Line line;
    line.add(series_mark(at) + " " + curves_.curves[at].name, styles::series(at));
    return line;
  }

  Lines heading() const {
    Lines lines;
    std::string caption = curves_.caption;
    if (number_.exponent != 0) caption += "  (" + number_.factor() + ")";
    for (const std::string& part : wrap(caption, width_)) lines.emplace_back(part, styles::kDim);
    if (labels_fit_) return lines;
    Line legend;
    for (std::size_t i = 0; i < curves_.curves.size(); ++i) {
      Line one = label(i);
      if (!legend.empty() && legend.width() + 3 + one.width() > width_) {
        lines.push_back(std::move(legend));
        legend = Line();
      }
      if (!legend.empty()) legend.add("   ");
      legend.add(one);
    }
    lines.push_back(std::move(legend));
    return lines;
  }

  void draw_line(DotCanvas& canvas, std::size_t at) const {
    const Curve& series = curves_.curves[at];
    const char fallback = to_ascii(series_mark(at))[0];
    for (std::size_t i = 0; i + 1 < series.y.size(); ++i) {
      canvas.line(dot_x(canvas, series.x[i]), dot_y(canvas, series.y[i]),
                  dot_x(canvas, series.x[i + 1]), dot_y(canvas, series.y[i + 1]),
                  styles::series(at), fallback);
    }
  }

  // A mark where the curve begins and ends, and between where it has gone some columns, each curve
  // at its own places.
  void draw_marks(DotCanvas& canvas, std::size_t at) const {
    const Curve& series = curves_.curves[at];
    const int offset =
        static_cast<int>(at) * kCurveMarkEvery / static_cast<int>(curves_.curves.size());
    int next = offset;
    for (std::size_t i = 0; i < series.y.size(); ++i) {
      if (!std::isfinite(series.y[i])) continue;
      const int column = canvas.column_of(dot_x(canvas, series.x[i]));
      if (column < next && i + 1 != series.y.size()) continue;
      canvas.mark(column, canvas.row_of(dot_y(canvas, series.y[i])), series_mark(at),
                  styles::series(at));
      next = column + kCurveMarkEvery;
    }
  }

  int last_row(const DotCanvas& canvas, const Curve& series) const {
    for (std::size_t i = series.y.size(); i-- > 0;) {
      if (std::isfinite(series.y[i])) return canvas.row_of(dot_y(canvas, series.y[i]));
    }
    return 0;
  }

  Line y_axis(const DotCanvas& canvas, int row) const {
    std::optional<double> here;
    for (const double tick : ticks_) {
      if (canvas.row_of(dot_y(canvas, tick)) == row) here = tick;
    }
    Line line;
    line.add(pad_left(here ? number_.format(*here) : "", tick_width_) + " ", styles::kDim);
    return line.add(here ? "┤" : "│", styles::kDim);
  }

  void x_axis(const DotCanvas& canvas, Lines& lines) const {
    const std::vector<double> ticks = nice_ticks(x_.low, x_.high, std::max(2, columns_ / 8));
    const NumberScale number = scale_for(ticks);
    std::vector<std::string> rule(static_cast<std::size_t>(columns_), "─");
    DotCanvas labels(columns_ + name_width_, 1, display_.ascii);
    for (const double tick : ticks) {
      const int column = std::clamp(canvas.column_of(dot_x(canvas, tick)), 0, columns_ - 1);
      rule[static_cast<std::size_t>(column)] = "┴";
      const std::string text = number.format(tick);
      const int start = std::max(0, column - display_width(text) / 2);
      if (labels.free(start - (start > 0 ? 1 : 0), 0, display_width(text) + 1)) {
        labels.text(start, 0, text, styles::kDim);
      }
    }
    Line axis;
    axis.add(std::string(static_cast<std::size_t>(tick_width_ + 1), ' ')).add("└", styles::kDim);
    for (const std::string& piece : rule) axis.add(piece, styles::kDim);
    lines.push_back(std::move(axis));
    Line numbers;
    numbers.pad_to(tick_width_ + 2).add(labels.lines()[0]);
    lines.push_back(std::move(numbers));
    std::string name = curves_.x_label;
    if (number.exponent != 0) name += " (" + number.factor() + ")";
    for (const std::string& part : wrap(name, columns_)) {
      Line line;
      line.pad_to(tick_width_ + 2 + (columns_ - display_width(part)) / 2).add(part, styles::kDim);
      lines.push_back(std::move(line));
    }
  }

  const Curves& curves_;
  const Display& display_;
  int width_;
  Range x_;
  Range y_;
  std::vector<double> ticks_;
  NumberScale number_;
  int tick_width_ = 0;
  int name_width_ = 0;
  bool labels_fit_ = false;
  int columns_ = 0;
  int rows_ = kFewestCurveRows;
};

std::shared_ptr<const Picture> read_curves(const Json& object) {
  Curves curves(text_field(object, "caption"), text_field(object, "x_label"));
  for (const Json& one : object.at("series")) {
    curves.curves.push_back(
        {text_field(one, "name"), numbers_from_json(one.at("x")), numbers_from_json(one.at("y"))});
    require_fit(curves.curves.back().x.size() == curves.curves.back().y.size(),
                fmt::format("curves '{}': x and y differ in length", curves.caption));
  }
  return std::make_shared<Curves>(std::move(curves));
}

const PictureKind kCurvesKind("curves", read_curves);

}  // namespace

Curves::Curves(std::string words, std::string x)
    : caption(std::move(words)), x_label(std::move(x)) {}

Curves& Curves::series(std::string name, std::vector<double> y) {
  std::vector<double> x(y.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  return series(std::move(name), std::move(x), std::move(y));
}

Curves& Curves::series(std::string name, std::vector<double> x, std::vector<double> y) {
  if (x.size() != y.size()) {
    throw std::logic_error(fmt::format("curve {}: {} x and {} y", name, x.size(), y.size()));
  }
  curves.push_back({std::move(name), std::move(x), std::move(y)});
  return *this;
}

Json Curves::to_json() const {
  Json list = Json::array();
  for (const Curve& one : curves) {
    list.push_back(
        {{"name", one.name}, {"x", numbers_to_json(one.x)}, {"y", numbers_to_json(one.y)}});
  }
  return {{"kind", "curves"}, {"caption", caption}, {"x_label", x_label}, {"series", list}};
}

void Curves::each_list(const Look& look) const {
  for (const Curve& one : curves) look("curve " + one.name, one.y);
}

Lines Curves::draw(const StepRecord&, int width, const Display& display) const {
  return CurvesPlot(*this, width, display).draw();
}

}  // namespace gradwalk::course
