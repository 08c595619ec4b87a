#include "nn/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gradwalk::nn {

double CosineSchedule::at(std::int64_t step) const {
  if (step < warmup) return lr * static_cast<double>(step + 1) / static_cast<double>(warmup);
  double part = 1;
  if (steps > warmup) {
    part = std::min(1.0, static_cast<double>(step - warmup) / static_cast<double>(steps - warmup));
  }
  return min_lr + (lr - min_lr) * (1 + std::cos(std::numbers::pi * part)) / 2;
}

}  // namespace gradwalk::nn
