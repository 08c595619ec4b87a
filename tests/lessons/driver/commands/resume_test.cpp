#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "lessons/course/text/file_content.h"
#include "lessons/driver/commands/command_fixture.h"

namespace gradwalk::commands {
namespace {

using course::file_content;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kKept = "results/interrupted-7.json";
const std::string kResume = "--resume=" + kKept;

class ResumeTest : public test::CommandTest {
 protected:
  // The exit code of a run that a signal stops when it has been asked for so often.
  int interrupted(std::vector<std::string> words, int after, const test::Fake& fake = {}) {
    signal_ = 2;
    signal_after_ = after;
    const int code = call(words, fake);
    signal_ = 0;
    return code;
  }
  void change(const char* pointer, const json& value) const {
    json document = json::parse(file_content(kKept));
    document.at(json::json_pointer(pointer)) = value;
    std::ofstream(kKept) << document;
  }
  // A record without times.
  static json timeless(json value) {
    if (value.is_object()) value.erase("seconds");
    if (value.is_structured()) {
      for (json& part : value) part = timeless(part);
    }
    return value;
  }
};

TEST_F(ResumeTest, AnInterruptedRunIsKeptAndGoesOnToTheSameRecord) {
  for (const bool alone : {false, true}) {
    const test::Fake fake = {.stand_alone = alone};
    EXPECT_EQ(call({"run", "7", "--seed=4", "--json=whole.json"}, fake), 0);
    EXPECT_FALSE(std::filesystem::exists(kKept));
    EXPECT_EQ(interrupted({"run", "7", "--seed=4"}, 2, fake), 130);
    EXPECT_THAT(out_, HasSubstr("again: ./gradwalk run 7 --seed=4 --full\n"
                                "to go on: ./gradwalk run 7 " +
                                kResume + "\n"));
    EXPECT_EQ(json::parse(file_content(kKept)).at("complete"), false);

    EXPECT_EQ(call({"run", "7", kResume, "--json=resumed.json"}, fake), 0) << err_;
    EXPECT_THAT(out_, AllOf(HasSubstr("Lesson 7: 2 of 3 steps are taken over from " + kKept + "\n"),
                            Not(HasSubstr("step 2 of 3")), HasSubstr("step 3 of 3"),
                            HasSubstr("2 of 2 decided   exit 0"), HasSubstr("--seed=4 --full")));
    EXPECT_EQ(timeless(json::parse(file_content("resumed.json"))),
              timeless(json::parse(file_content("whole.json"))));
    std::filesystem::remove_all("results");
  }
}

TEST_F(ResumeTest, AStopBeforeAnythingNewKeepsWhatWasThere) {
  EXPECT_EQ(interrupted({"run", "7"}, 2), 130);
  EXPECT_EQ(interrupted({"run", "7", kResume}, 0), 130);
  EXPECT_EQ(json::parse(file_content(kKept)).at("steps").size(), 2U);
  EXPECT_EQ(call({"run", "7", kResume}), 0);
  EXPECT_THAT(out_, HasSubstr("2 of 3 steps are taken over"));
}

TEST_F(ResumeTest, OptionsComeFromTheFile) {
  EXPECT_EQ(interrupted({"run", "7", "--quick", "--set=gain=2,late=4", "--from=2"}, 1), 130);
  EXPECT_EQ(call({"run", "7", "--quick", "--set=late=4,gain=2", kResume}), 0)
      << "the same again: " << err_;
  EXPECT_EQ(call({"run", "7", kResume}), 0) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("gain = 2   late = 4"), Not(HasSubstr("step 1 of 3")),
                          HasSubstr("--quick --set=gain=2 --set=late=4 --from=2")));
  EXPECT_EQ(interrupted({"run", "7", "--claim=F2", "--break=hush"}, 1, {.stand_alone = true}), 130);
  EXPECT_EQ(call({"run", "7", kResume}, {.stand_alone = true}), 0) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("FLIPPED"), Not(HasSubstr("Doubling"))));
}

TEST_F(ResumeTest, WhatWasChangedInAStepStaysChanged) {
  typed_ = {"s gain=4", ""};
  EXPECT_EQ(interrupted({"run", "7", "--step"}, 1), 130);
  EXPECT_THAT(out_, HasSubstr("to go on: ./gradwalk run 7 --step " + kResume));
  typed_ = {"b", "t y", "c y[0]"};
  EXPECT_EQ(call({"run", "7", "--step", kResume}), 0) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("changed   gain = 4"), HasSubstr("> t y\n  y [2]"),
                          HasSubstr("y[0] = 5   from a record")));
}

TEST_F(ResumeTest, SeedsAndSweepsGoOnToo) {
  for (const char* many : {"--seeds=3", "--sweep=gain=1:4:x2"}) {
    EXPECT_EQ(call({"run", "7", many, "--json=whole.json"}), 0);
    const std::string whole = out_;
    EXPECT_EQ(interrupted({"run", "7", many}, 6), 130);
    EXPECT_THAT(out_, HasSubstr("to go on: ./gradwalk run 7 " + kResume));
    EXPECT_EQ(json::parse(file_content(kKept)).at("steps").size(), 4U);
    EXPECT_EQ(call({"run", "7", kResume, "--json=resumed.json"}), 0) << err_;
    EXPECT_EQ(out_, whole);
    EXPECT_EQ(timeless(json::parse(file_content("resumed.json"))),
              timeless(json::parse(file_content("whole.json"))));
  }
}

TEST_F(ResumeTest, AFileOfAnotherRunIsExitFour) {
  EXPECT_EQ(interrupted({"run", "7", "--set=gain=2"}, 1), 130);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"--seed=2", "--seed=1, not --seed=2"},
      {"--quick", "--full, not --quick"},
      {"--set=gain=3", "--set=gain=2, not --set=gain=3"},
      {"--set=late=3", "--set=gain=2, not --set=late=3"},
      {"--break=double", "no --break, not --break=double"},
      {"--claim=F1", "no --claim, not --claim=F1"},
      {"--from=2", "--from=1, not --from=2"},
      {"--seeds=2", "--seeds=1, not --seeds=2"},
  };
  for (const auto& [option, text] : cases) {
    EXPECT_EQ(call({"run", "7", kResume, option}), 4) << option;
    EXPECT_EQ(err_, kKept + ": its run has " + text + "\n");
    EXPECT_EQ(out_, "");
  }
  change("/asked/lessons", "5,7");
  EXPECT_EQ(call({"run", "7", kResume}), 4);
  EXPECT_EQ(err_, kKept + ": its run is of lessons 5,7, not 7\n");
  change("/asked/lessons", "7");
  change("/steps/0/title", "Letters");
  EXPECT_EQ(call({"run", "7", kResume}), 4);
  EXPECT_EQ(err_, kKept + ": lesson 7, step 1: expected 'Numbers', got 'Letters'\n");
  change("/complete", true);
  EXPECT_EQ(call({"run", "7", kResume}), 4);
  EXPECT_EQ(err_, kKept + ": its run is complete, nothing is left to do\n");
  change("/environment/build_id", "0123456789abcdef");
  EXPECT_EQ(call({"run", "7", kResume}), 4);
  EXPECT_THAT(err_, AllOf(HasSubstr(kKept + ": its run is of build 0123456789ab, this is build "),
                          HasSubstr(": start anew, without --resume\n")));
}

TEST_F(ResumeTest, AnUnreadableFileIsExitFour) {
  EXPECT_EQ(call({"run", "7", "--resume=none.json"}), 4);
  EXPECT_EQ(err_, "none.json: cannot be read: No such file or directory\n");
  EXPECT_EQ(call({"run", "7", "--resume=."}), 4);
  EXPECT_EQ(err_, ".: cannot be read: Is a directory\n");
  std::ofstream("text.json") << "{\"schema\": 1";
  EXPECT_EQ(call({"run", "7", "--resume=text.json"}), 4);
  EXPECT_THAT(err_, HasSubstr("text.json: the file: parse error"));
}

TEST_F(ResumeTest, ARunThatCannotBeKeptSaysSo) {
  std::ofstream("results") << "a file where the folder should be";
  EXPECT_EQ(interrupted({"run", "7", "--set=gain=2"}, 1), 130);
  EXPECT_THAT(err_, AllOf(HasSubstr(kKept), HasSubstr("; this run cannot be resumed\n")));
  EXPECT_THAT(out_, Not(HasSubstr("to go on")));
}

TEST_F(ResumeTest, ASignalBehindTheLastStepComesTooLate) {
  EXPECT_EQ(interrupted({"run", "7"}, 3), 0);
  EXPECT_THAT(out_, Not(HasSubstr("to go on")));
}

}  // namespace
}  // namespace gradwalk::commands
