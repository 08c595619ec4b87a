#pragma once

#include <cstdint>

#include "lessons/14_reading_heads/readers.h"
#include "lessons/course/engine/step.h"
#include "lessons/tasks/grammar.h"
#include "tensor/dtype.h"
#include "tensor/tensor.h"

/// What several steps of lesson 14 use.
namespace gradwalk::lesson_14 {

inline constexpr std::int64_t kHeadDim = 8;

inline constexpr double kSameLoss = 1e-5;  // nats

inline LanguageReader reader_of(course::Step& step, std::int64_t model, std::int64_t layers = 2) {
  return {.layers = layers,
          .updates = step.whole("language_updates") * layers / 2,
          .seed = 100 * step.seed() + static_cast<std::uint64_t>(model)};
}

inline QueryKeyMeasures measures(course::Step& step, const LanguageReader& reader,
                                 const Tensor& r) {
  const auto model = model_of(step, reader);
  change_basis(*model, r);
  return query_key_measures(*model, reader);
}

inline QueryKeyMeasures measures(course::Step& step, const LanguageReader& reader) {
  return query_key_measures(*model_of(step, reader), reader);
}

}  // namespace gradwalk::lesson_14
