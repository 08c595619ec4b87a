#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lessons/course/engine/picture.h"

namespace gradwalk::course {

struct ScatterPoint {
  std::string name;  ///< short: it is the mark
  double x = 0;
  double y = 0;
  double value = 0;  ///< what colours it
};

/// Points at their places in a plane with one scale for both axes, each written as its name and
/// coloured by its value; those that fall together are counted: "3+2" is 3 and two more.
struct Scatter : Picture {
  std::string caption;
  std::string x_label;
  std::string y_label;
  std::vector<ScatterPoint> points;
  std::string others_name;
  std::vector<std::pair<double, double>> other_points;  ///< only there to compare with

  Scatter(std::string caption, std::string x_label, std::string y_label);

  /// @param name  one to three characters
  Scatter& point(std::string name, double x, double y, double value);
  /// Points without name and value, all of one kind.
  Scatter& others(std::string name, std::vector<std::pair<double, double>> points);

  Lines draw(const StepRecord& step, int width, const Display& display) const override;
  nlohmann::ordered_json to_json() const override;
  void each_list(const Look& look) const override;
};

}  // namespace gradwalk::course
