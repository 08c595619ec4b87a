#include "lessons/21_interventions/arrivals.h"

#include <cmath>

#include "nn/statistics/summary.h"
#include "nn/statistics/t_test.h"

namespace gradwalk::lesson_21 {
namespace {

std::vector<double> logarithms(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

}  // namespace

void Arrival::add(const std::vector<double>& curve, double target) {
  const int after = tasks::updates_until(curve, target);
  updates.push_back(after > 0 ? after : static_cast<double>(curve.size()));
  never += after > 0 ? 0 : 1;
}

double Arrival::mean() const { return nn::summarize(updates).mean; }

void Arrivals::add(const tasks::NumberCurves& curves) {
  on_answer.add(curves.on_answer, 0.7);
  order.add(curves.rho, 0.9);
  right.add(curves.accuracy, 0.95);
}

Speedup speedup(const Arrival& pressed, const Arrival& plain) {
  return {.ratio = pressed.mean() / plain.mean(),
          .p = nn::welch_t_test(logarithms(pressed.updates), logarithms(plain.updates)).p,
          .all = pressed.never == 0};
}

}  // namespace gradwalk::lesson_21
