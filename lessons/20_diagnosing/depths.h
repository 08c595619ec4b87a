#pragma once

#include <cstdint>
#include <vector>

#include "lessons/20_diagnosing/cls_encoder.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/engine/step.h"

/// Encoders of several depths, layer by layer.
namespace gradwalk::lesson_20 {

/// Encoders of one depth and one task.
struct EncoderDepth {
  ClsEncoderOptions options;
  std::vector<EncoderScore> models;

  /// One number of each head of a layer, counted from 0; models one after the other.
  std::vector<double> of_layer(std::int64_t layer, double EncoderHead::*what) const;
  double mean_of(std::int64_t layer, double EncoderHead::*what) const;
  /// Mean of the layers after the first less that of the first; with one layer NaN.
  double later_less_first(double EncoderHead::*what) const;
  /// Mean over the models of the largest weight that a head of the layer has on the answer.
  double best(std::int64_t layer) const;
  /// Share of the answers that are right.
  course::Spread right() const;
};

/// Trained, once a process, and measured on 500 texts each; the first is offered to be kept.
EncoderDepth trained_depth(const course::Step& step, const ClsEncoderOptions& options,
                           std::int64_t models);

}  // namespace gradwalk::lesson_20
