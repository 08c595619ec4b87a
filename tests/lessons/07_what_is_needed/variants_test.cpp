#include "lessons/07_what_is_needed/variants.h"

#include <gtest/gtest.h>

#include "lessons/course/engine/lesson.h"
#include "lessons/tasks/module_weight.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_07 {
namespace {

class Variants : public testing::Test {
 protected:
  const course::Lesson lesson_{7, "what_is_needed", "A lesson"};
  const course::Settings settings_{.seed = 5};
  course::StepRecord record_;
  const course::Step step_{lesson_, settings_, &record_};
};

TEST_F(Variants, HaveNamesThatSayWhatIsMissing) {
  EXPECT_EQ(name_of(kAll), "all three");
  EXPECT_EQ(name_of(kTied), "W_K = W_Q");
  EXPECT_EQ(name_of(kNoKey), "K = x");
  EXPECT_EQ(name_of(kQueryOnly), "K = V = x");
  EXPECT_EQ(name_of(kNone), "Q = K = V = x");
}

TEST_F(Variants, LackTheMatricesThatTheyAreSaidToLack) {
  const auto parameters = [](const Matrices& matrices) {
    return tasks::DictionaryModel(nn::Seed(1), model_options({.matrices = matrices}))
        .num_parameters();
  };
  const std::int64_t all = parameters(kAll), square = 32 * 32;
  EXPECT_EQ(parameters(kTied), all - square);
  EXPECT_EQ(parameters(kNoValue), all - square);
  EXPECT_EQ(parameters(kQueryOnly), all - 2 * square);
  EXPECT_EQ(parameters(kNone), all - 4 * square);
  const auto of_language = [](const Matrices& matrices) {
    return tasks::new_language_model(options_of(LanguageVariant{.matrices = matrices}), 1)
        ->num_parameters();
  };
  EXPECT_EQ(of_language(kAll) - of_language(kTied), 2 * square);
  EXPECT_EQ(of_language(kAll) - of_language(kNone), 2 * 4 * square);
}

TEST_F(Variants, TrainOnceAndFromTheSameNumbers) {
  const VariantOptions options{.matrices = kNoKey, .tables = false, .updates = 2};
  const TrainedVariant& trained = trained_variant(step_, options, 0, 1);
  EXPECT_EQ(&trained_variant(step_, options, 0, 1), &trained);
  EXPECT_EQ(trained.losses.size(), 2U);
  const TrainedVariant& other =
      trained_variant(step_, {.matrices = kAll, .tables = false, .mark = 2, .updates = 2}, 0, 1);
  const auto sum_of = [](const TrainedVariant& of, const char* name) {
    return sum(tasks::weight_of(of.model, name)).item();
  };
  EXPECT_EQ(sum_of(trained, "key_embedding.weight"), sum_of(other, "key_embedding.weight"));
  EXPECT_EQ(2 * sum_of(trained, "mark.weight"), sum_of(other, "mark.weight"));
}

TEST_F(Variants, SayWhenTheyHaveNotLearned) {
  const VariantSpread spread = variant_over_seeds(step_, {.updates = 2}, 2);
  EXPECT_EQ(spread.updates, 0);
  EXPECT_EQ(spread.losses.size(), 2U);
  EXPECT_LT(spread.accuracy.highest, 0.3);
}

TEST_F(Variants, OfTheLanguageCanHaveEvenMaps) {
  EXPECT_EQ(options_of(LanguageVariant{.even = true}).scale, 0);
  EXPECT_EQ(options_of(LanguageVariant{}).scale, std::nullopt);
}

}  // namespace
}  // namespace gradwalk::lesson_07
