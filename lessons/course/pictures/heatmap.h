#pragma once

#include <string>
#include <vector>

#include "lessons/course/engine/picture.h"

namespace gradwalk::course {

/// Tensors of the same step with their ranges, side by side where they fit.
struct Heatmap : Picture {
  std::string caption;
  std::vector<std::string> tensors;

  Heatmap(std::string caption, std::vector<std::string> tensors);

  Lines draw(const StepRecord& step, int width, const Display& display) const override;
  nlohmann::ordered_json to_json() const override;
  void each_list(const Look& look) const override;
  std::string missing(const StepRecord& step) const override;
};

}  // namespace gradwalk::course
