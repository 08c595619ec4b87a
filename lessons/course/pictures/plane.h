#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lessons/course/engine/picture.h"

namespace gradwalk::course {

struct PlanePoint {
  std::string name;
  double x = 0;
  double y = 0;
};

struct PlanePath {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

/// Arrows from the origin, points, and paths with start and end, in a plane with one scale for both
/// axes.
struct Plane : Picture {
  std::string caption;
  std::string x_label;
  std::string y_label;
  std::vector<PlanePoint> arrows;  ///< from the origin
  std::vector<PlanePoint> points;
  std::vector<PlanePath> paths;

  Plane(std::string caption, std::string x_label, std::string y_label);

  Plane& arrow(std::string name, double x, double y);
  Plane& point(std::string name, double x, double y);
  Plane& path(std::string name, std::vector<std::pair<double, double>> points);

  Lines draw(const StepRecord& step, int width, const Display& display) const override;
  nlohmann::ordered_json to_json() const override;
  void each_list(const Look& look) const override;
};

}  // namespace gradwalk::course
