#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "lessons/course/engine/session.h"
#include "lessons/course/terminal/render_claims.h"
#include "lessons/course/terminal/render_step.h"
#include "lessons/fake_lesson.h"

namespace gradwalk::course {
namespace {

using testing::HasSubstr;
using testing::Not;

class RenderTest : public testing::Test {
 protected:
  RunRecord run(const test::Fake& fake = {}, Settings settings = {}) const {
    Session session(test::fake_factory(fake), catalogue_, std::move(settings));
    while (!session.done()) session.advance();
    session.finish("");
    return session.record();
  }
  std::string step(const RunRecord& record, std::size_t at, Display display = {}) const {
    return paint(render_step(record, at, catalogue_, display), display);
  }
  std::string claims(const RunRecord& record, int width = 100) const {
    std::vector<LedgerRow> rows;
    for (const ClaimRecord* claim : claims_of(record)) rows.push_back({claim, &record});
    return paint(render_ledger(rows, catalogue_, width), {});
  }

  const Catalogue catalogue_ = test::fake_catalogue();
};

TEST_F(RenderTest, TheSixPartsStandInOrder) {
  const std::string text = step(run(), 0);
  std::size_t last = 0;
  for (const char* part :
       {"Lesson 7  A fake lesson", "Numbers", "\n  formula   ", "\n  numbers   ", "\n  picture   ",
        "\n  check     ", "\n  why       ", "\n  try       "}) {
    const std::size_t at = text.find(part, last);
    ASSERT_NE(at, std::string::npos) << part << "\n" << text;
    last = at;
  }
  EXPECT_THAT(text, HasSubstr("step 1 of 3   seed 1\n"));
  EXPECT_THAT(text, HasSubstr("x[2]  W[2,2]  y[2]  dx[2] f64"));
}

TEST_F(RenderTest, NoLineIsWiderThanTheDisplay) {
  const RunRecord record = run();
  for (const bool ascii : {false, true}) {
    for (int width = 60; width <= 160; ++width) {
      for (std::size_t at = 0; at < record.steps.size(); ++at) {
        std::istringstream lines(step(record, at, {width, false, ascii}));
        for (std::string line; std::getline(lines, line);) {
          ASSERT_LE(display_width(line), width) << line;
        }
      }
      std::istringstream lines(claims(record, width));
      for (std::string line; std::getline(lines, line);) ASSERT_LE(display_width(line), width);
    }
  }
}

TEST_F(RenderTest, AsciiIsSevenBitAndColourIsOnlyWhereItIsWanted) {
  const RunRecord record = run();
  for (std::size_t at = 0; at < record.steps.size(); ++at) {
    const std::string plain = step(record, at, {80, false, true});
    for (const char c : plain) ASSERT_LT(static_cast<unsigned char>(c), 0x80) << plain;
    EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
    EXPECT_THAT(step(record, at, {80, true, true}), HasSubstr("\x1b["));
  }
}

TEST_F(RenderTest, ColourAddsNothingButEscapes) {
  const RunRecord record = run();
  std::string colored = step(record, 2, {80, true, false});
  for (std::size_t at; (at = colored.find('\x1b')) != std::string::npos;) {
    colored.erase(at, colored.find('m', at) - at + 1);
  }
  EXPECT_EQ(colored, step(record, 2, {80, false, false}));
}

TEST_F(RenderTest, AClaimSaysWhatWasFoundAndHowItsControlFared) {
  const std::string text = step(run(), 1);
  EXPECT_THAT(text, HasSubstr("F1  REPRODUCED  \"Two is twice one.\""));
  EXPECT_THAT(text, HasSubstr("as stated it holds, our statement holds"));
  EXPECT_THAT(text, HasSubstr("found got 2; expected 2 (exact); tensor, 3 seeds, 2 cases"));
  EXPECT_THAT(text, HasSubstr("control double: flips, as it must (got 4)"));
}

TEST_F(RenderTest, AChangedClaimNamesBothOutcomes) {
  const std::string text = step(run({.f1_holds = false}), 1, {120, false, false});
  EXPECT_THAT(text, HasSubstr("F1  CHANGED"));
  EXPECT_THAT(
      text,
      HasSubstr("as stated it fails, our statement fails; the catalogue says REPRODUCED: as"));
}

TEST_F(RenderTest, AVacuousClaimSaysWhy) {
  EXPECT_THAT(step(run({.cases = 0}), 1), HasSubstr("no case was examined"));
  EXPECT_THAT(step(run({.double_works = false}), 1),
              HasSubstr("control double: does not flip, so the check proves nothing"));
}

TEST_F(RenderTest, WithABreakOnClaimsSayWhetherTheyFlip) {
  Settings settings;
  settings.breaks = {"double"};
  const std::string text = step(run({}, settings), 1);
  EXPECT_THAT(text, HasSubstr("changed   break double"));
  EXPECT_THAT(text, HasSubstr("F1  FLIPPED"));
  EXPECT_THAT(text, HasSubstr("with this break: flips, as it must"));
  EXPECT_THAT(step(run({}, settings), 2), HasSubstr("with this break: unchanged, as it must be"));
  EXPECT_THAT(step(run({.double_works = false}, settings), 1),
              HasSubstr("with this break: does not flip, but should"));
}

TEST_F(RenderTest, ChecksAndBadgesSayOkOrFailed) {
  EXPECT_THAT(step(run(), 0), HasSubstr("ok  one and one is two  (2)"));
  EXPECT_THAT(step(run({.check_ok = false}), 0), HasSubstr("FAILED  one and one is two  (2)"));
  EXPECT_THAT(step(run(), 0),
              HasSubstr("            gradients by central difference, step 1e-05, f64\n"
                        "            ok  dx[2]  2/2 entries, max rel 2e-09\n"));
  EXPECT_THAT(step(run({.number = std::nan("")}), 0),
              HasSubstr("FAILED  unexpected NaN or Inf in number the number: 1 of 1"));
}

TEST_F(RenderTest, AWideTableKeepsItsLastColumn) {
  StepRecord record;
  TableRecord table{"t", {}, {{"r", {}, ""}}, 0};
  for (int i = 0; i < 40; ++i) {
    table.columns.push_back("c" + std::to_string(i));
    table.rows[0].values.push_back(i);
  }
  record.numbers.emplace_back(table);
  const std::string text = paint(render_numbers(record, 40), {});
  EXPECT_THAT(text, HasSubstr("c0"));
  EXPECT_THAT(text, HasSubstr("...  c39"));
  EXPECT_THAT(text, Not(HasSubstr("c20")));
}

TEST_F(RenderTest, NotesThatDoNotFitGoBelow) {
  StepRecord record;
  record.numbers.emplace_back(NumberRecord{"n", 1, "a note of six words at most", -1});
  EXPECT_EQ(paint(render_numbers(record, 40), {}), "n  1    a note of six words at most\n");
  EXPECT_EQ(paint(render_numbers(record, 30), {}), "n  1\n    a note of six words at\n    most\n");
}

TEST_F(RenderTest, TheLedgerTableSumsUp) {
  const std::string text = claims(run());
  EXPECT_THAT(
      text,
      HasSubstr("claim  verdict     found          expected   evidence                  control\n"
                "F1     REPRODUCED  got 2          2          tensor, 3 seeds, 2 cases  double: "
                "got 4\n"));
  EXPECT_THAT(text, HasSubstr("hush: silence"));
}

TEST_F(RenderTest, AnElementIsAddedUpAgain) {
  const RunRecord record = run();
  EXPECT_EQ(paint(render_explanation(record, 0, "y", {1}, {}), {}),
            "  y[1] = sum_j W[1,j] x[j]\n"
            "    W[1,1] x[1]  4 * 2   = +8\n"
            "    W[1,0] x[0]  -3 * 1  = -3\n"
            "    sum                  = +5\n"
            "    recorded 5, difference 0\n");
  EXPECT_EQ(paint(render_explanation(record, 0, "x", {0}, {}), {}), "  x[0] = 1   an input\n");
}

TEST_F(RenderTest, ADisagreementIsPrintedAsSuch) {
  const RunRecord record = run({.recorded_y0 = 6});
  EXPECT_THAT(paint(render_explanation(record, 2, "y", {0}, {}), {}),
              HasSubstr("DISAGREES: recorded 6, explained 5"));
  EXPECT_THAT(
      verify_explanations(record),
      testing::ElementsAre("step 1: y[0] is recorded as 6, explained as 5 (sum_j W[0,j] x[j])"));
}

TEST_F(RenderTest, ManyTermsAreCutAndTheRestSummed) {
  StepRecord step;
  TensorRecord x;
  x.name = "x";
  x.dtype = "float64";
  x.shape = {20};
  for (int i = 0; i < 20; ++i) x.values.push_back(i);
  x.explain = Explain::given("counted");
  TensorRecord y;
  y.name = "y";
  y.dtype = "float64";
  y.values = {190};
  y.explain = Explain::contraction("i->", {"x"});
  step.tensors = {x, y};
  RunRecord record;
  record.steps.push_back(std::make_shared<const StepRecord>(step));
  const std::string text = paint(render_explanation(record, 0, "y", {}, {}), {});
  EXPECT_THAT(text, HasSubstr("    x[19]    =  +19\n    x[18]    =  +18\n"));
  EXPECT_THAT(text, HasSubstr("    12 more    =  +66\n    sum      = +190\n"));
}

}  // namespace
}  // namespace gradwalk::course
