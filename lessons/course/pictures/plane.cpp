#include "lessons/course/pictures/plane.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "lessons/course/json/numbers.h"
#include "lessons/course/pictures/dot_canvas.h"
#include "lessons/course/text/number_format.h"

namespace gradwalk::course {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMostPlaneRows = 18;
constexpr int kMostPlaneColumns = 72;
constexpr int kPlaneMargin = 2;    // free cells round the data, for marks
constexpr int kPathMarkEvery = 9;  // cells of way between the marks of a path

class PlanePlot {
 public:
  PlanePlot(const Plane& plane, int width, const Display& display)
      : plane_(plane), width_(width), canvas_(1, 1, display.ascii) {
    include(0, 0);
    for (const auto* points : {&plane.arrows, &plane.points}) {
      for (const PlanePoint& point : *points) {
        include(point.x, point.y);
        longest_ = std::max(longest_, display_width(point.name) + 1);
      }
    }
    for (const PlanePath& path : plane.paths) {
      for (const auto& [x, y] : path.points) include(x, y);
      longest_ = std::max(longest_, display_width(path.name) + 1);
    }
    // Names may stand on either side of the data, if there is room for that.
    side_ = std::min(longest_, 16) + kPlaneMargin;
    const int across = display.ascii ? 1 : 2;
    const int down = display.ascii ? 1 : 4;
    const double columns = std::min(kMostPlaneColumns, width) - 2 * side_;
    const double rows = kMostPlaneRows - 2;
    // A cell is twice as high as wide: one unit is `scale_` columns wide and half as many rows
    // high.
    scale_ = std::min(columns / std::max(high_x_ - low_x_, 1e-300),
                      2 * rows / std::max(high_y_ - low_y_, 1e-300));
    if (!std::isfinite(scale_) || scale_ > 1e200) scale_ = 1;
    canvas_ = DotCanvas(static_cast<int>(std::ceil((high_x_ - low_x_) * scale_)) + 2 * side_ + 1,
                        static_cast<int>(std::ceil((high_y_ - low_y_) * scale_ / 2)) + 2 + 1,
                        display.ascii);
    unit_x_ = scale_ * across;
    unit_y_ = scale_ / 2 * down;
    origin_x_ = side_ * across - low_x_ * unit_x_ + across / 2.0;
    origin_y_ = down + high_y_ * unit_y_ + down / 2.0;
  }

  Lines draw() {
    axes();
    for (std::size_t i = 0; i < plane_.paths.size(); ++i) path(i);
    for (const PlanePoint& arrow : plane_.arrows) {
      canvas_.line(dot_x(0), dot_y(0), dot_x(arrow.x), dot_y(arrow.y), kArrow, '.');
    }
    for (const PlanePoint& arrow : plane_.arrows) {
      canvas_.mark(column(arrow.x), row(arrow.y), head(arrow), kArrow);
    }
    for (const PlanePoint& point : plane_.points) {
      canvas_.mark(column(point.x), row(point.y), "■", kArrow);
    }
    for (std::size_t i = 0; i < plane_.paths.size(); ++i) ends(i);
    for (const auto* points : {&plane_.arrows, &plane_.points}) {
      for (const PlanePoint& point : *points) name(point.name, point.x, point.y, kArrow);
    }
    for (std::size_t i = 0; i < plane_.paths.size(); ++i) {
      const PlanePath& one = plane_.paths[i];
      if (!one.points.empty()) {
        name(one.name, one.points.back().first, one.points.back().second, styles::series(i));
      }
    }
    return framed();
  }

 private:
  static constexpr Style kArrow{-1, -1, true};

  void include(double x, double y) {
    if (!std::isfinite(x + y)) return;
    low_x_ = std::min(low_x_, x);
    high_x_ = std::max(high_x_, x);
    low_y_ = std::min(low_y_, y);
    high_y_ = std::max(high_y_, y);
  }

  double dot_x(double x) const { return origin_x_ + x * unit_x_; }
  double dot_y(double y) const { return origin_y_ - y * unit_y_; }
  int column(double x) const { return canvas_.column_of(dot_x(x)); }
  int row(double y) const { return canvas_.row_of(dot_y(y)); }

  void axes() {
    for (int c = 0; c < canvas_.columns(); ++c) canvas_.ground(c, row(0), "┈", styles::kDim);
    for (int r = 0; r < canvas_.rows(); ++r) canvas_.ground(column(0), r, "│", styles::kDim);
    canvas_.ground(column(0), row(0), "┼", styles::kDim);
  }

  void path(std::size_t at) {
    const auto& points = plane_.paths[at].points;
    const char fallback = to_ascii(series_mark(at))[0];
    double way = 0;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      const auto [x0, y0] = points[i];
      const auto [x1, y1] = points[i + 1];
      canvas_.line(dot_x(x0), dot_y(y0), dot_x(x1), dot_y(y1), styles::series(at), fallback);
      way += std::hypot(x1 - x0, y1 - y0) * scale_;
      if (way >= kPathMarkEvery) {
        canvas_.mark(column(x1), row(y1), series_mark(at), styles::series(at));
        way = 0;
      }
    }
  }

  void ends(std::size_t at) {
    const auto& points = plane_.paths[at].points;
    if (points.empty()) return;
    canvas_.mark(column(points.back().first), row(points.back().second), series_mark(at),
                 styles::series(at));
    canvas_.mark(column(points.front().first), row(points.front().second), "○", styles::series(at));
  }

  static std::string head(const PlanePoint& arrow) {
    constexpr std::array kHeads = {"→", "↗", "↑", "↖", "←", "↙", "↓", "↘"};
    const double eighths = std::atan2(arrow.y, arrow.x) / (std::acos(-1.0) / 4);
    return kHeads[static_cast<std::size_t>(std::lround(eighths) + 8) % 8];
  }

  // Beside the point, on the side that is free and away from the origin if possible.
  void name(const std::string& text, double x, double y, Style style) {
    const int wide = display_width(text);
    const int c = column(x);
    const int r = row(y);
    const std::pair<int, int> right{c + 2, r};
    const std::pair<int, int> left{c - 1 - wide, r};
    const std::pair<int, int> above{c - wide / 2, r - 1};
    const std::pair<int, int> below{c - wide / 2, r + 1};
    std::vector<std::pair<int, int>> places = {right, left, above, below};
    if (x < 0) std::swap(places[0], places[1]);
    for (int far = 1; far <= 4; ++far) {
      places.emplace_back(c + 2, r + far);
      places.emplace_back(c + 2, r - far);
      places.emplace_back(c - 1 - wide, r + far);
      places.emplace_back(c - 1 - wide, r - far);
    }
    for (const bool avoid_dots : {true, false}) {
      for (const auto& [to_column, to_row] : places) {
        if (!room(to_column, to_row, wide, avoid_dots)) continue;
        canvas_.text(to_column, to_row, text, style);
        return;
      }
    }
  }

  // Names and marks stay free; axes and dots do too, as long as there is another place.
  bool room(int to_column, int to_row, int wide, bool avoid_dots) const {
    if (to_column < 0 || to_column + wide > canvas_.columns() || to_row < 0 ||
        to_row >= canvas_.rows()) {
      return false;
    }
    for (int i = 0; i < wide; ++i) {
      const bool axis = to_row == row(0) || to_column + i == column(0);
      if (!canvas_.free(to_column + i, to_row)) return false;
      if (avoid_dots && (axis || canvas_.has_dots(to_column + i, to_row))) return false;
    }
    return true;
  }

  Lines framed() {
    Lines lines;
    for (const std::string& part : wrap(plane_.caption, width_)) {
      lines.emplace_back(part, styles::kDim);
    }
    if (!plane_.paths.empty()) lines.push_back(legend());
    const Lines area = canvas_.lines();
    lines.insert(lines.end(), area.begin(), area.end());
    const std::string axes =
        fmt::format("across: {} {}   up: {} {}   one scale for both", plane_.x_label,
                    format_range(low_x_, high_x_), plane_.y_label, format_range(low_y_, high_y_));
    for (const std::string& part : wrap(axes, width_)) lines.emplace_back(part, styles::kDim);
    return lines;
  }

  Line legend() const {
    Line line("○ start", styles::kDim);
    for (std::size_t i = 0; i < plane_.paths.size(); ++i) {
      line.add("   ").add(series_mark(i) + " " + plane_.paths[i].name, styles::series(i));
    }
    return line;
  }

  const Plane& plane_;
  int width_;
  DotCanvas canvas_;
  double low_x_ = 0;
  double high_x_ = 0;
  double low_y_ = 0;
  double high_y_ = 0;
  int longest_ = 0;
  int side_ = 0;
  double scale_ = 1;
  double unit_x_ = 1;
  double unit_y_ = 1;
  double origin_x_ = 0;
  double origin_y_ = 0;
};

std::vector<PlanePoint> points_from(const Json& array) {
  std::vector<PlanePoint> list;
  for (const Json& point : array) {
    list.push_back({text_field(point, "name"), number_from_json(point.at("x")),
                    number_from_json(point.at("y"))});
  }
  return list;
}

Json points_to_json(const std::vector<PlanePoint>& list) {
  Json array = Json::array();
  for (const PlanePoint& point : list) {
    array.push_back(
        {{"name", point.name}, {"x", number_to_json(point.x)}, {"y", number_to_json(point.y)}});
  }
  return array;
}

std::shared_ptr<const Picture> read_plane(const Json& object) {
  Plane plane(text_field(object, "caption"), text_field(object, "x_label"),
              text_field(object, "y_label"));
  plane.arrows = points_from(object.at("arrows"));
  plane.points = points_from(object.at("points"));
  for (const Json& path : object.at("paths")) {
    plane.paths.push_back({text_field(path, "name"), {}});
    for (const Json& point : path.at("points")) {
      plane.paths.back().points.emplace_back(number_from_json(point.at(0)),
                                             number_from_json(point.at(1)));
    }
  }
  return std::make_shared<Plane>(std::move(plane));
}

const PictureKind kPlaneKind("plane", read_plane);

}  // namespace

Plane::Plane(std::string words, std::string x, std::string y)
    : caption(std::move(words)), x_label(std::move(x)), y_label(std::move(y)) {}

Plane& Plane::arrow(std::string name, double x, double y) {
  arrows.push_back({std::move(name), x, y});
  return *this;
}

Plane& Plane::point(std::string name, double x, double y) {
  points.push_back({std::move(name), x, y});
  return *this;
}

Plane& Plane::path(std::string name, std::vector<std::pair<double, double>> way) {
  paths.push_back({std::move(name), std::move(way)});
  return *this;
}

Json Plane::to_json() const {
  Json ways = Json::array();
  for (const PlanePath& path : paths) {
    Json way = Json::array();
    for (const auto& [x, y] : path.points) way.push_back(numbers_to_json({x, y}));
    ways.push_back({{"name", path.name}, {"points", way}});
  }
  return {{"kind", "plane"},
          {"caption", caption},
          {"x_label", x_label},
          {"y_label", y_label},
          {"arrows", points_to_json(arrows)},
          {"points", points_to_json(points)},
          {"paths", ways}};
}

void Plane::each_list(const Look& look) const {
  for (const auto* list : {&arrows, &points}) {
    for (const PlanePoint& point : *list) look("point " + point.name, {point.x, point.y});
  }
  for (const PlanePath& path : paths) {
    std::vector<double> values;
    for (const auto& [x, y] : path.points) values.insert(values.end(), {x, y});
    look("path " + path.name, values);
  }
}

Lines Plane::draw(const StepRecord&, int width, const Display& display) const {
  return PlanePlot(*this, width, display).draw();
}

}  // namespace gradwalk::course
