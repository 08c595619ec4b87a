// What a probe measures, against loops over the weights that share no code with it.

#include "lessons/driver/probe/measures.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lessons/driver/probe/probe_fixture.h"
#include "nn/checkpoint/safetensors.h"
#include "tensor/layout.h"

namespace gradwalk::probe {
namespace {

using Matrix = std::vector<std::vector<double>>;
using Row = std::vector<double>;

Matrix rows_of(const Tensor& x) {
  Matrix rows;
  for (std::int64_t i = 0; i < x.shape()[0]; ++i) rows.push_back(select(x, 0, i).to_vector());
  return rows;
}

double dot(const Row& a, const Row& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
double cosine(const Row& a, const Row& b) { return dot(a, b) / std::sqrt(dot(a, a) * dot(b, b)); }
Row times(const Matrix& weight, const Row& x) {
  Row y;
  for (const Row& row : weight) y.push_back(dot(row, x));
  return y;
}

// Layer 0 of the encoder: its input normalised, without learned scale.
Row normalised(const Row& x) {
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  double squares = 0;
  for (const double value : x) squares += (value - mean) * (value - mean);
  const double root = std::sqrt(squares / static_cast<double>(x.size()) + 1e-5);
  Row y;
  for (const double value : x) y.push_back((value - mean) / root);
  return y;
}

class ProbeMeasures : public test::ProbeTest {
 protected:
  void SetUp() override {
    const nn::Safetensors file(save_encoder() / "model.safetensors");
    const auto matrix = [&](const std::string& name) { return rows_of(file.load(name)); };
    const Matrix table = matrix("embed_tokens.weight");
    for (const std::int64_t id : text_)
      x_.push_back(normalised(table[static_cast<std::size_t>(id)]));
    const std::string layer = "layers.0.self_attn.";
    q_ = part(matrix(layer + "q_proj.weight"));
    k_ = part(matrix(layer + "k_proj.weight"));
    v_ = part(matrix(layer + "v_proj.weight"));
    for (Row& row : (o_ = matrix(layer + "o_proj.weight"))) row = {row.begin() + 3, row.end()};
    for (const Row& query : x_) {
      Row scores;
      for (const Row& key : x_)
        scores.push_back(dot(times(q_, query), times(k_, key)) / std::sqrt(3));
      scores_.push_back(scores);
      double sum = 0;
      Row weights;
      for (const double z : scores) sum += std::exp(z);
      for (const double z : scores) weights.push_back(std::exp(z) / sum);
      weights_.push_back(weights);
    }
  }

  // The rows of head 1.
  static Matrix part(const Matrix& weight) { return {weight.begin() + 3, weight.end()}; }

  const Ids text_ = {0, 3, 7, 7, 10};
  Matrix x_, q_, k_, v_, o_, scores_, weights_;
};

TEST_F(ProbeMeasures, OfAHeadAgainstLoops) {
  const Checkpoint model(folder_ / "encoder");
  const Measures measures = measure(model, {text_}, {{"some", {3, 10}}});
  ASSERT_EQ(measures.heads.size(), 4U);
  const HeadMeasures& head = measures.heads[1];  // layer 0, head 1

  double entropy = 0;
  Row on_place(5, 0), use(5, 0);
  for (std::size_t i = 0; i < 5; ++i) {
    Row lengths;
    for (std::size_t j = 0; j < 5; ++j) {
      entropy -= weights_[i][j] * std::log(weights_[i][j]) / std::log(5) / 5;
      const Row added = times(o_, times(v_, x_[j]));
      lengths.push_back(weights_[i][j] * std::sqrt(dot(added, added)));
      on_place[j] += weights_[i][j] / 5;
    }
    const double all = std::accumulate(lengths.begin(), lengths.end(), 0.0);
    for (std::size_t j = 0; j < 5; ++j) use[j] += lengths[j] / all / 5;
  }
  const auto top = static_cast<std::size_t>(std::max_element(on_place.begin(), on_place.end()) -
                                            on_place.begin());
  EXPECT_NEAR(head.entropy, entropy, 1e-5);
  EXPECT_EQ(head.top_key, static_cast<std::int64_t>(top));
  EXPECT_NEAR(head.top_weight, on_place[top], 1e-5);
  EXPECT_NEAR(head.top_use, use[top], 1e-5);

  // [CLS], place 0, against places 1 and 4, beside 2 and 3.
  const Row& z = scores_[0];
  const double gap = (z[1] + z[4]) / 2 - (z[2] + z[3]) / 2;
  const double mean = (z[1] + z[2] + z[3] + z[4]) / 4;
  double squares = 0;
  for (std::size_t i = 1; i < 5; ++i) squares += (z[i] - mean) * (z[i] - mean);
  const ClassMatch& match = head.classes[0];
  EXPECT_EQ(match.gap.count(), 1);
  EXPECT_NEAR(match.gap.value(), gap / std::sqrt(squares / 3), 1e-5);
  const double best = std::max(z[1], z[4]);
  EXPECT_EQ(match.rank.value(), 1 + (z[2] > best) + (z[3] > best));
  EXPECT_EQ(match.keys.value(), 4);
  EXPECT_NEAR(match.weight.value(), weights_[0][1] + weights_[0][4], 1e-6);
  Row sum = times(k_, x_[1]), others = times(k_, x_[2]);
  const Row more = times(k_, x_[4]), other = times(k_, x_[3]);
  for (std::size_t i = 0; i < 3; ++i) sum[i] += more[i], others[i] += other[i];
  EXPECT_NEAR(match.cosine.value(), cosine(times(q_, x_[0]), sum), 1e-5);
  EXPECT_NEAR(match.others_cosine.value(), cosine(times(q_, x_[0]), others), 1e-5);
}

TEST_F(ProbeMeasures, TextsWithoutTheClassOrWithNothingElseDoNotCount) {
  const Checkpoint model(folder_ / "encoder");
  const std::vector<TokenClass> classes = {{"some", {3, 10}}};
  const Measures one = measure(model, {text_}, classes);
  const Measures more = measure(model, {{0, 7, 7}, {0, 3, 10}, text_}, classes);
  EXPECT_EQ(more.heads[1].classes[0].gap.count(), 1);
  EXPECT_EQ(more.heads[1].classes[0].gap.value(), one.heads[1].classes[0].gap.value());
  EXPECT_TRUE(std::isnan(measure(model, {{0, 7}}, classes).heads[0].classes[0].gap.value()));
}

TEST_F(ProbeMeasures, WithoutAHeadIsAModelWithoutItsColumns) {
  const Checkpoint model(folder_ / "encoder");
  const Tensor before = model.run(text_).output;
  const Tensor without = model.run(text_, LeftOut{0, 1}).output;
  EXPECT_EQ(model.run(text_).output.to_vector(), before.to_vector());  // weights came back

  const nn::Safetensors file(folder_ / "encoder" / "model.safetensors");
  nn::StateDict state;
  for (const auto& entry : file.entries()) state.emplace_back(entry.name, file.load(entry.name));
  for (auto& [name, tensor] : state) {
    if (name == "layers.0.self_attn.o_proj.weight") fill(slice(tensor, 1, 3, 6), 0);
  }
  nn::save_encoder(encoder_options(), state, folder_ / "cut");
  EXPECT_EQ(Checkpoint(folder_ / "cut").run(text_).output.to_vector(), without.to_vector());

  const HeadMeasures head = measure(model, {text_}, {}).heads[1];
  EXPECT_NEAR(head.influence,
              1 - cosine(select(before, 0, 0).to_vector(), select(without, 0, 0).to_vector()),
              1e-6);
  EXPECT_GT(head.influence, 1e-3);
}

TEST_F(ProbeMeasures, OfALayerAgainstLoops) {
  const Checkpoint model(folder_ / "encoder");
  const LayerMeasures layer = measure(model, {text_}, {}).layers[0];
  const Matrix tokens = rows_of(model.run(text_).hidden[1]);
  double cosines = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < i; ++j) cosines += cosine(tokens[i], tokens[j]) / 10;
  }
  EXPECT_NEAR(layer.cosine, cosines, 1e-5);
  EXPECT_EQ(layer.rank, 5);
  EXPECT_GT(layer.effective_rank, 1);
  EXPECT_LE(layer.effective_rank, 5);
  EXPECT_EQ(layer.twin_a, 0);
  EXPECT_EQ(layer.twin_b, 1);
  EXPECT_EQ(layer.divergence, layer.least_divergence);  // of the only pair
  const std::vector<double> q = model.weight(0, 'q').to_vector();
  const double mean = std::accumulate(q.begin(), q.end(), 0.0) / static_cast<double>(q.size());
  double squares = 0;
  for (const double value : q) squares += (value - mean) * (value - mean);
  EXPECT_NEAR(layer.query_scale, std::sqrt(8 * squares / static_cast<double>(q.size() - 1)), 1e-6);
  EXPECT_EQ(measure_weights(model)[0].query_scale, layer.query_scale);
}

TEST_F(ProbeMeasures, OfALanguageModelTheLastTokenAsks) {
  const Checkpoint model(save_language_model());
  EXPECT_TRUE(model.is_causal());
  const Ids text = {1, 4, 9, 2};
  const Forward forward = model.run(text);
  const auto matches = match_classes(model, {text}, {{"some", {4}}});
  for (std::size_t head = 0; head < 4; ++head) {
    const Tensor scores = select(select(select(forward.traces[1].scaled_scores.value(), 0, 0), 0,
                                        static_cast<std::int64_t>(head)),
                                 0, 3);
    const double best = scores.at({1});
    EXPECT_EQ(matches[1][head][0].rank.value(),
              1 + (scores.at({0}) > best) + (scores.at({2}) > best));
    EXPECT_EQ(matches[1][head][0].keys.value(), 3);
  }
  // The last place is seen by one token of the three that have a choice.
  const Measures measures = measure(model, {text}, {});
  for (std::int64_t head = 0; head < 4; ++head) {
    const Matrix weights =
        rows_of(select(select(forward.traces[1].weights.value(), 0, 0), 0, head));
    Row places(4, 0);
    for (std::size_t row = 1; row < 4; ++row) {
      for (std::size_t key = 0; key <= row; ++key) places[key] += weights[row][key] / 3;
    }
    const HeadMeasures& found = measures.heads[static_cast<std::size_t>(4 + head)];
    EXPECT_NEAR(found.top_weight, *std::max_element(places.begin(), places.end()), 1e-6);
    EXPECT_NEAR(found.top_weight, places[static_cast<std::size_t>(found.top_key)], 1e-6);
  }
  // Kullback-Leibler by hand, head 2 of layer 1.
  const Matrix whole = rows_of(forward.output),
               cut = rows_of(model.run(text, LeftOut{1, 2}).output);
  double divergence = 0;
  for (std::size_t place = 0; place < 4; ++place) {
    double a = 0, b = 0;
    for (const double z : whole[place]) a += std::exp(z);
    for (const double z : cut[place]) b += std::exp(z);
    for (std::size_t i = 0; i < whole[place].size(); ++i) {
      const double p = std::exp(whole[place][i]) / a;
      divergence += p * std::log(p / (std::exp(cut[place][i]) / b)) / 4;
    }
  }
  EXPECT_NEAR(measures.heads[6].influence, divergence, 1e-4 * divergence);
}

TEST_F(ProbeMeasures, TokensWithoutAChoiceDoNotCount) {
  const Checkpoint model(save_language_model());
  const Measures none = measure(model, {{4}}, {});
  EXPECT_TRUE(std::isnan(none.heads[0].entropy));
  EXPECT_TRUE(std::isnan(none.heads[0].top_weight));
  EXPECT_TRUE(std::isnan(none.layers[0].divergence));
  const Measures one = measure(model, {{4, 9, 2}}, {}), both = measure(model, {{4}, {4, 9, 2}}, {});
  EXPECT_EQ(both.layers[1].divergence, one.layers[1].divergence);
  EXPECT_EQ(both.heads[3].entropy, one.heads[3].entropy);
  // Of three rows the first is the same for all heads: left out, it does not make them alike.
  const Tensor weights = model.run({4, 9, 2}).traces[1].weights.value();
  const auto bits = [&](std::int64_t a, std::int64_t b) {
    double sum = 0;
    for (std::int64_t row = 1; row < 3; ++row) {
      for (std::int64_t key = 0; key <= row; ++key) {
        const double p = weights.at({0, a, row, key}), q = weights.at({0, b, row, key});
        sum += (p * std::log2(2 * p / (p + q)) + q * std::log2(2 * q / (p + q))) / 2;
      }
    }
    return sum / 2;
  };
  double pairs = 0;
  for (std::int64_t a = 0; a < 4; ++a) {
    for (std::int64_t b = a + 1; b < 4; ++b) pairs += bits(a, b) / 6;
  }
  EXPECT_NEAR(one.layers[1].divergence, pairs, 1e-5);
}

TEST_F(ProbeMeasures, ScoresThatOverflowAreAnError) {
  nn::StateDict state;
  const nn::Safetensors file(folder_ / "encoder" / "model.safetensors");
  for (const auto& entry : file.entries()) {
    state.emplace_back(entry.name, clone(file.load(entry.name)));
    if (entry.name.find("q_proj") != std::string::npos ||
        entry.name.find("k_proj") != std::string::npos) {
      mul_into(state.back().second, 1e19);
    }
  }
  nn::save_encoder(encoder_options(), state, folder_ / "large");
  const Checkpoint model(folder_ / "large");
  EXPECT_THAT([&] { model.run(text_); }, testing::ThrowsMessage<NonfiniteError>(testing::HasSubstr(
                                             "expected finite scores in layer 0, got")));
}

TEST_F(ProbeMeasures, ComparesWithWhatIsExpected) {
  const Checkpoint model(folder_ / "encoder");
  Expected expected{"e.safetensors", "last_hidden_state", {clone(model.run(text_).output)}, {}};
  EXPECT_EQ(compare(model, {text_}, expected).largest, 0);
  add_into(select(expected.values[0], 0, 2), 0.25);
  const Comparison comparison = compare(model, {text_}, expected);
  EXPECT_NEAR(comparison.largest, 0.25, 1e-6);
  EXPECT_EQ(comparison.numbers, 40);
  EXPECT_EQ(
      test::runtime_error_of([&] {
        compare(model, {{0, 1}}, expected);
      }),
      "probe: expected last_hidden_state [2, 8], as the model computes it of 2 tokens, got [5, 8]; "
      "e.safetensors");
  EXPECT_EQ(test::runtime_error_of([&] {
              compare(model, {text_, text_}, expected);
            }),
            "probe: expected last_hidden_state of 2 texts, as are given, got 1; e.safetensors");
}

}  // namespace
}  // namespace gradwalk::probe
