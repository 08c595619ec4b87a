#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lessons/11_many_heads/multi_lookup.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/engine/step.h"
#include "tensor/tensor.h"

namespace gradwalk::lesson_11 {

/// A trained model of the task with several questions, and how it does on 1024 fresh pages.
struct TrainedLookup {
  MultiLookupModel model;
  MultiLookupScore score;
};

struct LookupOptions {
  std::int64_t heads = 1;
  std::int64_t head_dim = 0;  ///< 0: 32 / heads, so that all counts have as many parameters
  std::int64_t questions = 2;
  std::int64_t updates = 1000;  ///< at most: training ends at a loss of 0.01 nats
};

/// Trains, or finds what this process has trained before.
const TrainedLookup& trained_lookup(const course::Step& step, const LookupOptions& options,
                                    std::int64_t seed, std::int64_t seeds);

/// Scores over seeds.
struct LookupSpread {
  course::Spread each, all, set;
};
LookupSpread lookup_over_seeds(const course::Step& step, const LookupOptions& options,
                               std::int64_t seeds);

/// What the heads of a model do with one page.
struct LookupAttention {
  Tensor query;                    ///< [H, Dh], of the question
  Tensor keys;                     ///< [H, E + 1, Dh], of the cards and the question
  Tensor scores;                   ///< [H, E + 1], scaled
  Tensor weights;                  ///< [H, E + 1]
  Tensor expected;                 ///< [N], the values that are asked for
  Tensor named;                    ///< [N], what the model says
  std::vector<std::string> cards;  ///< "7=3": key 7 holds value 3; those asked for end in "a", "b"
};
LookupAttention lookup_attention(const MultiLookupModel& model, Generator page);

}  // namespace gradwalk::lesson_11
