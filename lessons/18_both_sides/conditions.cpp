#include "lessons/18_both_sides/conditions.h"

#include <algorithm>
#include <cmath>

namespace gradwalk::lesson_18 {

double no_gap_below(std::int64_t models) {
  return 0.3 * std::sqrt(10 / static_cast<double>(models));
}

double nearly_all(std::int64_t models) {
  return 1 - 0.05 * std::sqrt(10 / static_cast<double>(models));
}

HeadShares head_shares(const std::vector<tasks::Alignment>& heads) {
  const auto share = [&](const auto& holds) {
    return static_cast<double>(std::count_if(heads.begin(), heads.end(), holds)) /
           static_cast<double>(heads.size());
  };
  return {share([](const tasks::Alignment& head) { return head.gap() > 0.2; }),
          share([](const tasks::Alignment& head) { return head.rho > 0.7; })};
}

Without broken_or(course::Step& step, Without what) {
  switch (what) {
    case Without::kQuestion:
    case Without::kNumbers:
      return step.broken("numbers-asked") ? Without::kNothing : what;
    case Without::kOwnKeys:
      return step.broken("own-keys") ? Without::kNothing : what;
    case Without::kCompetition:
      return step.broken("even-instead") ? Without::kScores : what;
    default:
      return what;
  }
}

Models models_without(course::Step& step, Without what) {
  return model_changes(step, training_without(broken_or(step, what), step.whole("updates")),
                       step.whole("seeds"));
}

}  // namespace gradwalk::lesson_18
