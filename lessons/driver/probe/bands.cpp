#include "lessons/driver/probe/bands.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace gradwalk::probe {
namespace {

constexpr double kMostOfTheWeight = 0.5;

struct About {
  Flag flag;
  const char* word;
  const char* meaning;
  Band KnownBands::*band;
  int lesson;
};

constexpr About kAbout[] = {
    {Flag::kEven, "even", "weights so even that the head tells hardly anything apart",
     &KnownBands::entropy, 17},
    {Flag::kOneKey, "one key", "weights on one key alone: softmax passes next to no gradient",
     &KnownBands::entropy, 5},
    {Flag::kSink, "sink", "most of the weight on a place that adds little", &KnownBands::use, 14},
    {Flag::kTwins, "twins", "two heads that look at the same", &KnownBands::least_divergence, 11},
    {Flag::kAlike, "alike", "tokens have become alike", &KnownBands::cosine, 22},
    {Flag::kSmallWeights, "small weights", "W_Q or W_K no larger than before a training",
     &KnownBands::scale, 6},
    {Flag::kSmallScores, "small scores", "scores differ too little to choose by",
     &KnownBands::score_variance, 6},
    {Flag::kLargeScores, "large scores",
     "scores differ so much that softmax is saturated: a scale "
     "is missing, or doubled",
     &KnownBands::score_variance, 5},
};

const About& about(Flag flag) {
  for (const About& one : kAbout) {
    if (one.flag == flag) return one;
  }
  throw std::logic_error("probe: a flag without words");
}

}  // namespace

const char* word(Flag flag) { return about(flag).word; }

std::string meaning(Flag flag) {
  const About& one = about(flag);
  const Band trained = kTrained.*one.band, random = kRandom.*one.band;
  return fmt::format("{}; {:.3g} to {:.3g} in trained models, {:.3g} to {:.3g} in random ones",
                     one.meaning, trained.low, trained.high, random.low, random.high);
}

int lesson_of(Flag flag) { return about(flag).lesson; }

std::vector<Flag> flags_of(const HeadMeasures& head) {
  std::vector<Flag> flags;
  if (head.entropy > kTrained.entropy.high) flags.push_back(Flag::kEven);
  if (head.entropy < kTrained.entropy.low) flags.push_back(Flag::kOneKey);
  if (head.top_weight > kMostOfTheWeight && head.top_use < kTrained.use.low * head.top_weight) {
    flags.push_back(Flag::kSink);
  }
  return flags;
}

std::vector<Flag> flags_of_weights(const LayerMeasures& layer) {
  if (std::min(layer.query_scale, layer.key_scale) < kTrained.scale.low) {
    return {Flag::kSmallWeights};
  }
  return {};
}

std::vector<Flag> flags_of(const LayerMeasures& layer) {
  std::vector<Flag> flags = flags_of_weights(layer);
  if (layer.score_variance < kTrained.score_variance.low) flags.push_back(Flag::kSmallScores);
  if (layer.score_variance > kTrained.score_variance.high) flags.push_back(Flag::kLargeScores);
  if (layer.least_divergence < kTrained.least_divergence.low) flags.push_back(Flag::kTwins);
  if (layer.cosine > kTrained.cosine.high) flags.push_back(Flag::kAlike);
  return flags;
}

}  // namespace gradwalk::probe
