#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lessons/driver/commands/command_fixture.h"

namespace gradwalk::commands {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class RunTest : public test::CommandTest {
 protected:
  static std::string file(const std::string& name) {
    std::ostringstream text;
    text << std::ifstream(name).rdbuf();
    return text.str();
  }
};

TEST_F(RunTest, PrintsStepsTheLedgerAndHowToRepeat) {
  EXPECT_EQ(call({"run", "7"}), 0);
  EXPECT_THAT(
      out_,
      AllOf(HasSubstr("step 1 of 3"), HasSubstr("step 3 of 3"),
            HasSubstr(
                "2 of 2 decided   exit 0   results/ledger.json\nagain: ./gradwalk run 7 --seed=1 "
                "--full\n")));
  EXPECT_EQ(err_, "");
  EXPECT_TRUE(std::filesystem::exists("results/ledger.json"));
}

TEST_F(RunTest, ExitCodesFollowTheOutcomes) {
  EXPECT_EQ(call({"run", "7"}, {.f1_holds = false}), 1);
  EXPECT_EQ(call({"run", "7"}, {.check_ok = false}), 1);
  EXPECT_EQ(call({"run", "7"}, {.cases = 0}), 3);
  EXPECT_THAT(out_, HasSubstr("VACUOUS"));
  EXPECT_EQ(call({"run", "7"}, {.double_works = false}), 3);
  EXPECT_EQ(call({"run", "7"}, {.cases = 0, .f1_holds = true, .check_ok = false}), 1);
  EXPECT_EQ(call({"run", "7"}, {.check_ok = false, .number = std::nan("")}), 5);
}

TEST_F(RunTest, KeepsModelsOnlyWhereItIsAsked) {
  EXPECT_EQ(call({"run", "7"}, {.keeps_models = true}), 0);
  EXPECT_FALSE(std::filesystem::exists("kept"));
  EXPECT_EQ(call({"run", "7", "--models=kept"}, {.keeps_models = true}), 0) << err_;
  EXPECT_EQ(file("kept/lesson_07_fake/first/weights"), "w");
  EXPECT_THAT(out_, HasSubstr("kept kept/lesson_07_fake/first\n"));
  EXPECT_EQ(call({"run", "7", "--models=other"}), 2);
  EXPECT_THAT(err_, HasSubstr("--models: no lesson of these keeps models; there is none"));
  EXPECT_EQ(call({"run", "7", "--models=other", "--break=double"}, {.keeps_models = true}), 2);
  EXPECT_THAT(err_, HasSubstr("--models keeps what was trained without a --break"));
  EXPECT_EQ(call({"run", "7", "--models=other", "--seeds=2"}, {.keeps_models = true}), 2);
  EXPECT_THAT(err_, HasSubstr("--seeds shows no steps, so --models has no place"));
  EXPECT_FALSE(std::filesystem::exists("other"));
  std::ofstream("file") << "x";
  EXPECT_EQ(call({"run", "7", "--models=file"}, {.keeps_models = true}), 4);
  EXPECT_THAT(err_, HasSubstr("--models: "));
}

TEST_F(RunTest, SelectsLessons) {
  for (const char* selection : {"7", "1-9", "all", "7,7", "1-9,7"}) {
    EXPECT_EQ(call({"run", selection}), 0) << selection << err_;
  }
  EXPECT_EQ(call({"run", "8"}), 2);
  EXPECT_EQ(err_, "gradwalk run: no lesson 8 here; there is 7\nsee: ./gradwalk help\n");
  EXPECT_EQ(call({"run", "seven"}), 2);
  EXPECT_EQ(err_,
            "gradwalk run: expected lessons such as 4, 4,5, 1-4 or all, got 'seven'; there is 7\n"
            "see: ./gradwalk help\n");
  EXPECT_EQ(call({"run"}), 2);
  EXPECT_EQ(call({"run", "7", "8"}), 2);
}

TEST_F(RunTest, UnknownOptionsAreErrorsWithTheNearestName) {
  EXPECT_EQ(call({"run", "7", "--sed=3"}), 2);
  EXPECT_EQ(err_, "gradwalk run: unknown option '--sed', nearest: --seed\nsee: ./gradwalk help\n");
  EXPECT_EQ(call({"run", "7", "--html=x"}), 2);
  EXPECT_EQ(call({"run", "7", "-x"}), 2);
  EXPECT_EQ(out_, "") << "nothing ran";
}

TEST_F(RunTest, ValuesAreChecked) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"--seed=x", "--seed: expected a whole number >= 0, got 'x'"},
      {"--seed=-1", "--seed: expected a whole number >= 0, got '-1'"},
      {"--seed", "--seed needs a value: --seed=S"},
      {"--quick=yes", "--quick takes no value, got '--quick=yes'"},
      {"--color=red", "--color: expected auto, always or never, got 'red'"},
      {"--width=wide", "--width: expected a number of columns, got 'wide'"},
      {"--from=0", "--from: expected a number from 1 to 3, got '0'"},
      {"--from=4", "--from: expected a number from 1 to 3, got '4'"},
      {"--seeds=0", "--seeds: expected a number from 1 to 1000, got '0'"},
      {"--sweep=gain",
       "--sweep: expected --sweep=NAME=LOW:HIGH:xFACTOR, factor > 1, or NAME=LOW:HIGH:+STEP, got "
       "'gain'"},
      {"--sweep=gain=1:4:x1",
       "--sweep: expected --sweep=NAME=LOW:HIGH:xFACTOR, factor > 1, or NAME=LOW:HIGH:+STEP, got "
       "'gain=1:4:x1'"},
      {"--sweep=gain=4:1:+1",
       "--sweep: expected --sweep=NAME=LOW:HIGH:xFACTOR, factor > 1, or NAME=LOW:HIGH:+STEP, got "
       "'gain=4:1:+1'"},
      {"--sweep=gian=1:4:x2", "--sweep: lesson 7: unknown parameter 'gian', nearest: gain"},
      {"--sweep=gain=1:16:x4", "--sweep: gain: expected a number in [0, 10], got 16"},
      {"--sweep=late=1:3:+0.5", "--sweep: late: expected a whole number in [1, 9], got 1.5"},
      {"--sweep=gain=0:10:+0.1", "--sweep: more than 64 values from 0 to 10"},
      {"--threads=0", "--threads: expected a number from 1 to 1024, got '0'"},
      {"--set=gain", "--set: expected --set=NAME=NUMBER, got 'gain'"},
      {"--set=gain=x", "--set=gain: expected a number, got 'x'"},
      {"--set=gain=11", "--set: gain: expected a number in [0, 10], got 11"},
      {"--set=gian=1", "--set: lesson 7: unknown parameter 'gian', nearest: gain"},
      {"--break=dobule", "--break: lesson 7: unknown break 'dobule', nearest: double"},
      {"--claim=F3", "--claim: unknown claim 'F3', nearest: F1"},
  };
  for (const auto& [option, message] : cases) {
    EXPECT_EQ(call({"run", "7", option}), 2) << option;
    EXPECT_EQ(err_, "gradwalk run: " + message + "\nsee: ./gradwalk help\n");
  }
  EXPECT_EQ(call({"run", "7", "--quick", "--full"}), 2);
  EXPECT_EQ(call({"run", "7", "--seed=1", "--seed=2"}), 2);
  EXPECT_EQ(err_, "gradwalk run: --seed is given 2 times\nsee: ./gradwalk help\n");
}

TEST_F(RunTest, ABreakIsFineExactlyWhenItsClaimsFlip) {
  EXPECT_EQ(call({"run", "7", "--break=double"}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("FLIPPED"), HasSubstr("--break=double")));
  EXPECT_EQ(call({"run", "7", "--break=double"}, {.double_works = false}), 1);
  EXPECT_EQ(call({"run", "7", "--break=hush"}, {.f1_holds = false}), 1);
}

TEST_F(RunTest, BreakAndSetLeaveTheLedgerAlone) {
  EXPECT_EQ(call({"run", "7", "--break=double"}), 0);
  EXPECT_EQ(call({"run", "7", "--set=gain=2"}), 0);
  EXPECT_FALSE(std::filesystem::exists("results"));
}

TEST_F(RunTest, SetChangesParameters) {
  EXPECT_EQ(call({"run", "7", "--set=gain=2", "--set=late=4"}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("changed   gain = 2   late = 4"),
                          HasSubstr("--set=gain=2 --set=late=4")));
}

TEST_F(RunTest, ClaimShowsOnlyTheStepsItNeeds) {
  EXPECT_EQ(call({"run", "7", "--claim=F1"}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("1 earlier step computed, not shown\n"), HasSubstr("Doubling"),
                          Not(HasSubstr("Tripling")), HasSubstr("1 of 1 decided   exit 0"),
                          HasSubstr("--claim=F1")));
}

TEST_F(RunTest, AnUnreadableLedgerIsExitFourAndIsNotOverwritten) {
  std::filesystem::create_directory("results");
  std::ofstream("results/ledger.json") << "not json";
  EXPECT_EQ(call({"run", "7"}), 4);
  EXPECT_THAT(err_, HasSubstr("results/ledger.json: the file: "));
  EXPECT_EQ(file("results/ledger.json"), "not json");
  EXPECT_EQ(call({"run", "7", "--break=double"}), 0) << "it does not look at the ledger";
}

TEST_F(RunTest, JsonToStdoutIsAlone) {
  EXPECT_EQ(call({"run", "7", "--json=-"}), 0);
  const json record = json::parse(out_);
  EXPECT_EQ(record.at("complete"), true);
  EXPECT_EQ(record.at("claims").at(0).at("verdict"), "REPRODUCED");
  EXPECT_THAT(err_, HasSubstr("step 1 of 3"));
}

TEST_F(RunTest, JsonToAFileLeavesStdoutToTheSteps) {
  EXPECT_EQ(call({"run", "7", "--json=run.json"}), 0);
  EXPECT_EQ(json::parse(file("run.json")).at("steps").size(), 3U);
  EXPECT_THAT(out_, HasSubstr("step 1 of 3"));
  EXPECT_EQ(call({"run", "7", "--json=none/run.json"}), 4);
  EXPECT_THAT(err_, HasSubstr("to write none/run.json: No such file or directory"));
}

TEST_F(RunTest, QuitSkipsTheRestAndIsExitZero) {
  typed_ = {"", "q"};
  EXPECT_EQ(call({"run", "7", "--step", "--json=run.json"}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("SKIPPED"), HasSubstr("left with q"),
                          HasSubstr("1 of 2 decided   exit 0")));
  EXPECT_EQ(json::parse(file("run.json")).at("complete"), false);
}

TEST_F(RunTest, QuitBeforeAnyCheckIsExitZero) {
  typed_ = {"q"};
  EXPECT_EQ(call({"run", "7", "--step"}), 0);
}

TEST_F(RunTest, AnInterruptStopsBetweenSteps) {
  signal_ = 2;
  signal_after_ = 1;
  EXPECT_EQ(call({"run", "7", "--json=run.json"}), 130);
  EXPECT_THAT(out_, AllOf(HasSubstr("step 1 of 3"), Not(HasSubstr("step 2 of 3"))));
  EXPECT_EQ(json::parse(file("run.json")).at("complete"), false);
  signal_ = 15;
  signal_after_ = 1;
  EXPECT_EQ(call({"run", "7"}), 143);
}

TEST_F(RunTest, SevenBitAndWidthReachTheSteps) {
  EXPECT_EQ(call({"run", "7", "--ascii", "--width=60"}), 0);
  for (const char c : out_) ASSERT_LT(static_cast<unsigned char>(c), 0x80);
  EXPECT_THAT(out_, Not(HasSubstr("\x1b")));
  EXPECT_EQ(call({"run", "7", "--color=always"}), 0);
  EXPECT_THAT(out_, HasSubstr("\x1b["));
}

TEST_F(RunTest, ThreadsDoNotChangeTheOutput) {
  EXPECT_EQ(call({"run", "7", "--threads=1"}), 0);
  const std::string one = out_;
  EXPECT_EQ(call({"run", "7", "--threads=2"}), 0);
  EXPECT_EQ(out_, one);
}

TEST_F(RunTest, AFaultOfOursIsExitSixAndNamesTheStep) {
  EXPECT_EQ(call({"run", "7", "--set=late=9"}), 0);
  const course::LessonFactory broken = [] {
    course::Lesson lesson = test::fake_lesson();
    lesson.step("Broken", [](course::Step&) { throw std::logic_error("it cannot be"); });
    return lesson;
  };
  course::Console console;
  std::string written;
  console.out = [](std::string_view) {};
  console.err = [&](std::string_view text) { written += text; };
  console.variable = [](const char*) { return std::string(); };
  console.interrupted = [] { return 0; };
  const course::Catalogue catalogue = test::fake_catalogue();
  const Context context{console, catalogue, {broken}, false};
  EXPECT_EQ(dispatch(context, {"run", "7"}), course::Exit::kInternal);
  EXPECT_EQ(written, "lesson 7, step 4: internal error: it cannot be\n");
}

TEST_F(RunTest, HelpListsParametersBreaksAndTensors) {
  EXPECT_EQ(call({"run", "7", "--help"}), 0);
  EXPECT_THAT(out_,
              AllOf(HasSubstr("--set=gain=VALUE"), HasSubstr("a factor; 1 in [0, 10]; 0.5 under"),
                    HasSubstr("--break=double"), HasSubstr("one is counted twice; flips F1"),
                    HasSubstr("x[2]  W[2,2]  y[2]  dx[2]"), HasSubstr("--seed=S")));
  EXPECT_FALSE(std::filesystem::exists("results"));
}

TEST_F(RunTest, ALessonsOwnExecutableTakesTheOptionsOfRun) {
  EXPECT_EQ(call({"--claim=F1"}, {}, /*single=*/true), 0);
  EXPECT_THAT(out_, HasSubstr("again: lesson_07_fake --claim=F1"));
  EXPECT_EQ(call({"7"}, {}, /*single=*/true), 2);
  EXPECT_EQ(err_, "lesson_07_fake: expected options only, got '7'\nsee: lesson_07_fake --help\n");
}

TEST_F(RunTest, FromStartsAtAStep) {
  EXPECT_EQ(call({"run", "7", "--from=3"}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("2 earlier steps computed, not shown\n"), HasSubstr("Tripling"),
                          Not(HasSubstr("Doubling")), HasSubstr("before step 3"),
                          HasSubstr("--seed=1 --full --from=3")));
  EXPECT_EQ(call({"run", "7", "--from=3"}, {.stand_alone = true}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("step 3 of 3"), Not(HasSubstr("not shown"))));
}

TEST_F(RunTest, PredictAsksAndCounts) {
  typed_ = {"2"};
  EXPECT_EQ(call({"run", "7", "--predict", "--json=run.json"}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("> 2   right"), HasSubstr("1 of 1 guesses right")));
  const json record = json::parse(file("run.json"));
  EXPECT_EQ(record.at("steps").at(1).at("prediction").at("guess"), 1);
  EXPECT_EQ(record.at("steps").at(1).at("prediction").at("right"), 1);
  typed_ = {"1"};
  EXPECT_EQ(call({"run", "7", "--predict"}), 0) << "a wrong guess is no failure";
  EXPECT_THAT(out_, HasSubstr("0 of 1 guesses right"));
  EXPECT_EQ(call({"run", "7"}), 0);
  EXPECT_THAT(out_, AllOf(Not(HasSubstr("guesses")), Not(HasSubstr("Twice one?"))));
}

TEST_F(RunTest, SeedsCountHowOftenAClaimHolds) {
  EXPECT_EQ(call({"run", "7", "--seed=4", "--seeds=3"}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("F1     REPRODUCED  3 of 3"), HasSubstr("3 of 3 runs   exit 0"),
                          HasSubstr("--seed=4 --full --seeds=3"), Not(HasSubstr("step 1 of 3"))));
  const json f1 = json::parse(file("results/ledger.json")).at("claims").at(0);
  EXPECT_EQ(f1.at("seeds"), 9) << "three runs of a claim that takes three seeds";
  EXPECT_EQ(f1.at("repeat"), "./gradwalk run 7 --claim=F1 --seed=4 --full --seeds=3");

  EXPECT_EQ(call({"run", "7", "--seed=4", "--seeds=3"}, {.bad_seed = 5}), 1);
  EXPECT_THAT(out_, AllOf(HasSubstr("2 of 3"), HasSubstr("5: CHANGED")));
  const json kept = json::parse(file("results/ledger.json")).at("claims").at(0);
  EXPECT_EQ(kept.at("verdict"), "CHANGED") << "the ledger keeps the seed that came out otherwise";
  EXPECT_EQ(kept.at("seed"), 5);
}

TEST_F(RunTest, SeedsWithABreakCountFlips) {
  EXPECT_EQ(call({"run", "7", "--break=double", "--seeds=2"}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("as it must"), HasSubstr("2 of 2")));
  EXPECT_EQ(call({"run", "7", "--break=double", "--seeds=2"}, {.double_works = false}), 1);
  EXPECT_FALSE(std::filesystem::exists("results"));
}

TEST_F(RunTest, SweepShowsWhatChanges) {
  EXPECT_EQ(call({"run", "7", "--sweep=gain=1:8:x2", "--json=run.json"}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("sweep of gain"), HasSubstr("step 1: gain"),
                          Not(HasSubstr("the number")), HasSubstr("REPRODUCED"),
                          HasSubstr("4 of 4 runs   exit 0"), HasSubstr("--sweep=gain=1:8:x2")));
  EXPECT_EQ(json::parse(file("run.json")).at("steps").size(), 12U);
  EXPECT_FALSE(std::filesystem::exists("results"));
  EXPECT_EQ(call({"run", "7", "--sweep=late=1:9:+4"}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("1  5  9"), HasSubstr("3 of 3 runs")));
}

TEST_F(RunTest, ASweepShowsOutcomesAndDoesNotJudgeThem) {
  EXPECT_EQ(call({"run", "7", "--sweep=gain=1:2:+1"}, {.f1_holds = false}), 0);
  EXPECT_THAT(out_, HasSubstr("CHANGED"));
  EXPECT_EQ(call({"run", "7", "--sweep=gain=1:2:+1"}, {.number = std::nan("")}), 5);
}

TEST_F(RunTest, ManyRunsShowNoSteps) {
  EXPECT_EQ(call({"run", "7", "--seeds=2", "--step"}), 2);
  EXPECT_EQ(err_,
            "gradwalk run: --seeds shows no steps, so --step has no place\nsee: ./gradwalk help\n");
  EXPECT_EQ(call({"run", "7", "--sweep=gain=1:2:x2", "--from=2"}), 2);
  EXPECT_EQ(call({"run", "7", "--sweep=gain=1:2:x2", "--seeds=2"}), 2);
  EXPECT_EQ(err_, "gradwalk run: --seeds and --sweep exclude each other\nsee: ./gradwalk help\n");
  EXPECT_EQ(call({"run", "7", "--sweep=gain=1:2:x2", "--set=gain=2"}), 2);
  EXPECT_EQ(err_, "gradwalk run: --sweep and --set both say gain\nsee: ./gradwalk help\n");
}

TEST_F(RunTest, AnInterruptEndsManyRunsWithAPartialRecord) {
  signal_ = 2;
  signal_after_ = 2;
  EXPECT_EQ(call({"run", "7", "--seeds=5", "--json=run.json"}), 130);
  EXPECT_EQ(json::parse(file("run.json")).at("complete"), false);
  EXPECT_FALSE(std::filesystem::exists("results/ledger.json"));
}

}  // namespace
}  // namespace gradwalk::commands
