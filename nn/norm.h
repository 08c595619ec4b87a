#pragma once

#include <memory>

#include "nn/module.h"

namespace gradwalk::nn {

struct NormOptions {
  double eps = 1e-5;
  bool learned = true;  ///< whether there are parameters at all
  DType dtype = DType::kFloat32;
};

/// What a block asks of its normalisation.
class Norm : public Module {
 public:
  /// x [..., features]. @throws ShapeError as the op layer_norm or rms_norm
  virtual Variable operator()(const Variable& x) const = 0;
};

/// y = (x - mean) / sqrt(var + eps) * weight + bias over the last axis
///
/// Parameters: `weight` [features] at 1, `bias` [features] at 0.
/// Source  Ba et al. 2016, eq. 4
class LayerNorm : public Norm {
 public:
  /// @throws std::invalid_argument unless features is positive
  explicit LayerNorm(std::int64_t features, const NormOptions& options = {});
  Variable operator()(const Variable& x) const override;

 private:
  Variable weight_;
  Variable bias_;
  double eps_;
};

/// y = x / sqrt(mean(x^2) + eps) * weight over the last axis
///
/// Parameters: `weight` [features] at 1.
/// Source  Zhang and Sennrich 2019, eq. 4
class RmsNorm : public Norm {
 public:
  /// @throws std::invalid_argument unless features is positive
  explicit RmsNorm(std::int64_t features, const NormOptions& options = {});
  Variable operator()(const Variable& x) const override;

 private:
  Variable weight_;
  double eps_;
};

enum class NormKind {
  kLayerNorm,
  kRmsNorm,
  kNone,  ///< y = x, without parameters
};
std::unique_ptr<Norm> make_norm(NormKind kind, std::int64_t features, const NormOptions& options);

}  // namespace gradwalk::nn
