#include "lessons/tasks/query_key_gain.h"

#include <gtest/gtest.h>

#include "lessons/tasks/dictionary.h"
#include "lessons/tasks/expect_three_times.h"
#include "lessons/tasks/language_model.h"

namespace gradwalk::tasks {
namespace {

TEST(QueryKeyGain, MultipliesQueriesAndKeysAlone) {
  DictionaryModel model(nn::Seed(3), {});
  const DictionaryModel usual(nn::Seed(3), {});
  multiply_query_key(model, 3);
  test::expect_three_times(model, usual, 2);
}

TEST(QueryKeyGain, IsAnOptionOfTheModelsOfTheCourse) {
  test::expect_three_times(DictionaryModel(nn::Seed(3), {.query_key_gain = 3}),
                           DictionaryModel(nn::Seed(3), {}), 2);
  test::expect_three_times(*new_language_model({.query_key_gain = 3}, 3),
                           *new_language_model({}, 3), 4);
}

}  // namespace
}  // namespace gradwalk::tasks
