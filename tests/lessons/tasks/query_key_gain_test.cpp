#include "lessons/tasks/query_key_gain.h"

#include <gtest/gtest.h>

#include "lessons/11_many_heads/multi_lookup.h"
#include "lessons/tasks/dictionary.h"
#include "lessons/tasks/language_model.h"

namespace gradwalk::tasks {
namespace {

// W_Q and W_K are three times those of the other model, and nothing else differs.
void expect_three_times(const nn::Module& large, const nn::Module& usual, int of_attention) {
  const nn::StateDict a = large.state_dict(), b = usual.state_dict();
  ASSERT_EQ(a.size(), b.size());
  int scaled = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool query_or_key = a[i].first.find("q_proj") != std::string::npos ||
                              a[i].first.find("k_proj") != std::string::npos;
    scaled += query_or_key ? 1 : 0;
    const std::vector<double> of_a = a[i].second.to_vector(), of_b = b[i].second.to_vector();
    for (std::size_t at = 0; at < of_a.size(); ++at) {
      ASSERT_FLOAT_EQ(static_cast<float>(of_a[at]),
                      static_cast<float>(query_or_key ? 3 * of_b[at] : of_b[at]))
          << a[i].first;
    }
  }
  EXPECT_EQ(scaled, of_attention);
}

TEST(QueryKeyGain, MultipliesQueriesAndKeysAlone) {
  DictionaryModel model(nn::Seed(3), {});
  const DictionaryModel usual(nn::Seed(3), {});
  multiply_query_key(model, 3);
  expect_three_times(model, usual, 2);
}

TEST(QueryKeyGain, IsAnOptionOfTheModelsOfTheCourse) {
  expect_three_times(DictionaryModel(nn::Seed(3), {.query_key_gain = 3}),
                     DictionaryModel(nn::Seed(3), {}), 2);
  expect_three_times(
      lesson_11::MultiLookupModel(nn::Seed(3), {.dictionary = {.query_key_gain = 3}}),
      lesson_11::MultiLookupModel(nn::Seed(3), {}), 2);
  expect_three_times(*new_language_model({.query_key_gain = 3}, 3), *new_language_model({}, 3), 4);
}

}  // namespace
}  // namespace gradwalk::tasks
