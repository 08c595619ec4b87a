#pragma once

#include "lessons/16_direction_probe/one_head.h"
#include "tensor/create.h"
#include "tensor/dtype.h"
#include "tensor/tensor.h"

/// What several steps of lesson 16 use.
namespace gradwalk::lesson_16 {

inline constexpr double kRounding = 1e-5;  // float32, relative

inline constexpr double kOrders = 0.7;  // rank correlation

inline constexpr double kSameScores = 1e-5;  // nats

inline constexpr double kBases = 2.0 / 3;  // share of them

inline constexpr DType kF64 = DType::kFloat64;

inline Tensor hand_query() { return vector({1, 0}, kF64); }

inline Tensor hand_keys() { return matrix({{0.9, 0.436}, {1.5, 2.6}}, kF64); }

/// Of the two keys: does the one that is closer in direction get more weight?
inline bool closer_wins(bool equal_lengths) {
  const Tensor keys = hand_keys();
  const Reading found = reading_of(hand_query(), equal_lengths ? of_one_length(keys) : keys);
  return (found.cosines.at({0}) > found.cosines.at({1})) ==
         (found.weights.at({0}) > found.weights.at({1}));
}

}  // namespace gradwalk::lesson_16
