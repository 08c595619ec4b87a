#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "lessons/driver/commands/command_fixture.h"

namespace gradwalk::commands {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using ListTest = test::CommandTest;
using ClaimsTest = test::CommandTest;
using DispatchTest = test::CommandTest;

TEST_F(ListTest, ShowsLessonsWithClaimsAndLastVerdicts) {
  EXPECT_EQ(call({"list"}), 0);
  EXPECT_EQ(out_,
            "#   title          claims  seconds  last verdicts\n"
            "07  A fake lesson  F1 F2   -        not run yet\n");
  call({"run", "7"});
  EXPECT_EQ(call({"list"}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("F1 REPRODUCED, F2 CORRECTED"), HasSubstr("0.0")));
}

TEST_F(ListTest, PageHasTheClaimsOfTheLedgerByVerdict) {
  const std::string head = "| lesson | about | claims |\n|---|---|---|\n";
  EXPECT_EQ(call({"list", "--page"}), 0);
  EXPECT_EQ(out_, head + "| 07 fake | doubling by hand | not run yet F1 F2 |\n");
  call({"run", "7"});
  call({"list", "--page"});
  EXPECT_EQ(out_, head + "| 07 fake | doubling by hand | REPRODUCED F1, CORRECTED F2 |\n");
  call({"run", "7"}, {.f1_holds = false});
  call({"list", "--page"});
  EXPECT_EQ(out_, head + "| 07 fake | doubling by hand | CHANGED F1, CORRECTED F2 |\n");
}

TEST_F(ListTest, TakesNoWords) {
  EXPECT_EQ(call({"list", "7"}), 2);
  EXPECT_EQ(err_, "gradwalk list: expected options only, got '7'\nsee: ./gradwalk help\n");
}

TEST_F(ClaimsTest, NothingWasRunIsUndecided) {
  EXPECT_EQ(call({"claims"}), 3);
  EXPECT_THAT(out_, AllOf(HasSubstr("SKIPPED"), HasSubstr("not run yet"),
                          HasSubstr("0 of 2 decided   exit 3   results/ledger.json\n")));
}

TEST_F(ClaimsTest, ShowsTheLedgerByTheSameRules) {
  call({"run", "7"});
  EXPECT_EQ(call({"claims"}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("REPRODUCED"), HasSubstr("2 of 2 decided   exit 0")));
  call({"run", "7"}, {.f1_holds = false});
  EXPECT_EQ(call({"claims"}), 1);
  EXPECT_THAT(out_, HasSubstr("CHANGED"));
  call({"run", "7"}, {.cases = 0});
  EXPECT_EQ(call({"claims"}), 3);
}

TEST_F(ClaimsTest, ShowsOneClaimWithEvidenceAndRepeat) {
  call({"run", "7"});
  EXPECT_EQ(call({"claims", "F1"}), 0);
  EXPECT_THAT(out_,
              AllOf(HasSubstr("F1  REPRODUCED\n"), HasSubstr("\"Two is twice one.\""),
                    HasSubstr("article 900, section 1: On doubling"), HasSubstr("2 in [1.9, 2.1]"),
                    HasSubstr("double: flips (got 4)"), HasSubstr("tensor, 3 seeds, 2 cases"),
                    HasSubstr("./gradwalk run 7 --claim=F1 --seed=1 --full")));
}

TEST_F(ClaimsTest, AClaimNeverRunSaysHowToRunIt) {
  EXPECT_EQ(call({"claims", "F2"}), 3);
  EXPECT_THAT(out_, AllOf(HasSubstr("F2  NOT RUN YET"), HasSubstr("./gradwalk run 7 --claim=F2")));
}

TEST_F(ClaimsTest, AnUnknownClaimGetsTheNearest) {
  EXPECT_EQ(call({"claims", "F9"}), 2);
  EXPECT_EQ(err_, "gradwalk claims: unknown claim 'F9', nearest: F1\nsee: ./gradwalk help\n");
}

TEST_F(ClaimsTest, JsonIsAlone) {
  call({"run", "7"});
  EXPECT_EQ(call({"claims", "--json=-"}), 0);
  const json document = json::parse(out_);
  EXPECT_EQ(document.at("schema"), 1);
  EXPECT_EQ(document.at("claims").size(), 2U);
  EXPECT_EQ(err_, "");
}

TEST_F(ClaimsTest, AnUnreadableLedgerIsExitFour) {
  std::filesystem::create_directory("results");
  std::ofstream("results/ledger.json") << "[]";
  EXPECT_EQ(call({"claims"}), 4);
  EXPECT_EQ(
      err_,
      "results/ledger.json: the file: expected an object with \"schema\"; it was left as it is: "
      "move it away, and the next run starts a new one\n");
}

TEST_F(DispatchTest, HelpAndVersion) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"help"}, {"--help"}, {"-h"}, {"help", "help"}}) {
    EXPECT_EQ(call(words), 0);
    EXPECT_THAT(out_, HasSubstr("./gradwalk run 4 --step"));
  }
  EXPECT_EQ(call({"help", "run"}), 0);
  EXPECT_THAT(out_, HasSubstr("--break=NAME"));
  EXPECT_EQ(call({"help", "claims"}), 0);
  EXPECT_THAT(out_, HasSubstr("--json=FILE|-"));
  EXPECT_EQ(call({"version"}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("gradwalk "), HasSubstr("build id ")));
}

TEST_F(DispatchTest, HelpExplainsAWord) {
  EXPECT_EQ(call({"help", "KV", "caches"}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("KV cache  (cache)\n  Keys and values of all tokens so far"),
                          HasSubstr("\n  formula   2 x layers"), HasSubstr("\n  see also  key, "),
                          Not(HasSubstr("run 10"))))
      << "lesson 10 is not in this driver";
  EXPECT_EQ(call({"help", "words"}), 0);
  EXPECT_THAT(out_,
              AllOf(HasSubstr("ablation,  AdamW,  alignment"), HasSubstr("./gradwalk help WORD")));
  EXPECT_EQ(call({"help", "words", "--page"}), 0);
  EXPECT_THAT(out_, HasSubstr("# Glossary\n"));
  EXPECT_EQ(call({"help", "words", "all"}), 2);
  EXPECT_EQ(err_, "gradwalk help: help words: expected --page, got 'all'\nsee: ./gradwalk help\n");
  EXPECT_EQ(call({"help", "softmix"}), 2);
  EXPECT_THAT(err_, HasSubstr("unknown word or verb 'softmix', nearest: softmax"));
}

TEST_F(DispatchTest, AnUnknownVerbGetsTheNearest) {
  EXPECT_EQ(call({"runn", "7"}), 2);
  EXPECT_EQ(err_, "gradwalk runn: unknown verb 'runn', nearest: run\nsee: ./gradwalk help\n");
}

}  // namespace
}  // namespace gradwalk::commands
