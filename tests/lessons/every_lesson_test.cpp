// What holds for each lesson, one after the other. All runs of a test are in its process, so that
// what a lesson keeps, such as trained models, is made once.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "lessons/course/engine/catalogue.h"
#include "lessons/course/engine/lesson_table.h"
#include "lessons/course/engine/outcome.h"
#include "lessons/course/engine/session.h"
#include "lessons/driver/commands/command_fixture.h"

namespace gradwalk {
namespace {

using testing::IsEmpty;

class EveryLesson : public test::CommandTest, public testing::WithParamInterface<std::size_t> {
 protected:
  // The whole lesson in quick form.
  course::RunRecord run() const {
    course::Session session(factory_, catalogue_, quick_);
    while (!session.done()) session.advance();
    session.finish("");
    return session.record();
  }
  std::string number() const { return std::to_string(factory_().number()); }

  // A command line of the driver, with "one word" in double quotes.
  int run_line(const std::string& line) {
    std::vector<std::string> words;
    std::istringstream text(line);
    for (std::string word; text >> std::quoted(word);) words.push_back(word);
    const auto table = course::lesson_table();
    return call_on({table.begin(), table.end()}, catalogue_, words);
  }

  const course::Catalogue catalogue_ = course::parse_catalogue(course::catalogue_json());
  const course::LessonFactory factory_ = course::lesson_table()[GetParam()];
  const course::Settings quick_{.quick = true};
};

TEST_P(EveryLesson, HasBreaksThatFlipExactlyTheirClaims) {
  const course::Lesson lesson = factory_();
  for (const course::Break& one : lesson.breaks()) {
    EXPECT_EQ(run_line("run " + number() + " --quick --break=" + one.name), 0) << one.name << "\n"
                                                                               << out_ << err_;
  }
}

TEST_P(EveryLesson, HasTryLinesThatWork) {
  const std::string launcher = "./gradwalk ";
  const course::RunRecord record = run();
  ASSERT_EQ(run_line("run " + number() + " --quick"), 0);  // some lines look at its ledger
  std::size_t lines = 0;
  for (const auto& step : record.steps) {
    for (const std::string& line : step->tries) {
      ASSERT_EQ(line.substr(0, launcher.size()), launcher) << line;
      std::string words = line.substr(launcher.size());
      const bool sized = words.find("--help") != std::string::npos || !words.starts_with("run ");
      if (!sized) words += " --quick";
      EXPECT_EQ(run_line(words), 0) << line << "\n" << out_ << err_;
      ++lines;
    }
  }
  EXPECT_GE(lines, record.steps.size());
}

TEST_P(EveryLesson, ExplainsEveryElementOfEveryTensor) {
  EXPECT_THAT(course::verify_explanations(run()), IsEmpty());
}

TEST_P(EveryLesson, HasClaimsThatAreVacuousWithoutTheirCases) {
  const course::RunRecord record = run();
  EXPECT_EQ(course::exit_of(record, catalogue_), course::Exit::kOk);
  for (const course::ClaimRecord* claim : course::claims_of(record)) {
    EXPECT_TRUE(claim->control.flipped) << claim->id;
    course::ClaimRecord without = *claim;
    without.cases = 0;
    EXPECT_EQ(decide(without, claim->expected_verdict), course::Verdict::kVacuous) << claim->id;
  }
}

// What a step measures when no other has run.
TEST_P(EveryLesson, HasStepsThatStandAloneIfItSaysSo) {
  if (!factory_().do_steps_stand_alone()) return;
  const course::RunRecord record = run();
  for (std::size_t at = 0; at < record.steps.size(); ++at) {
    const course::StepRecord alone = factory_().run_step(at, quick_);
    const course::StepRecord& behind_others = *record.steps[at];
    ASSERT_EQ(alone.tensors.size(), behind_others.tensors.size());
    for (std::size_t i = 0; i < alone.tensors.size(); ++i) {
      EXPECT_EQ(alone.tensors[i].values, behind_others.tensors[i].values)
          << alone.title << ": " << alone.tensors[i].name;
    }
    ASSERT_EQ(alone.claims.size(), behind_others.claims.size());
    for (std::size_t i = 0; i < alone.claims.size(); ++i) {
      EXPECT_EQ(alone.claims[i].found, behind_others.claims[i].found) << alone.claims[i].id;
      EXPECT_EQ(alone.claims[i].value, behind_others.claims[i].value) << alone.claims[i].id;
    }
  }
}

std::string lesson_name(const testing::TestParamInfo<std::size_t>& lesson) {
  return course::lesson_table()[lesson.param]().executable().substr(std::string("lesson_").size());
}

INSTANTIATE_TEST_SUITE_P(Course, EveryLesson,
                         testing::Range(std::size_t{0}, course::lesson_table().size()),
                         lesson_name);

}  // namespace
}  // namespace gradwalk
