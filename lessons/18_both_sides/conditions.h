#pragma once

#include <cstdint>
#include <vector>

#include "lessons/18_both_sides/model_change.h"
#include "lessons/18_both_sides/models.h"
#include "lessons/course/engine/step.h"
#include "lessons/tasks/numbers/measures.h"

/// The three conditions of the article, and models from which one is taken away.
namespace gradwalk::lesson_18 {

/// A gap that counts as none: its mean over models is below 0.3 for ten, by the root of their
/// number more for fewer.
double no_gap_below(std::int64_t models);

/// A share of heads that counts as nearly all: 0.95 for ten models, by the root of their number
/// less for fewer.
double nearly_all(std::int64_t models);

/// Shares of heads.
struct HeadShares {
  double with_gap;    ///< gap > 0.2
  double with_order;  ///< rho > 0.7
};
HeadShares head_shares(const std::vector<tasks::Alignment>& heads);

/// What the models of a lesson are trained as, with the breaks that are on.
Without broken_or(course::Step& step, Without what);
/// The step's `seeds` models of it.
Models models_without(course::Step& step, Without what);

}  // namespace gradwalk::lesson_18
