#pragma once

#include <string>
#include <vector>

#include "lessons/driver/probe/measures.h"

/// When a measure stands out: what it is in models that are known.
namespace gradwalk::probe {

struct Band {
  double low, high;
};

/// The smallest and the largest of all heads, or layers, of a stored set of models, each on the
/// first 16 and on the first 64 tokens of its own reference texts.
/// tests/lessons/driver/probe/bands_test.cpp computes them anew.
struct KnownBands {
  Band entropy;           ///< HeadMeasures::entropy
  Band use;               ///< top_use / top_weight
  Band least_divergence;  ///< LayerMeasures::least_divergence
  Band scale;             ///< query_scale and key_scale
  Band score_variance;
  Band cosine;
};
/// Two story models, stories260K and tinystories-656k: 56 heads in 7 layers.
inline constexpr KnownBands kTrained = {.entropy = {0.159, 0.858},
                                        .use = {0.531, 1.557},
                                        .least_divergence = {0.0974, 0.385},
                                        .scale = {1.21, 5.02},
                                        .score_variance = {3.62, 213},
                                        .cosine = {0.236, 0.517}};
/// Two models of random weights, tiny-bert and tiny-gpt2: 20 heads in 5 layers.
inline constexpr KnownBands kRandom = {.entropy = {0.481, 1.000},
                                       .use = {0.552, 1.276},
                                       .least_divergence = {0, 0.297},
                                       .scale = {0.1085, 1.30},
                                       .score_variance = {0.000146, 3.89},
                                       .cosine = {0.280, 0.486}};

/// What can stand out: a measure of a trained model lies outside of kTrained.
enum class Flag {
  kEven,          ///< entropy above
  kOneKey,        ///< entropy below
  kSink,          ///< most of the weight on one place, and use below
  kTwins,         ///< least_divergence below
  kAlike,         ///< cosine above
  kSmallWeights,  ///< a scale below
  kSmallScores,   ///< score_variance below
  kLargeScores    ///< above
};

/// One word or two for a table.
const char* word(Flag flag);
/// What it means, with the bands it was held against, and the lesson that shows the same.
std::string meaning(Flag flag);
int lesson_of(Flag flag);

std::vector<Flag> flags_of(const HeadMeasures& head);
std::vector<Flag> flags_of(const LayerMeasures& layer);
/// Of the weights alone.
std::vector<Flag> flags_of_weights(const LayerMeasures& layer);

}  // namespace gradwalk::probe
