#include "lessons/course/engine/lesson.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "lessons/course/pictures/curves.h"
#include "lessons/course/pictures/scatter.h"
#include "lessons/fake_lesson.h"
#include "tensor/random.h"

namespace gradwalk::course {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

// A step with all parts.
void whole(Step& step) {
  step.formula("1 = 1").number("one", 1).check("is one", true).why("Because.").try_next({"it"});
}

StepRecord record_of(const Lesson::Body& body, const Settings& settings = {}) {
  Lesson lesson(1, "one", "One");
  lesson.parameter({.name = "k", .value = 2, .quick = 1, .min = 0, .max = 5, .what = "a number"});
  lesson.sabotage("crack", "it breaks");
  lesson.step("A step", body);
  return lesson.run_step(0, settings);
}

TEST(Lesson, IsNamedAsItsExecutable) {
  EXPECT_EQ(Lesson(4, "gradient_walk", "T").executable(), "lesson_04_gradient_walk");
}

TEST(Step, ReadsParametersInFullQuickAndChanged) {
  double seen = 0;
  const auto body = [&](Step& step) {
    whole(step);
    seen = step.parameter("k");
  };
  EXPECT_THAT(record_of(body).parameters_read, ElementsAre("k"));
  EXPECT_EQ(seen, 2);
  Settings settings;
  settings.quick = true;
  record_of(body, settings);
  EXPECT_EQ(seen, 1);
  settings.set["k"] = 4;
  record_of(body, settings);
  EXPECT_EQ(seen, 4);
}

TEST(Lesson, HasSeedsAsAWholeParameter) {
  Lesson lesson(1, "one", "One");
  lesson.seeds(/*full=*/5, /*quick=*/2, "heads");
  const Parameter* seeds = lesson.find_parameter("seeds");
  ASSERT_NE(seeds, nullptr);
  EXPECT_EQ(seeds->value, 5);
  EXPECT_EQ(seeds->quick, 2);
  EXPECT_EQ(seeds->min, 1);
  EXPECT_TRUE(seeds->whole);
  EXPECT_EQ(seeds->what, "heads");
}

TEST(Step, CountsTrainingsOfALoopAsOnePieceOfWork) {
  Settings settings;
  std::vector<std::int64_t> seen;
  settings.watch = [&](std::string_view, std::int64_t done, std::int64_t total) {
    seen.insert(seen.end(), {done, total});
  };
  record_of(
      [](Step& step) {
        whole(step);
        step.training_progress(/*run=*/0, /*runs=*/3, /*updates=*/10)(4);
        step.training_progress(/*run=*/2, /*runs=*/3, /*updates=*/10)(10);
      },
      settings);
  EXPECT_THAT(seen, ElementsAre(4, 30, 30, 30));
}

TEST(Step, KnowsWhichBreaksAreOn) {
  bool broken = false;
  const auto body = [&](Step& step) {
    whole(step);
    broken = step.broken("crack");
  };
  EXPECT_THAT(record_of(body).breaks_read, ElementsAre("crack"));
  EXPECT_FALSE(broken);
  Settings settings;
  settings.breaks = {"crack"};
  record_of(body, settings);
  EXPECT_TRUE(broken);
}

TEST(Step, StreamsAreNamedBySeedLessonAndName) {
  double drawn = 0;
  record_of([&](Step& step) {
    whole(step);
    drawn = step.generator("noise").uniform();
  });
  EXPECT_EQ(drawn, Generator(1, "one/noise").uniform());
  EXPECT_NE(drawn, Generator(1, "one/other").uniform());
}

TEST(Step, RecordsTensorsByNameShapeAndDtype) {
  const StepRecord step = record_of([](Step& s) {
    whole(s);
    s.tensor("a", matrix({{1, 2, 3}, {4, 5, 6}})).explain(Explain::given("x"));
    s.gradient("a", matrix({{1, 2, 3}, {4, 5, 6}})).explain(Explain::given("x"));
  });
  ASSERT_EQ(step.tensors.size(), 2U);
  EXPECT_EQ(step.tensors[0].shape_text(), "[2,3]");
  EXPECT_EQ(step.tensors[0].dtype, "float32");
  EXPECT_EQ(step.tensors[0].at({1, 0}), 4);
  EXPECT_FALSE(step.tensors[0].gradient);
  EXPECT_EQ(step.tensors[1].name, "da");
  EXPECT_TRUE(step.tensors[1].gradient);
}

TEST(StepError, NamesTheMissingPart) {
  const auto missing = [](auto fill) { return [fill] { record_of(fill); }; };
  EXPECT_THAT(missing([](Step&) {}),
              ThrowsMessage<std::logic_error>("step \"A step\": the formula is missing"));
  EXPECT_THAT(missing([](Step& s) { s.formula("f"); }),
              ThrowsMessage<std::logic_error>("step \"A step\": the numbers are missing"));
  EXPECT_THAT(missing([](Step& s) { s.formula("f").number("n", 1); }),
              ThrowsMessage<std::logic_error>("step \"A step\": the check is missing"));
  EXPECT_THAT(missing([](Step& s) { s.formula("f").number("n", 1).check("c", true); }),
              ThrowsMessage<std::logic_error>("step \"A step\": why is missing"));
  EXPECT_THAT(missing([](Step& s) { s.formula("f").number("n", 1).check("c", true).why("w"); }),
              ThrowsMessage<std::logic_error>("step \"A step\": what to try is missing"));
}

TEST(StepError, NamesATensorWithoutExplanation) {
  EXPECT_THAT(
      [] {
        record_of([](Step& s) {
          whole(s);
          s.tensor("q", vector({1}));
        });
      },
      ThrowsMessage<std::logic_error>("step \"A step\": tensor q has no explanation"));
}

TEST(StepError, NamesAClaimWithoutAPredicate) {
  EXPECT_THAT(
      [] {
        record_of([](Step& s) {
          whole(s);
          s.claim("F1", Evidence::kTensor, 1).as_stated(true);
        });
      },
      ThrowsMessage<std::logic_error>("step \"A step\": claim F1 lacks right()"));
}

TEST(StepError, NamesWhatTheLessonDoesNotDeclare) {
  EXPECT_THAT([] { record_of([](Step& s) { s.parameter("lr"); }); },
              ThrowsMessage<std::logic_error>("lesson 1 declares no parameter 'lr'"));
  EXPECT_THAT([] { record_of([](Step& s) { s.broken("lr"); }); },
              ThrowsMessage<std::logic_error>("lesson 1 declares no break 'lr'"));
}

TEST(StepError, CountsTheLettersOfALongWhy) {
  EXPECT_NO_THROW(record_of([](Step& s) {
    whole(s);
    s.why(std::string(160, 'x'));
  }));
  EXPECT_THAT([] { record_of([](Step& s) { s.why(std::string(161, 'x')); }); },
              ThrowsMessage<std::logic_error>("why has 161 characters, at most 160 are allowed: " +
                                              std::string(161, 'x')));
}

TEST(StepError, NamesATensorTwice) {
  EXPECT_THAT(
      [] {
        record_of([](Step& s) {
          s.tensor("q", vector({1}));
          s.tensor("q", vector({1}));
        });
      },
      ThrowsMessage<std::logic_error>("tensor 'q' is recorded twice in one step"));
}

TEST(StepError, CountsTheValuesOfARow) {
  EXPECT_THAT([] { record_of([](Step& s) {
                     s.table("t", {"a", "b"}).row("r", {1});
                   }); },
              ThrowsMessage<std::logic_error>("table t, row r: expected 2 values, got 1"));
}

TEST(StepError, CountsTheDigitsOfColumns) {
  EXPECT_THAT([] { record_of([](Step& s) {
                     s.table("t", {"a", "b"}).digits({1, 2, 3});
                   }); },
              ThrowsMessage<std::logic_error>("table t: digits for 2 columns, got 3"));
}

TEST(StepError, WantsAPredictionWithItsAnswer) {
  for (const std::vector<std::string>& choices :
       {std::vector<std::string>{"only"}, std::vector<std::string>(10, "x")}) {
    EXPECT_THROW(record_of([&](Step& s) { s.predict("q", choices, 0); }), std::logic_error);
  }
  EXPECT_THAT([] { record_of([](Step& s) {
                     s.predict("q", {"a", "b"}, 2);
                   }); },
              ThrowsMessage<std::logic_error>("prediction 'q': 2 choices, right is 2"));
}

TEST(Step, FindsNanAndInfEverywhereButWhereTheyBelong) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const StepRecord step = record_of([&](Step& s) {
    whole(s);
    s.number("n", nan);
    s.table("t", {"a", "b"}).row("r", {1, inf});
    s.tensor("z", vector({1, -inf, nan})).explain(Explain::given("x"));
    s.tensor("masked", vector({-inf})).explain(Explain::given("x")).may_be_nonfinite();
    s.picture(Curves("c", "x")).series("up", {1, nan});
    s.picture(Scatter("s", "x", "y")).point("k", 0, nan, 1).others("nouns", {{inf, 0}});
  });
  EXPECT_THAT(step.nonfinite,
              ElementsAre("number n: 1 of 1", "table t, row r: 1 of 2", "tensor z[3]: 2 of 3",
                          "curve up: 1 of 2", "point k: 1 of 3", "point of nouns: 1 of 2"));
}

TEST(LessonError, RejectsADefaultOutsideItsRange) {
  EXPECT_THAT([] { Lesson(1, "a", "A").parameter({.name = "k", .value = 7, .min = 0, .max = 5}); },
              ThrowsMessage<std::logic_error>("parameter 'k': 7 is not in [0, 5]"));
}

}  // namespace
}  // namespace gradwalk::course
