#pragma once

#include <cstdint>

namespace gradwalk::nn {

/// A learning rate that rises in a straight line and then falls along half a cosine.
struct CosineSchedule {
  double lr = 1e-3;         ///< the highest
  double min_lr = 0;        ///< what it falls to, and stays at
  std::int64_t warmup = 0;  ///< steps of the rise
  std::int64_t steps = 0;   ///< of rise and fall together

  /// Of step 0, 1, ...:
  ///
  ///   step < warmup   lr (step + 1) / warmup
  ///   else            min_lr + (lr - min_lr) (1 + cos(pi p)) / 2,
  ///                   p = min(1, (step - warmup) / (steps - warmup)), 1 if steps <= warmup
  ///
  /// Source  Loshchilov and Hutter 2017 (SGDR), eq. 5; the rise: Goyal et al. 2017, section 2.2
  double at(std::int64_t step) const;
};

}  // namespace gradwalk::nn
