#include "lessons/course/engine/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lessons/course/engine/outcome.h"
#include "lessons/fake_lesson.h"

namespace gradwalk::course {
namespace {

using test::Fake;
using testing::ElementsAre;
using testing::ThrowsMessage;

class SessionTest : public testing::Test {
 protected:
  // A whole run.
  RunRecord run(const Fake& fake, Settings settings = {}, std::set<std::string> asked = {}) {
    Session session(test::fake_factory(fake), catalogue_, std::move(settings));
    session.ask_only(std::move(asked));
    while (!session.done()) session.advance();
    session.finish("left with q");
    return session.record();
  }
  static const ClaimRecord& claim(const RunRecord& run, const std::string& id) {
    for (const ClaimRecord* one : claims_of(run)) {
      if (one->id == id) return *one;
    }
    throw std::runtime_error("no " + id);
  }
  Exit exit_code(const RunRecord& run) const { return exit_of(run, catalogue_); }

  const Catalogue catalogue_ = test::fake_catalogue();
};

TEST_F(SessionTest, CataloguedOutcomesAreExitZero) {
  const RunRecord record = run({});
  EXPECT_TRUE(record.complete);
  EXPECT_EQ(claim(record, "F1").verdict, Verdict::kReproduced);
  EXPECT_EQ(claim(record, "F2").verdict, Verdict::kCorrected);
  EXPECT_EQ(exit_code(record), Exit::kOk);
}

TEST_F(SessionTest, ControlsRunSilentlyAndFlip) {
  const ControlRecord control = claim(run({}), "F1").control;
  EXPECT_EQ(control.name, "double");
  EXPECT_TRUE(control.ran);
  EXPECT_TRUE(control.flipped);
  EXPECT_EQ(control.found, "got 4");
}

TEST_F(SessionTest, AControlThatDoesNotFlipIsVacuous) {
  const RunRecord record = run({.double_works = false});
  EXPECT_EQ(claim(record, "F1").verdict, Verdict::kVacuous);
  EXPECT_EQ(exit_code(record), Exit::kUndecided);
}

TEST_F(SessionTest, AClaimWithoutCasesIsVacuous) {
  const RunRecord record = run({.cases = 0});
  EXPECT_EQ(claim(record, "F1").verdict, Verdict::kVacuous);
  EXPECT_EQ(exit_code(record), Exit::kUndecided);
}

TEST_F(SessionTest, AClaimThatNoStepStatesIsVacuous) {
  const RunRecord record = run({.f2_stated = false});
  EXPECT_EQ(claim(record, "F2").verdict, Verdict::kVacuous);
  EXPECT_EQ(exit_code(record), Exit::kUndecided);
}

TEST_F(SessionTest, AnotherOutcomeIsChanged) {
  const RunRecord record = run({.f1_holds = false});
  EXPECT_EQ(claim(record, "F1").verdict, Verdict::kChanged);
  EXPECT_EQ(exit_code(record), Exit::kChanged);
}

TEST_F(SessionTest, AnUnclearOutcomeIsInconclusive) {
  const RunRecord record = run({.unclear = Truth::kUnclear});
  EXPECT_EQ(claim(record, "F2").verdict, Verdict::kInconclusive);
  EXPECT_EQ(exit_code(record), Exit::kUndecided);
}

TEST_F(SessionTest, AFailedCheckIsExitOneEvenWhenAllClaimsAreFine) {
  EXPECT_EQ(exit_code(run({.check_ok = false})), Exit::kChanged);
}

TEST_F(SessionTest, AnUnexpectedNanWinsOverAFailedCheck) {
  EXPECT_EQ(exit_code(run({.check_ok = false, .number = std::nan("")})), Exit::kNonfinite);
}

TEST_F(SessionTest, ABreakMustFlipExactlyItsClaims) {
  Settings settings;
  settings.breaks = {"double"};
  const RunRecord record = run({}, settings);
  EXPECT_TRUE(flipped(claim(record, "F1")));
  EXPECT_FALSE(flipped(claim(record, "F2")));
  EXPECT_FALSE(claim(record, "F1").control.ran);
  EXPECT_EQ(exit_code(record), Exit::kOk);
  EXPECT_EQ(exit_code(run({.double_works = false}, settings)), Exit::kChanged);
  settings.breaks = {"hush"};
  EXPECT_EQ(exit_code(run({.f1_holds = false}, settings)), Exit::kChanged);
}

TEST_F(SessionTest, ABreakForgivesChecksButNotMissingCases) {
  Settings settings;
  settings.breaks = {"double"};
  EXPECT_EQ(exit_code(run({.check_ok = false}, settings)), Exit::kOk);
  EXPECT_EQ(exit_code(run({.cases = 0}, settings)), Exit::kUndecided);
}

TEST_F(SessionTest, EveryRunStartsAfresh) {
  Session session(test::fake_factory(), catalogue_, {});
  while (!session.done()) session.advance();
  session.change("gain", 2);
  session.toggle("double");
  const auto& runs = std::get<NumberRecord>(session.record().steps[0]->numbers[2]);
  EXPECT_EQ(runs.name, "runs of this step");
  EXPECT_EQ(runs.value, 1);
}

TEST_F(SessionTest, AskingForOneClaimStopsAfterItAndSkipsOthers) {
  const RunRecord record = run({}, {}, {"F1"});
  EXPECT_EQ(record.steps.size(), 2U);
  EXPECT_EQ(claim(record, "F1").verdict, Verdict::kReproduced);
  EXPECT_EQ(claim(record, "F2").verdict, Verdict::kSkipped);
  EXPECT_EQ(claim(record, "F2").skip_reason, "not asked for");
  EXPECT_EQ(exit_code(record), Exit::kOk);
  const RunRecord later = run({}, {}, {"F2"});
  EXPECT_EQ(later.steps.size(), 3U);
  EXPECT_EQ(claim(later, "F1").verdict, Verdict::kSkipped);
  EXPECT_FALSE(claim(later, "F1").control.ran);
}

TEST_F(SessionTest, LeavingSkipsWhatWasNotReachedAndIsFine) {
  Session session(test::fake_factory(), catalogue_, {});
  session.advance();
  session.finish("left with q", /*left=*/true);
  EXPECT_EQ(claim(session.record(), "F1").verdict, Verdict::kSkipped);
  EXPECT_EQ(claim(session.record(), "F1").skip_reason, "left with q");
  EXPECT_FALSE(session.record().complete);
  EXPECT_EQ(exit_code(session.record()), Exit::kOk);
}

TEST_F(SessionTest, LeavingDoesNotHideWhatWasSeen) {
  Session session(test::fake_factory({.check_ok = false}), catalogue_, {});
  session.advance();
  session.finish("left with q", /*left=*/true);
  EXPECT_EQ(exit_code(session.record()), Exit::kChanged);
}

TEST_F(SessionTest, AChangeRerunsFromTheFirstStepThatReadsIt) {
  Session session(test::fake_factory(), catalogue_, {});
  session.advance();
  session.advance();
  EXPECT_EQ(session.change("gain", 4).from, std::size_t{0});
  EXPECT_EQ(std::get<NumberRecord>(session.record().steps[0]->numbers[0]).value, 4);
  EXPECT_EQ(session.steps_run(), 2U);
  EXPECT_EQ(session.change("late", 5).from, std::nullopt);
  EXPECT_EQ(session.toggle("double").from, std::size_t{1});
  EXPECT_THAT(session.record().breaks, ElementsAre("double"));
  EXPECT_EQ(session.toggle("double").from, std::size_t{1});
  EXPECT_THAT(session.record().breaks, ElementsAre());
}

TEST_F(SessionTest, ARejectedChangeChangesNothing) {
  Session session(test::fake_factory(), catalogue_, {});
  session.advance();
  EXPECT_THAT([&] { session.change("gain", 11); },
              ThrowsMessage<std::invalid_argument>("gain: expected a number in [0, 10], got 11"));
  EXPECT_THAT(
      [&] { session.change("late", 1.5); },
      ThrowsMessage<std::invalid_argument>("late: expected a whole number in [1, 9], got 1.5"));
  EXPECT_THAT([&] { session.change("gian", 1); },
              ThrowsMessage<std::invalid_argument>("unknown parameter 'gian', nearest: gain"));
  EXPECT_THAT([&] { session.toggle("dobule"); },
              ThrowsMessage<std::invalid_argument>("unknown break 'dobule', nearest: double"));
  EXPECT_TRUE(session.record().set.empty());
}

TEST_F(SessionTest, LessonAndCatalogueMustListTheSameBreaks) {
  EXPECT_THAT([&] { Session([] { return Lesson(7, "bare", "Bare"); }, catalogue_, {}); },
              ThrowsMessage<std::logic_error>(
                  "claims.json lists the break 'double', which lesson 7 lacks"));
  EXPECT_THAT(
      [&] {
        Session([] { return Lesson(8, "extra", "Extra").sabotage("own", "x"); }, catalogue_, {});
      },
      ThrowsMessage<std::logic_error>("lesson 8 has the break 'own', which claims.json lacks"));
}

TEST_F(SessionTest, AClaimOfAnotherLessonIsALogicError) {
  const auto factory = [] {
    Lesson lesson(8, "thief", "Thief");
    lesson.step("s", [](Step& s) {
      s.formula("f").number("n", 1).why("w").try_next({"t"});
      s.claim("F1", Evidence::kTensor, 1).as_stated(true).right(true);
    });
    return lesson;
  };
  Session session(factory, catalogue_, {});
  EXPECT_THAT(
      [&] { session.advance(); },
      ThrowsMessage<std::logic_error>("claim F1 is not listed in claims.json for lesson 8"));
}

TEST(Exit, TheOrderOfTheDesignWins) {
  const std::vector<Exit> order = {Exit::kInterrupted, Exit::kInternal, Exit::kNonfinite,
                                   Exit::kInput,       Exit::kUsage,    Exit::kChanged,
                                   Exit::kUndecided,   Exit::kOk};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i; j < order.size(); ++j) {
      EXPECT_EQ(worse(order[i], order[j]), order[i]);
      EXPECT_EQ(worse(order[j], order[i]), order[i]);
    }
  }
}

TEST_F(SessionTest, StepsBeforeTheStartAreNotJudged) {
  Session session(test::fake_factory(), catalogue_, {});
  session.start_at(2);
  while (!session.done()) session.advance();
  session.finish("left with q");
  EXPECT_FALSE(session.record().steps[0]->skipped) << "later steps may stand on it";
  EXPECT_EQ(claim(session.record(), "F1").verdict, Verdict::kSkipped);
  EXPECT_EQ(claim(session.record(), "F1").skip_reason, "before step 3");
  EXPECT_FALSE(claim(session.record(), "F1").control.ran);
  EXPECT_EQ(claim(session.record(), "F2").verdict, Verdict::kCorrected);
  EXPECT_EQ(exit_code(session.record()), Exit::kOk);
}

TEST_F(SessionTest, StepsThatStandAloneRunOnlyWhenAskedFor) {
  const auto ran = [](const RunRecord& record) {
    std::vector<bool> steps;
    for (const auto& step : record.steps) steps.push_back(!step->skipped);
    return steps;
  };
  EXPECT_THAT(ran(run({.stand_alone = true})), ElementsAre(true, true, true));
  const RunRecord asked = run({.stand_alone = true}, {}, {"F2"});
  EXPECT_THAT(ran(asked), ElementsAre(false, false, true));
  EXPECT_EQ(claim(asked, "F1").skip_reason, "not asked for");
  EXPECT_EQ(claim(asked, "F2").verdict, Verdict::kCorrected);
  EXPECT_THAT(ran(run({}, {}, {"F2"})), ElementsAre(true, true, true));

  Session session(test::fake_factory({.stand_alone = true}), catalogue_, {});
  session.start_at(2);
  while (!session.done()) session.advance();
  session.finish("left with q");
  EXPECT_THAT(ran(session.record()), ElementsAre(false, false, true));
  EXPECT_EQ(claim(session.record(), "F1").skip_reason, "before step 3");
}

TEST_F(SessionTest, StepsThatStandAloneAnnounceTheirClaims) {
  const LessonFactory silent = [] {
    Lesson lesson(7, "fake", "A fake lesson");
    lesson.sabotage("double", "").sabotage("hush", "").steps_stand_alone();
    lesson.step("Doubling", [](Step& step) {
      step.formula("f").number("n", 1).why("why").try_next({"try"});
      step.claim("F1", Evidence::kTensor, 1).as_stated(true).right(true);
    });
    return lesson;
  };
  Session session(silent, catalogue_, {});
  EXPECT_THAT([&] { session.advance(); },
              ThrowsMessage<std::logic_error>("step 'Doubling': announced , stated F1"));
}

TEST_F(SessionTest, AGuessIsKeptUntilItsStepMayChange) {
  Session session(test::fake_factory(), catalogue_, {});
  while (!session.done()) session.advance();
  session.guess(1, 0);
  EXPECT_THROW(session.guess(1, 3), std::logic_error);
  EXPECT_THROW(session.guess(0, 0), std::logic_error) << "step 1 asks nothing";
  session.change("late", 4);  // read by step 3
  EXPECT_EQ(session.record().guesses.at(1), 0U);
  session.change("gain", 2);  // read by step 1
  EXPECT_TRUE(session.record().guesses.empty());
}

TEST_F(SessionTest, StepsThatAreTakenOverDoNotRunAgain) {
  for (const bool alone : {false, true}) {
    Session first(test::fake_factory({.number = 5, .stand_alone = alone}), catalogue_, {});
    first.advance();
    first.advance();
    first.guess(1, 0);
    Session second(test::fake_factory({.number = 6, .stand_alone = alone}), catalogue_, {});
    second.take_over(first.record());
    EXPECT_EQ(second.steps_run(), 2U);
    while (!second.done()) second.advance();
    second.finish("");
    const RunRecord& record = second.record();
    EXPECT_EQ(std::get<NumberRecord>(record.steps[0]->numbers[1]).value, 5);
    EXPECT_EQ(record.guesses.at(1), 0U);
    EXPECT_EQ(claim(record, "F1").verdict, Verdict::kReproduced);
    EXPECT_EQ(claim(record, "F2").verdict, Verdict::kCorrected);
    EXPECT_TRUE(record.complete);
    EXPECT_EQ(exit_code(record), Exit::kOk);
  }
}

TEST_F(SessionTest, BehindStepsThatWereTakenOverStandsWhatTheyLeave) {
  const auto chain = [] {
    Lesson lesson(7, "fake", "A fake lesson");
    lesson.sabotage("double", "").sabotage("hush", "");
    const auto state = std::make_shared<int>(0);
    for (int i = 1; i <= 3; ++i) {
      lesson.step(std::to_string(i), [=](Step& step) {
        step.formula("f").number("n", *state += i).check("c", true).why("why").try_next({"try"});
      });
    }
    return lesson;
  };
  Session first(chain, catalogue_, {});
  first.advance();
  first.advance();
  Session second(chain, catalogue_, {});
  second.take_over(first.record());
  EXPECT_EQ(std::get<NumberRecord>(second.advance().numbers[0]).value, 1 + 2 + 3);
}

TEST_F(SessionTest, OnlyTheLessonsOwnFirstStepsAreTakenOver) {
  Session whole(test::fake_factory(), catalogue_, {});
  while (!whole.done()) whole.advance();
  RunRecord record = whole.record();
  Session session(test::fake_factory(), catalogue_, {});
  record.steps.erase(record.steps.begin());
  EXPECT_THAT(
      [&] { session.take_over(record); },
      ThrowsMessage<std::invalid_argument>("lesson 7, step 1: expected 'Numbers', got 'Doubling'"));
  record = whole.record();
  record.steps.push_back(record.steps[0]);
  EXPECT_THAT([&] { session.take_over(record); },
              ThrowsMessage<std::invalid_argument>(
                  "lesson 7, step 4: expected no more steps, got 'Numbers'"));
  EXPECT_EQ(session.steps_run(), 0U);
}

}  // namespace
}  // namespace gradwalk::course
