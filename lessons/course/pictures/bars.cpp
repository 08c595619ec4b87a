#include "lessons/course/pictures/bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "lessons/course/json/numbers.h"
#include "lessons/course/text/number_format.h"

namespace gradwalk::course {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kLongestBarName = 22;
constexpr int kWidestBar = 48;

// A bar to the right in eighths of a cell; a bar to the left in halves, as blocks that grow
// leftwards are rare in fonts.
std::string bar_right(double cells) {
  constexpr std::array kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::lround(cells * 8));
  std::string bar;
  for (int i = 0; i < eighths / 8; ++i) bar += "█";
  return bar + kEighths[static_cast<std::size_t>(eighths % 8)];
}

std::string bar_left(double cells) {
  const int halves = static_cast<int>(std::lround(cells * 2));
  std::string bar = halves % 2 == 1 ? "▐" : "";
  for (int i = 0; i < halves / 2; ++i) bar += "█";
  return bar;
}

struct Scale {
  double per_unit = 0;  // cells per unit of value
  int left = 0;         // cells left of zero
  int right = 0;
};

Scale scale_of(const Bars& bars, int cells) {
  double low = 0;
  double high = 0;
  for (const auto& group : bars.groups) {
    for (const double value : group.second) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  Scale scale;
  if (high - low <= 0) return scale;
  const int usable = cells - (low < 0 ? 1 : 0);
  const double left = std::ceil(usable * -low / (high - low));
  scale.per_unit =
      std::min(low < 0 ? left / -low : 1e300, high > 0 ? (usable - left) / high : 1e300);
  scale.left = static_cast<int>(std::ceil(-low * scale.per_unit - 1e-9));
  scale.right = static_cast<int>(std::ceil(high * scale.per_unit - 1e-9));
  return scale;
}

Line bar_line(double value, const Scale& scale, Style style) {
  Line line;
  const double cells = std::isfinite(value) ? std::abs(value) * scale.per_unit : 0;
  const std::string left = value < 0 ? bar_left(cells) : "";
  line.add(pad_left(left, scale.left), style);
  if (scale.left > 0) line.add("│", styles::kDim);
  line.add(pad_right(value > 0 ? bar_right(cells) : "", scale.right), style);
  return line;
}

std::shared_ptr<const Picture> read_bars(const Json& object) {
  Bars bars(text_field(object, "caption"), object.at("series").get<std::vector<std::string>>());
  bars.after_the_point = object.at("digits").get<int>();
  for (const Json& group : object.at("groups")) {
    bars.groups.emplace_back(text_field(group, "label"), numbers_from_json(group.at("values")));
    require_fit(bars.groups.back().second.size() == bars.series.size(),
                fmt::format("bars '{}': a group does not fit the series", bars.caption));
  }
  return std::make_shared<Bars>(std::move(bars));
}

const PictureKind kBarsKind("bars", read_bars);

}  // namespace

Bars::Bars(std::string words, std::vector<std::string> names)
    : caption(std::move(words)), series(std::move(names)) {}

Bars& Bars::group(std::string label, std::vector<double> values) {
  if (values.size() != series.size()) {
    throw std::logic_error(fmt::format("bars {}, group {}: expected {} values, got {}", caption,
                                       label, series.size(), values.size()));
  }
  groups.emplace_back(std::move(label), std::move(values));
  return *this;
}

Bars& Bars::digits(int number) {
  after_the_point = number;
  return *this;
}

Json Bars::to_json() const {
  Json list = Json::array();
  for (const auto& [label, values] : groups) {
    list.push_back({{"label", label}, {"values", numbers_to_json(values)}});
  }
  return {{"kind", "bars"},
          {"caption", caption},
          {"series", series},
          {"groups", list},
          {"digits", after_the_point}};
}

void Bars::each_list(const Look& look) const {
  for (const auto& [label, values] : groups) look("bars " + label, values);
}

Lines Bars::draw(const StepRecord&, int width, const Display&) const {
  std::vector<double> values;
  int group_width = 0;
  int series_width = 0;
  for (const auto& [label, numbers] : groups) {
    values.insert(values.end(), numbers.begin(), numbers.end());
    group_width = std::max(group_width, std::min(kLongestBarName, display_width(label)));
  }
  const bool several = series.size() > 1;
  for (const std::string& name : series) {
    if (several)
      series_width = std::max(series_width, std::min(kLongestBarName, display_width(name)));
  }
  const NumberScale numbers = scale_for(values, 4, after_the_point);
  int number_width = 0;
  for (const double value : values) {
    number_width = std::max(number_width, display_width(numbers.format(value)));
  }
  const int labels = group_width + 2 + (several ? series_width + 2 : 0);
  const Scale scale = scale_of(*this, std::clamp(width - labels - number_width - 2, 8, kWidestBar));

  Lines lines;
  std::string heading = caption;
  if (numbers.exponent != 0) heading += "  (" + numbers.factor() + ")";
  for (const std::string& part : wrap(heading, width)) lines.emplace_back(part, styles::kDim);
  for (const auto& [label, group] : groups) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      Line line;
      line.add(pad_right(i == 0 ? wrap(label, kLongestBarName)[0] : "", group_width + 2));
      if (several) {
        line.add(pad_right(wrap(series[i], kLongestBarName)[0], series_width + 2),
                 styles::series(i));
      }
      line.add(pad_left(numbers.format(group[i]), number_width) + "  ");
      line.add(bar_line(group[i], scale, styles::series(i)));
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

}  // namespace gradwalk::course
