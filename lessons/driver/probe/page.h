#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lessons/course/text/text.h"
#include "lessons/driver/probe/measures.h"

/// What a probe prints.
namespace gradwalk::probe {

/// The file and what it was taken for.
course::Lines draw_reading(const Reading& reading, int width);

/// How far it is from its source; without a comparison that there was none.
course::Lines draw_comparison(const std::optional<Comparison>& comparison, const std::string& name,
                              int width);

/// Weights alone.
course::Lines draw_weights(const std::vector<LayerMeasures>& layers, int width);

/// Everything else, with the flags and what they mean.
course::Lines draw_measures(const Checkpoint& model, const Measures& measures,
                            const std::vector<TokenClass>& classes, int width);

/// One checkpoint among several of one model.
struct Aligned {
  std::string name;
  std::vector<std::vector<std::vector<ClassMatch>>> matches;  ///< as match_classes gives them
};

/// Of each class the heads whose query turns most from the first checkpoint to the last, with their
/// cosines in all of them.
course::Lines draw_alignment(const std::vector<Aligned>& checkpoints,
                             const std::vector<TokenClass>& classes,
                             const course::Display& display);

}  // namespace gradwalk::probe
