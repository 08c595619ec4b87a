#include "lessons/tasks/write_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lessons/tasks/language_model.h"
#include "nn/generate.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/layout.h"

namespace gradwalk::tasks {
namespace {

using testing::ThrowsMessage;

// Past the 8 positions of the model both slide.
TEST(WriteTexts, WritesWhatGenerateWritesOneByOne) {
  const auto model = new_language_model({.context = 8}, 1);
  const Tensor prompts = from_vector({6, 8, 20, 7, 9, 30}, {2, 3}, DType::kInt64);
  Generator unused(1, "draws");
  const Tensor written = write_texts(*model, prompts, 12, 0, unused);
  EXPECT_EQ(written.shape(), (Shape{2, 12}));
  for (std::int64_t text = 0; text < 2; ++text) {
    std::vector<std::int64_t> prompt;
    for (std::int64_t at = 0; at < 3; ++at) {
      prompt.push_back(static_cast<std::int64_t>(prompts.at({text, at})));
    }
    const auto alone =
        nn::generate(*model, prompt, {.steps = 12, .use_cache = false, .slide = true});
    for (std::size_t at = 0; at < alone.size(); ++at) {
      EXPECT_EQ(written.at({text, static_cast<std::int64_t>(at)}), static_cast<double>(alone[at]));
    }
  }
}

TEST(WriteTexts, WithoutAttentionOnlyTheLastWordMatters) {
  const auto model = new_language_model({.attention = false, .positions = false}, 1);
  Generator a(1, "draws"), b(1, "draws");
  const Tensor one = write_texts(*model, from_vector({1, 2, 5}, {1, 3}, DType::kInt64), 20, 1, a);
  const Tensor other = write_texts(*model, from_vector({7, 5}, {1, 2}, DType::kInt64), 20, 1, b);
  EXPECT_EQ(one.to_vector(), other.to_vector());
}

TEST(WriteTextsError, NamesShapesAndCounts) {
  const auto model = new_language_model({}, 1);
  Generator draws(1, "draws");
  EXPECT_THAT([&] { write_texts(*model, zeros({3}, DType::kInt64), 1, 0, draws); },
              ThrowsMessage<ShapeError>(
                  "write_texts: expected prompts [N, P] with P >= 1, got [3]; prompts=[3]"));
  EXPECT_THAT(
      [&] {
        write_texts(*model, zeros({1, 1}, DType::kInt64), 0, 0, draws);
      },
      ThrowsMessage<std::invalid_argument>("write_texts: expected words >= 1, got 0"));
}

}  // namespace
}  // namespace gradwalk::tasks
