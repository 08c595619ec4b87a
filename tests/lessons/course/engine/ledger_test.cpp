#include "lessons/course/engine/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lessons/course/engine/session.h"
#include "lessons/course/json/record.h"
#include "lessons/fake_lesson.h"

namespace gradwalk::course {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class LedgerTest : public testing::Test {
 protected:
  LedgerTest() {
    folder_ = std::filesystem::temp_directory_path() /
              ("gradwalk_ledger_" + std::to_string(getpid()) + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  ~LedgerTest() override { std::filesystem::remove_all(folder_); }

  RunRecord run(const test::Fake& fake = {}, Settings settings = {},
                std::set<std::string> asked = {}) const {
    Session session(test::fake_factory(fake), catalogue_, std::move(settings));
    session.ask_only(std::move(asked));
    while (!session.done()) session.advance();
    session.finish("");
    return session.record();
  }
  Environment here() const { return {"1.2.3", "GNU 12", "Release", "a CPU", 2, "abcdef", "AVX2"}; }
  std::filesystem::path path() const { return folder_ / "results" / "ledger.json"; }
  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path()).rdbuf();
    return text.str();
  }
  void put(const std::string& text) const {
    std::filesystem::create_directories(path().parent_path());
    std::ofstream(path()) << text;
  }

  std::filesystem::path folder_;
  const Catalogue catalogue_ = test::fake_catalogue();
};

TEST_F(LedgerTest, AnAbsentFileIsAnEmptyLedger) { EXPECT_TRUE(read_ledger(path()).claims.empty()); }

TEST_F(LedgerTest, SurvivesTheWayThroughTheFile) {
  Ledger ledger;
  ledger.update(run(), catalogue_, here());
  write_ledger(path(), ledger);
  const Ledger again = read_ledger(path());
  EXPECT_EQ(ledger_text(again), ledger_text(ledger));
  const LedgerRecord& record = again.claims.at("F1");
  EXPECT_EQ(record.claim.verdict, Verdict::kReproduced);
  EXPECT_EQ(record.claim.outcome(), (Outcome{Truth::kYes, Truth::kYes}));
  EXPECT_EQ(record.claim.value, 2);
  EXPECT_EQ(record.claim.interval_low, 1.9);
  EXPECT_TRUE(record.claim.control.flipped);
  EXPECT_EQ(record.claim.evidence, Evidence::kTensor);
  EXPECT_EQ(record.environment.build_id, "abcdef");
  EXPECT_EQ(record.repeat, "./gradwalk run 7 --claim=F1 --seed=1 --full");
  EXPECT_GT(again.lessons.at(7).seconds, 0);
}

TEST_F(LedgerTest, ARecordHasTheFieldsOfTheDesign) {
  const json document = json::parse(claims_json(ledger_records(run(), catalogue_, here())));
  EXPECT_EQ(document.at("schema"), 1);
  const json& claim = document.at("claims").at(0);
  for (const char* field :
       {"id",        "article", "section", "lesson", "statement", "verdict",  "expected_verdict",
        "as_stated", "right",   "control", "value",  "interval",  "expected", "tolerance",
        "evidence",  "cases",   "mode",    "seed",   "seeds",     "seconds",  "repeat"}) {
    EXPECT_TRUE(claim.contains(field)) << field;
  }
  EXPECT_EQ(claim.at("control").at("name"), "double");
  EXPECT_EQ(claim.at("control").at("flipped"), true);
  EXPECT_EQ(claim.at("interval"), json::array({1.9, 2.1}));
  EXPECT_EQ(claim.at("mode"), "full");
}

TEST_F(LedgerTest, KeepsTheNewestRecordAndNeverASkippedOne) {
  Ledger ledger;
  ledger.update(run(), catalogue_, here());
  Settings other;
  other.seed = 9;
  ledger.update(run({}, other, {"F2"}), catalogue_, here());
  EXPECT_EQ(ledger.claims.at("F1").seed, 1U);
  EXPECT_EQ(ledger.claims.at("F2").seed, 9U);
}

TEST_F(LedgerTest, NamesTheFaultOfAnUnreadableFileAndLeavesItAlone) {
  put("{\"schema\": 1, \"claims\": [{\"id\": 3}]}");
  EXPECT_THAT(
      [&] { read_ledger(path()); },
      ThrowsMessage<InputError>(testing::AllOf(
          HasSubstr(path().string() + ": claim 1 of the file: "),
          HasSubstr("it was left as it is: move it away, and the next run starts a new one"))));
  EXPECT_EQ(content(), "{\"schema\": 1, \"claims\": [{\"id\": 3}]}");
  put("");
  EXPECT_THROW(read_ledger(path()), InputError);
  put("{\"schema\": 2, \"claims\": []}");
  EXPECT_THAT([&] { read_ledger(path()); },
              ThrowsMessage<InputError>(HasSubstr("the file: expected schema 1, got 2")));
}

TEST_F(LedgerTest, RunJsonHoldsStepsAndSaysNanInWords) {
  const RunRecord record = run({.number = std::numeric_limits<double>::quiet_NaN()});
  const json document = json::parse(run_json({true, here(), {}, {record}}, catalogue_));
  EXPECT_EQ(document.at("schema"), 1);
  EXPECT_EQ(document.at("complete"), true);
  EXPECT_EQ(document.at("environment").at("simd"), "AVX2");
  EXPECT_EQ(document.at("claims").size(), 2U);
  const json& step = document.at("steps").at(0);
  EXPECT_EQ(step.at("lesson"), 7);
  EXPECT_EQ(step.at("numbers").at(1).at("value"), "NaN");
  EXPECT_EQ(step.at("tensors").at(1).at("shape"), json::array({2, 2}));
  EXPECT_EQ(step.at("tensors").at(1).at("values"), json::array({1, 2, -3, 4}));
  EXPECT_EQ(document.at("steps").at(2).at("pictures").at(0).at("kind"), "curves");
  for (const char* field :
       {"title", "formula", "numbers", "tensors", "pictures", "checks", "why", "try"}) {
    EXPECT_TRUE(step.contains(field)) << field;
  }
}

TEST_F(LedgerTest, RepeatNamesEveryOptionThatMatters) {
  Settings settings;
  settings.seed = 3;
  settings.quick = true;
  settings.breaks = {"double"};
  settings.set["gain"] = 0.1;
  EXPECT_EQ(repeat_options(run({}, settings)), " --seed=3 --quick --break=double --set=gain=0.1");
}

}  // namespace
}  // namespace gradwalk::course
