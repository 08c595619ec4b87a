#pragma once

#include "tensor/adamw.h"

namespace gradwalk::reference {

struct AdamWResult {
  Tensor param, m, v;
};

/// What adamw_step makes of param, m and v; nothing is written in place.
AdamWResult adamw_step(const Tensor& param, const Tensor& grad, const Tensor& m, const Tensor& v,
                       std::int64_t step, const AdamWOptions& options);

}  // namespace gradwalk::reference
