#include "lessons/course/pictures/scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "lessons/course/json/numbers.h"
#include "lessons/course/pictures/dot_canvas.h"
#include "lessons/course/pictures/shade.h"
#include "lessons/course/text/number_format.h"

namespace gradwalk::course {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMostScatterRows = 18;
constexpr int kMostScatterColumns = 72;
constexpr int kScatterMargin = 4;  // free columns beside the data, for names
constexpr const char* kOther = "·";

std::vector<double> values_of(const Scatter& scatter) {
  std::vector<double> values;
  for (const ScatterPoint& point : scatter.points) values.push_back(point.value);
  return values;
}

// Points whose names would stand on each other.
struct Crowd {
  const ScatterPoint* first;
  int column;  // where its name begins
  int row;
  int others = 0;

  std::string text() const {
    return others == 0 ? first->name : fmt::format("{}+{}", first->name, others);
  }
  int end() const { return column + display_width(text()); }
  bool meets(const Crowd& other) const {
    return row == other.row && column <= other.end() && other.column <= end();
  }
};

// Puts those that meet together, until none do: one that takes others in gets longer.
void merge(std::vector<Crowd>& crowds) {
  for (std::size_t i = 0; i < crowds.size();) {
    const auto met = std::find_if(crowds.begin() + static_cast<std::ptrdiff_t>(i) + 1, crowds.end(),
                                  [&](const Crowd& other) { return crowds[i].meets(other); });
    if (met == crowds.end()) {
      ++i;
    } else {
      crowds[i].others += 1 + met->others;
      crowds.erase(met);
      i = 0;
    }
  }
}

class ScatterPlot {
 public:
  ScatterPlot(const Scatter& scatter, int width, const Display& display)
      : scatter_(scatter), width_(width), shade_(values_of(scatter)), canvas_(1, 1, true) {
    for (const ScatterPoint& point : scatter.points) include(point.x, point.y);
    for (const auto& [x, y] : scatter.other_points) include(x, y);
    if (!(low_x_ <= high_x_)) low_x_ = high_x_ = low_y_ = high_y_ = 0;
    // A cell is twice as high as wide: one unit is `scale_` columns wide and half as many rows
    // high.
    scale_ = std::min((std::min(kMostScatterColumns, width) - 2 * kScatterMargin - 1) /
                          std::max(high_x_ - low_x_, 1e-300),
                      2 * (kMostScatterRows - 1) / std::max(high_y_ - low_y_, 1e-300));
    if (!std::isfinite(scale_) || scale_ > 1e200) scale_ = 1;
    canvas_ = DotCanvas(column(high_x_) + kScatterMargin + 1, row(low_y_) + 1, display.ascii);
  }

  Lines draw() {
    for (const auto& [x, y] : scatter_.other_points) {
      if (std::isfinite(x + y)) canvas_.ground(column(x), row(y), kOther, styles::kDim);
    }
    const std::vector<Crowd> crowds = gather();
    for (const Crowd& crowd : crowds) {
      canvas_.text(crowd.column, crowd.row, crowd.text(), shade_.style(crowd.first->value));
    }
    return framed(std::any_of(crowds.begin(), crowds.end(),
                              [](const Crowd& crowd) { return crowd.others > 0; }));
  }

 private:
  void include(double x, double y) {
    if (!std::isfinite(x + y)) return;
    low_x_ = std::min(low_x_, x);
    high_x_ = std::max(high_x_, x);
    low_y_ = std::min(low_y_, y);
    high_y_ = std::max(high_y_, y);
  }

  int column(double x) const {
    return kScatterMargin + static_cast<int>(std::lround((x - low_x_) * scale_));
  }
  int row(double y) const { return static_cast<int>(std::lround((high_y_ - y) * scale_ / 2)); }

  std::vector<Crowd> gather() const {
    std::vector<Crowd> crowds;
    for (const ScatterPoint& point : scatter_.points) {
      if (!std::isfinite(point.x + point.y)) continue;
      const int wide = display_width(point.name);
      crowds.push_back({&point, std::max(0, column(point.x) - (wide - 1) / 2), row(point.y)});
    }
    merge(crowds);
    return crowds;
  }

  Lines framed(bool crowded) const {
    Lines lines;
    for (const std::string& part : wrap(scatter_.caption, width_)) {
      lines.emplace_back(part, styles::kDim);
    }
    const Lines area = canvas_.lines();
    lines.insert(lines.end(), area.begin(), area.end());
    std::string legend =
        fmt::format("across: {} {}   up: {} {}   one scale for both", scatter_.x_label,
                    format_range(low_x_, high_x_), scatter_.y_label, format_range(low_y_, high_y_));
    if (!scatter_.other_points.empty()) {
      legend += fmt::format("   {} {}", kOther, scatter_.others_name);
    }
    if (crowded) legend += "   3+2: 3 and two more in the same place";
    for (const std::string& part : wrap(legend, width_)) lines.emplace_back(part, styles::kDim);
    return lines;
  }

  const Scatter& scatter_;
  int width_;
  Shade shade_;
  DotCanvas canvas_;
  double low_x_ = INFINITY;
  double high_x_ = -INFINITY;
  double low_y_ = INFINITY;
  double high_y_ = -INFINITY;
  double scale_ = 1;
};

std::shared_ptr<const Picture> read_scatter(const Json& object) {
  Scatter scatter(text_field(object, "caption"), text_field(object, "x_label"),
                  text_field(object, "y_label"));
  scatter.others_name = text_field(object, "others_name");
  for (const Json& point : object.at("points")) {
    scatter.points.push_back({text_field(point, "name"), number_from_json(point.at("x")),
                              number_from_json(point.at("y")),
                              number_from_json(point.at("value"))});
  }
  for (const Json& point : object.at("others")) {
    scatter.other_points.emplace_back(number_from_json(point.at(0)), number_from_json(point.at(1)));
  }
  return std::make_shared<Scatter>(std::move(scatter));
}

const PictureKind kScatterKind("scatter", read_scatter);

}  // namespace

Scatter::Scatter(std::string words, std::string x, std::string y)
    : caption(std::move(words)), x_label(std::move(x)), y_label(std::move(y)) {}

Scatter& Scatter::point(std::string name, double x, double y, double value) {
  points.push_back({std::move(name), x, y, value});
  return *this;
}

Scatter& Scatter::others(std::string name, std::vector<std::pair<double, double>> list) {
  others_name = std::move(name);
  other_points = std::move(list);
  return *this;
}

Json Scatter::to_json() const {
  Json named = Json::array(), unnamed = Json::array();
  for (const ScatterPoint& point : points) {
    named.push_back({{"name", point.name},
                     {"x", number_to_json(point.x)},
                     {"y", number_to_json(point.y)},
                     {"value", number_to_json(point.value)}});
  }
  for (const auto& [x, y] : other_points) unnamed.push_back(numbers_to_json({x, y}));
  return {{"kind", "scatter"},  {"caption", caption}, {"x_label", x_label},
          {"y_label", y_label}, {"points", named},    {"others_name", others_name},
          {"others", unnamed}};
}

void Scatter::each_list(const Look& look) const {
  for (const ScatterPoint& point : points) {
    look("point " + point.name, {point.x, point.y, point.value});
  }
  for (const auto& [x, y] : other_points) look("point of " + others_name, {x, y});
}

Lines Scatter::draw(const StepRecord&, int width, const Display& display) const {
  return ScatterPlot(*this, width, display).draw();
}

}  // namespace gradwalk::course
