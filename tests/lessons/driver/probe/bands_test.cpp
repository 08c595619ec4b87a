// The stored bands, computed anew from the models that they come from; and what they flag.

#include "lessons/driver/probe/bands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace gradwalk::probe {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kModels = GRADWALK_TEST_DATA "/data/models/";

// The first tokens of the model's reference texts.
std::vector<Ids> reference_texts(const std::string& model, std::size_t length) {
  json reference;
  std::ifstream(kModels + model + "/reference.json") >> reference;
  std::vector<Ids> texts;
  const auto add = [&](Ids ids) {
    if (ids.size() > length) ids.resize(length);
    texts.push_back(std::move(ids));
  };
  if (reference.contains("cases")) {
    for (const json& one : reference["cases"]) {
      add(one.contains("ids") ? one["ids"] : one["input_ids"]);
    }
  } else {
    for (const json& one : reference["greedy"]) add(one["ids"]);
  }
  return texts;
}

class Range {
 public:
  void add(double value) {
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  void expect(const Band& band, const char* what) const {
    EXPECT_NEAR(low_, band.low, 0.005 * std::abs(low_) + 1e-4) << what;
    EXPECT_NEAR(high_, band.high, 0.005 * std::abs(high_) + 1e-4) << what;
  }

 private:
  double low_ = INFINITY, high_ = -INFINITY;
};

void expect_bands(const std::vector<std::string>& models, const KnownBands& stored) {
  Range entropy, use, divergence, scale, variance, cosine;
  const auto add = [&](const Measures& measures) {
    for (const HeadMeasures& head : measures.heads) {
      entropy.add(head.entropy);
      use.add(head.top_use / head.top_weight);
    }
    for (const LayerMeasures& layer : measures.layers) {
      divergence.add(layer.least_divergence);
      scale.add(layer.query_scale);
      scale.add(layer.key_scale);
      variance.add(layer.score_variance);
      cosine.add(layer.cosine);
    }
  };
  for (const std::string& name : models) {
    const Checkpoint model(kModels + name);
    for (const std::size_t length : {16U, 64U}) {
      add(measure(model, reference_texts(name, length), {}));
    }
  }
  entropy.expect(stored.entropy, "entropy");
  use.expect(stored.use, "use");
  divergence.expect(stored.least_divergence, "least divergence");
  scale.expect(stored.scale, "scale");
  variance.expect(stored.score_variance, "score variance");
  cosine.expect(stored.cosine, "cosine");
}

TEST(ProbeBands, AreThoseOfTheirModels) {
  if (!std::filesystem::exists(kModels)) GTEST_SKIP() << "no data/ in " GRADWALK_TEST_DATA;
  expect_bands({"stories260K", "tinystories-656k"}, kTrained);
  expect_bands({"tiny-bert", "tiny-gpt2"}, kRandom);
}

HeadMeasures head(double entropy, double weight, double use) {
  HeadMeasures made{};
  made.entropy = entropy;
  made.top_weight = weight;
  made.top_use = use;
  return made;
}

TEST(ProbeFlags, OfHeads) {
  EXPECT_THAT(flags_of(head(0.5, 0.3, 0.3)), IsEmpty());
  EXPECT_THAT(flags_of(head(0.9, 0.3, 0.3)), ElementsAre(Flag::kEven));
  EXPECT_THAT(flags_of(head(0.1, 0.9, 0.9)), ElementsAre(Flag::kOneKey));
  EXPECT_THAT(flags_of(head(0.3, 0.9, 0.1)), ElementsAre(Flag::kSink));
  EXPECT_THAT(flags_of(head(0.3, 0.4, 0.1)), IsEmpty());  // no more than half of the weight
  EXPECT_THAT(flags_of(head(std::nan(""), 0.4, 0.4)), IsEmpty());
}

TEST(ProbeFlags, OfLayers) {
  LayerMeasures layer{.query_scale = 2,
                      .key_scale = 2,
                      .score_variance = 20,
                      .divergence = 0.3,
                      .least_divergence = 0.3,
                      .cosine = 0.3};
  EXPECT_THAT(flags_of(layer), IsEmpty());
  layer.key_scale = 1;
  layer.score_variance = 1;
  EXPECT_THAT(flags_of(layer), ElementsAre(Flag::kSmallWeights, Flag::kSmallScores));
  EXPECT_THAT(flags_of_weights(layer), ElementsAre(Flag::kSmallWeights));
  layer.key_scale = 2;
  layer.score_variance = 300;
  layer.least_divergence = 0.01;
  layer.cosine = 0.9;
  EXPECT_THAT(flags_of(layer), ElementsAre(Flag::kLargeScores, Flag::kTwins, Flag::kAlike));
}

TEST(ProbeFlags, SayTheirBandsAndALesson) {
  for (const Flag flag : {Flag::kEven, Flag::kOneKey, Flag::kSink, Flag::kTwins, Flag::kAlike,
                          Flag::kSmallWeights, Flag::kSmallScores, Flag::kLargeScores}) {
    EXPECT_THAT(meaning(flag), HasSubstr("in trained models"));
    EXPECT_GE(lesson_of(flag), 1);
    EXPECT_NE(std::string(word(flag)), "");
  }
  EXPECT_THAT(meaning(Flag::kEven),
              HasSubstr("0.159 to 0.858 in trained models, 0.481 to 1 in random ones"));
}

}  // namespace
}  // namespace gradwalk::probe
