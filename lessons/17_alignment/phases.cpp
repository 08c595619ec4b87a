#include "lessons/17_alignment/phases.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lessons/tasks/training.h"

namespace gradwalk::lesson_17 {
namespace {

constexpr int kWindow = 5;

double mean_of(const std::vector<double>& values, int begin, int end) {
  if (begin >= end) return std::numeric_limits<double>::quiet_NaN();
  return std::accumulate(values.begin() + begin, values.begin() + end, 0.0) / (end - begin);
}

Phase phase(const tasks::NumberCurves& curves, int begin, int end) {
  const int last = std::max(begin, end - kWindow);
  return {.begin = begin,
          .end = end,
          .gradient = mean_of(curves.gradient, begin, end),
          .turn = mean_of(curves.turn, begin, end),
          .on_answer = mean_of(curves.on_answer, last, end),
          .gap = mean_of(curves.gap, last, end)};
}

}  // namespace

Phases phases_of(const tasks::NumberCurves& curves) {
  const int end = static_cast<int>(curves.loss.size());
  const auto below = [&](double share) {
    const int at = tasks::steps_below(curves.loss, share * curves.loss.at(0), kWindow);
    return at == 0 ? end : at;
  };
  const int first = below(0.9), second = below(0.1);
  return {phase(curves, 0, first), phase(curves, first, second), phase(curves, second, end)};
}

MeanPhase mean_phase(const std::vector<Phases>& trainings, Phase Phases::*which) {
  std::vector<Phase> there;
  for (const Phases& training : trainings) {
    if ((training.*which).begin < (training.*which).end) there.push_back(training.*which);
  }
  const auto mean = [&](auto Phase::*number) {
    double sum = 0;
    for (const Phase& phase : there) sum += phase.*number;
    return sum / static_cast<double>(there.size());
  };
  const auto rounded = [&](int Phase::*number) {
    return there.empty() ? 0 : static_cast<int>(std::lround(mean(number)));
  };
  return {{.begin = rounded(&Phase::begin),
           .end = rounded(&Phase::end),
           .gradient = mean(&Phase::gradient),
           .turn = mean(&Phase::turn),
           .on_answer = mean(&Phase::on_answer),
           .gap = mean(&Phase::gap)},
          static_cast<int>(there.size())};
}

}  // namespace gradwalk::lesson_17
