#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lessons/course/engine/picture.h"

namespace gradwalk::course {

struct Curve {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
};

/// Curves over a numbered x axis: a mark and a name for each, a zero line where the values straddle
/// 0.
struct Curves : Picture {
  std::string caption;
  std::string x_label;
  std::vector<Curve> curves;

  Curves(std::string caption, std::string x_label);

  /// y over 0, 1, 2, ...
  Curves& series(std::string name, std::vector<double> y);
  /// @throws std::logic_error if x and y differ in length
  Curves& series(std::string name, std::vector<double> x, std::vector<double> y);

  Lines draw(const StepRecord& step, int width, const Display& display) const override;
  nlohmann::ordered_json to_json() const override;
  void each_list(const Look& look) const override;
};

}  // namespace gradwalk::course
