#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lessons/course/engine/picture.h"

namespace gradwalk::course {

/// Horizontal bars in groups, each with its number; negative ones go left of a common zero.
struct Bars : Picture {
  std::string caption;
  std::vector<std::string> series;
  std::vector<std::pair<std::string, std::vector<double>>> groups;  ///< label, one value per series
  int after_the_point = -1;                                         ///< -1: as the values need

  Bars(std::string caption, std::vector<std::string> series);

  /// One value per series. @throws std::logic_error for another number of values
  Bars& group(std::string label, std::vector<double> values);
  Bars& digits(int after_the_point);

  Lines draw(const StepRecord& step, int width, const Display& display) const override;
  nlohmann::ordered_json to_json() const override;
  void each_list(const Look& look) const override;
};

}  // namespace gradwalk::course
