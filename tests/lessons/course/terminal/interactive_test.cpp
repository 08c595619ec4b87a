#include "lessons/course/terminal/interactive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "lessons/fake_lesson.h"

namespace gradwalk::course {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Runs the fake lesson with the given lines typed, and gives what was written.
class InteractiveTest : public testing::Test {
 protected:
  std::string type(std::deque<std::string> lines, bool prompt = false, test::Fake fake = {},
                   bool predict = false) {
    Console console;
    console.interrupted = [] { return 0; };
    console.read_line = [&lines]() -> std::optional<std::string> {
      if (lines.empty()) return std::nullopt;
      std::string line = lines.front();
      lines.pop_front();
      return line;
    };
    std::string written;
    Session session(test::fake_factory(fake), catalogue_, {});
    Interactive interactive(
        session, catalogue_, console, [&](std::string_view text) { written += text; }, {}, prompt);
    left_ = false;
    while (!session.done() && !left_) {
      session.advance();
      if (predict) left_ = !interactive.predict();
      if (!left_) left_ = !interactive.after_step(predict);
    }
    steps_ = session.steps_run();
    breaks_ = session.settings().breaks.size();
    guesses_ = session.record().guesses;
    return written;
  }
  static int count(const std::string& text, const std::string& what) {
    int found = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++found;
    return found;
  }

  const Catalogue catalogue_ = test::fake_catalogue();
  bool left_ = false;
  std::size_t steps_ = 0;
  std::size_t breaks_ = 0;
  std::map<std::size_t, std::size_t> guesses_;
};

TEST_F(InteractiveTest, TheEndOfTheInputGoesOn) {
  const std::string text = type({});
  EXPECT_FALSE(left_);
  EXPECT_EQ(steps_, 3U);
  EXPECT_THAT(text, AllOf(HasSubstr("Tripling"), Not(HasSubstr("\n>"))));
}

TEST_F(InteractiveTest, ATerminalGetsKeysAndAPrompt) {
  const std::string text = type({""}, /*prompt=*/true);
  EXPECT_THAT(text,
              HasSubstr("[enter] next  [t]ensor  [g]rad  [c] trace  [s]et  [x] break  [b]ack  "
                        "[q]uit  [?]\n> "));
}

TEST_F(InteractiveTest, CommandsFromAPipeAreEchoed) {
  const std::string text = type({"t W"});
  EXPECT_THAT(text, HasSubstr("> t W\n  W [2,2]  f64  row = out, column = in\n"));
  EXPECT_THAT(text, Not(HasSubstr("[enter]")));
}

TEST_F(InteractiveTest, LooksAtTensorsOfEarlierSteps) {
  EXPECT_THAT(type({"", "t y"}), HasSubstr("> t y\n  y [2]"));
}

TEST_F(InteractiveTest, ShowsGradientsByEitherName) {
  for (const char* line : {"g x", "g dx", "t dx"}) {
    EXPECT_THAT(type({line}), HasSubstr("  dx [2]  f64  gradient of the loss\n")) << line;
  }
  EXPECT_THAT(type({"g W"}),
              HasSubstr("  no step so far has the gradient at W; this step has: dx\n"));
}

TEST_F(InteractiveTest, AnUnknownTensorGetsNearestNamesAndTheList) {
  EXPECT_THAT(type({"t dy"}), HasSubstr("  unknown tensor 'dy', nearest: y, dx, x\n"
                                        "  this step has: x  W  y  dx\n"));
}

TEST_F(InteractiveTest, TracesAnElement) {
  EXPECT_THAT(type({"c y[1]"}), HasSubstr("  y[1] = sum_j W[1,j] x[j]\n"));
  EXPECT_THAT(type({"c y[ 1 ]"}), HasSubstr("  y[1] = sum_j W[1,j] x[j]\n"));
}

TEST_F(InteractiveTest, ABadIndexNamesTheShape) {
  EXPECT_THAT(type({"c W[2,0]"}), HasSubstr("  W has no element [2,0]: its shape is [2,2]\n"));
  EXPECT_THAT(type({"c W[1]"}), HasSubstr("  W has no element [1]: its shape is [2,2]\n"));
  EXPECT_THAT(type({"c W[1"}), HasSubstr("  expected c NAME[i,j], got 'c W[1'"));
  EXPECT_THAT(type({"c W[a,b]"}), HasSubstr("  expected c NAME[i,j], got 'c W[a,b]'"));
}

TEST_F(InteractiveTest, BackDrawsFromRecords) {
  const std::string text = type({"", "b", "", ""});
  EXPECT_EQ(count(text, "step 1 of 3"), 2);
  EXPECT_EQ(count(text, "step 2 of 3"), 2);
  EXPECT_EQ(steps_, 3U);
  EXPECT_THAT(type({"b"}), HasSubstr("  this is the first step\n"));
}

TEST_F(InteractiveTest, SetRerunsFromTheFirstStepThatReads) {
  const std::string text = type({"", "s gain=3"});
  EXPECT_THAT(text, HasSubstr("  gain = 3: rerun from step 1 of 3, the first that reads gain\n"));
  EXPECT_THAT(text, HasSubstr("changed   gain = 3\n"));
  EXPECT_EQ(count(text, "step 1 of 3"), 3) << "shown, said, shown again";
  EXPECT_THAT(type({"s late=2"}),
              HasSubstr("  late = 2: no step so far depends on it; later ones will\n"));
}

TEST_F(InteractiveTest, SetSaysWhatIsWrong) {
  EXPECT_THAT(type({"s gain"}), HasSubstr("  expected s NAME=NUMBER, got 's gain'\n"));
  EXPECT_THAT(type({"s gain=99"}), HasSubstr("  gain: expected a number in [0, 10], got 99\n"));
  EXPECT_THAT(type({"s gian=1"}), HasSubstr("  unknown parameter 'gian', nearest: gain\n"));
  EXPECT_THAT(type({"s"}), HasSubstr("  s gain=VALUE  a factor, from 0 to 10\n"));
}

TEST_F(InteractiveTest, BreakTogglesAndSaysFromWhere) {
  const std::string text = type({"", "x double"});
  EXPECT_THAT(
      text,
      HasSubstr("  break double is on: rerun from step 2 of 3, the first that reads double\n"));
  EXPECT_THAT(text, HasSubstr("F1  FLIPPED"));
  EXPECT_EQ(breaks_, 1U);
  type({"", "x double", "x double"});
  EXPECT_EQ(breaks_, 0U);
  EXPECT_THAT(type({"x dble"}), HasSubstr("  unknown break 'dble', nearest: double\n"));
  EXPECT_THAT(type({"x"}), HasSubstr("  x double  one is counted twice\n"));
}

TEST_F(InteractiveTest, QuitLeaves) {
  const std::string text = type({"", "q", "t W"});
  EXPECT_TRUE(left_);
  EXPECT_EQ(steps_, 2U);
  EXPECT_THAT(text, AllOf(HasSubstr("> q\n"), Not(HasSubstr("> t W"))));
}

TEST_F(InteractiveTest, HelpNamesEveryCommand) {
  const std::string text = type({"?"});
  for (const char* command :
       {"t NAME [--all]", "g NAME", "c NAME[i,j]", "s NAME=VALUE", "x NAME", "  b ", "  q "}) {
    EXPECT_THAT(text, HasSubstr(command));
  }
}

TEST_F(InteractiveTest, AnUnknownCommandIsNamed) {
  EXPECT_THAT(
      type({"tensor W"}),
      HasSubstr("  unknown command 'tensor', expected t, g, c, b, s, x, q, ? or an empty line\n"));
  EXPECT_THAT(type({"q now"}), HasSubstr("  q takes no argument, got 'now'\n"));
  EXPECT_FALSE(left_);
}

TEST_F(InteractiveTest, AsksBeforeTheNumbersAreShown) {
  const std::string text = type({"", "2", "", ""}, false, {}, /*predict=*/true);
  const std::size_t question = text.find("Twice one?   [1] one   [2] two   [3] four");
  ASSERT_NE(question, std::string::npos);
  const std::size_t answer = text.find("> 2   right", question);
  ASSERT_NE(answer, std::string::npos);
  EXPECT_EQ(text.substr(question, answer - question).find("counts"), std::string::npos);
  EXPECT_NE(text.find("counts", answer), std::string::npos);
  EXPECT_EQ(count(text, "Doubling"), 1) << "the head of the step stands once";
  EXPECT_THAT(guesses_, testing::ElementsAre(testing::Pair(1, 1)));
}

TEST_F(InteractiveTest, SaysWhatWasMeasuredAfterAWrongGuess) {
  const std::string text = type({"", "3", "b", ""}, false, {}, true);
  EXPECT_THAT(text, HasSubstr("> 3   measured: [2] two"));
  EXPECT_EQ(guesses_.at(1), 2U);
}

TEST_F(InteractiveTest, AnEmptyLinePassesAndOtherLinesAskAgain) {
  const std::string text = type({"", "0", "four", "4", "", "", ""}, false, {}, true);
  EXPECT_EQ(count(text, "expected a number from 1 to 3, an empty line or q, got "), 3);
  EXPECT_TRUE(guesses_.empty());
  EXPECT_THAT(text, AllOf(HasSubstr("counts"), Not(HasSubstr("measured:"))));
}

TEST_F(InteractiveTest, AQuestionCanBeLeftAndTheEndOfTheInputPasses) {
  type({"", "q"}, false, {}, true);
  EXPECT_TRUE(left_);
  EXPECT_THAT(type({}, false, {}, true), HasSubstr("Tripling"));
  EXPECT_FALSE(left_);
}

TEST_F(InteractiveTest, AGuessIsDrawnAgainWithItsStep) {
  const std::string text = type({"", "2", "", "b", "", ""}, false, {}, true);
  EXPECT_EQ(count(text, "> 2   right"), 2);
}

}  // namespace
}  // namespace gradwalk::course
