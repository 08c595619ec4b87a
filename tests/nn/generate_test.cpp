#include "nn/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace gradwalk::nn {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;
using Tokens = std::vector<std::int64_t>;

CausalLmOptions small(bool rope) {
  CausalLmOptions o;
  o.vocab_size = 13;
  o.d_model = 16;
  o.num_layers = 2;
  const LinearOptions linear{.init = {InitScheme::kNormal, 0.5}};
  o.block.attention = {.num_heads = 4, .num_kv_heads = 2, .linear = linear};
  o.block.feed_forward.linear = linear;
  o.block.dropout = 0.5;  // must not be felt
  if (rope) o.block.attention.rope = RopeOptions{};
  o.max_positions = rope ? 0 : 6;
  o.embedding.init = {InitScheme::kNormal, 1};
  return o;
}

GenerateOptions steps(std::int64_t count) {
  GenerateOptions options;
  options.steps = count;
  return options;
}

TEST(Generate, TheSameTokensWithAndWithoutACache) {
  CausalLm model(small(/*rope=*/true), Seed(3));
  const Tokens prompt = {1, 5, 2};
  for (const double temperature : {0.0, 1.0}) {
    GenerateOptions options = steps(20);
    options.sampling.temperature = temperature;
    const Tokens with = generate(model, prompt, options);
    options.use_cache = false;
    EXPECT_EQ(with.size(), 20U);
    EXPECT_EQ(generate(model, prompt, options), with);
  }
  EXPECT_TRUE(model.training());  // as it was before
}

TEST(Generate, TheSeedNamesTheDraws) {
  CausalLm model(small(true), Seed(3));
  GenerateOptions options = steps(20);
  options.sampling.temperature = 2;
  const Tokens first = generate(model, Tokens{1}, options);
  EXPECT_EQ(generate(model, Tokens{1}, options), first);
  options.seed = 2;
  EXPECT_NE(generate(model, Tokens{1}, options), first);
}

TEST(Generate, EndsAtAStopTokenOrWhenToldTo) {
  CausalLm model(small(true), Seed(3));
  const Tokens all = generate(model, Tokens{1}, steps(12));
  GenerateOptions options = steps(12);
  options.stop_tokens = {all[4]};
  const Tokens stopped = generate(model, Tokens{1}, options);
  EXPECT_LT(stopped.size(), 5U);
  for (const std::int64_t token : stopped) EXPECT_NE(token, all[4]);
  Tokens seen;
  const Tokens cut = generate(model, Tokens{1}, steps(12), [&](std::int64_t token) {
    seen.push_back(token);
    return seen.size() < 3;
  });
  EXPECT_EQ(cut, seen);
  EXPECT_EQ(cut, Tokens(all.begin(), all.begin() + 3));
}

// Generation ran on past the model's last position. With a prompt of 3, 5 new tokens and 6
// positions it has to stop after 3 new ones. (BR-24)
TEST(Generate, EndsWhereThereAreNoMorePositions) {
  CausalLm model(small(/*rope=*/false), Seed(3));
  for (const bool use_cache : {true, false}) {
    GenerateOptions options = steps(5);
    options.use_cache = use_cache;
    EXPECT_EQ(generate(model, Tokens{1, 2, 3}, options).size(), 3U);
  }
  EXPECT_TRUE(generate(model, Tokens{1, 2, 3, 4, 5, 6}, steps(5)).empty());
}

TEST(Generate, SlidesOverItsPositions) {
  CausalLm model(small(/*rope=*/false), Seed(3));
  const Tokens prompt = {1, 2, 3, 4};
  GenerateOptions options = steps(9);
  options.slide = true;
  const Tokens made = generate(model, prompt, options);
  EXPECT_EQ(made.size(), 9U);
  options.use_cache = false;
  EXPECT_EQ(generate(model, prompt, options), made);

  // Each token is the one that follows the six before it alone.
  Tokens text = prompt;
  text.insert(text.end(), made.begin(), made.end());
  for (std::size_t i = 6; i < text.size(); ++i) {
    const Tokens newest(text.begin() + static_cast<std::ptrdiff_t>(i) - 6,
                        text.begin() + static_cast<std::ptrdiff_t>(i));
    options.steps = 1;
    EXPECT_EQ(generate(model, newest, options), Tokens{text[i]}) << i;
    EXPECT_EQ(generate(model, Tokens(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(i)),
                       options),
              Tokens{text[i]});
  }
}

TEST(GenerateError, Texts) {
  CausalLm model(small(true), Seed(3));
  EXPECT_THAT([&] { generate(model, Tokens{}, steps(1)); },
              ThrowsMessage<std::invalid_argument>(
                  "generate: expected a prompt of at least one token, got none"));
  EXPECT_THAT([&] { generate(model, Tokens{1}, steps(-1)); },
              ThrowsMessage<std::invalid_argument>("generate: expected steps >= 0, got -1"));
  EXPECT_THROW(generate(model, Tokens{13}, steps(1)), std::out_of_range);
  GenerateOptions cold = steps(1);
  cold.sampling.temperature = -1;
  EXPECT_THAT(
      [&] { generate(model, Tokens{1}, cold); },
      ThrowsMessage<std::invalid_argument>("generate: expected a finite temperature >= 0, got -1"));
  CausalLm six(small(/*rope=*/false), Seed(3));
  EXPECT_THAT([&] { generate(six, Tokens(7, 1), steps(1)); },
              ThrowsMessage<std::out_of_range>(
                  "generate: expected a prompt of at most 6 tokens, its positions, got 7"));
  EXPECT_TRUE(generate(model, Tokens{1}, steps(0)).empty());
}

}  // namespace
}  // namespace gradwalk::nn
