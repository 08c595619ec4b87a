#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "lessons/course/engine/session.h"
#include "lessons/course/json/record.h"
#include "lessons/course/json/step.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/course/pictures/heatmap.h"
#include "lessons/course/pictures/plane.h"
#include "lessons/course/pictures/scatter.h"
#include "lessons/course/terminal/render_step.h"
#include "lessons/fake_lesson.h"

namespace gradwalk::course {
namespace {

using nlohmann::json;
using testing::StartsWith;
using testing::ThrowsMessage;

class RunJson : public testing::Test {
 protected:
  RunRecord run(const test::Fake& fake = {}, std::set<std::string> asked = {}) const {
    Session session(test::fake_factory(fake), catalogue_, {.seed = 3, .set = {{"gain", 0.1}}});
    session.ask_only(std::move(asked));
    while (!session.done()) session.advance();
    session.guess(1, 2);
    session.finish("");
    return session.record();
  }
  std::string text(const std::vector<RunRecord>& runs) const {
    return run_json({false, environment_, {{"seed", "3"}}, runs}, catalogue_);
  }
  // The document with one value changed.
  std::string with(const char* pointer, const json& value) const {
    json document = json::parse(text({run()}));
    document.at(json::json_pointer(pointer)) = value;
    return document.dump();
  }

  const Catalogue catalogue_ = test::fake_catalogue();
  const Environment environment_ = {"1.2.3", "GNU 12", "Release", "a CPU", 2, "abcdef", "AVX2"};
};

TEST_F(RunJson, SurvivesTheWayThroughAFile) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double number : {1.0 / 3, std::nan(""), infinity, -infinity}) {
    const std::string written = text({run({.number = number}), run()});
    const SavedRuns read = parse_run_json(written);
    EXPECT_EQ(run_json(read, catalogue_), written);
    EXPECT_EQ(read.asked.at("seed"), "3");
    EXPECT_EQ(read.environment.build_id, "abcdef");
    ASSERT_EQ(read.runs.size(), 2U);
    EXPECT_EQ(read.runs[1].guesses.at(1), 2U);
    EXPECT_EQ(read.runs[1].steps[1]->claims[0].verdict, Verdict::kReproduced);
  }
}

TEST_F(RunJson, AStepThatWasReadIsDrawnAsBefore) {
  RunRecord record = run();
  record.not_run.clear();
  RunRecord read = parse_run_json(text({record})).runs[0];
  read.name = record.name;
  read.step_titles = record.step_titles;
  for (std::size_t at = 0; at < record.steps.size(); ++at) {
    EXPECT_EQ(paint(render_step(read, at, catalogue_, {}), {}),
              paint(render_step(record, at, catalogue_, {}), {}));
  }
}

TEST_F(RunJson, PicturesOfAllKindsAreReadAsTheyWereWritten) {
  auto step = std::make_shared<StepRecord>();
  Plane plane("plane", "x", "y");
  plane.arrow("q", 1, 2).point("p", -1, 0).path("way", {{0, 0}, {1, 1}});
  Scatter scatter("keys", "first", "second");
  scatter.point("3", 0.25, -1, 3).others("nouns", {{1, 2}, {3, 4}});
  Bars bars("bars", {"a", "b"});
  bars.group("one", {1, -2}).digits(2);
  Curves curves("curves", "update");
  curves.series("up", {0, 1}, {2, 4});
  step->pictures = {
      std::make_shared<Plane>(std::move(plane)), std::make_shared<Scatter>(std::move(scatter)),
      std::make_shared<Bars>(std::move(bars)), std::make_shared<Curves>(std::move(curves)),
      std::make_shared<Heatmap>("map", std::vector<std::string>{"W"})};
  RunRecord record = run();
  record.steps = {step};
  const StepRecord read = step_from_json(step_to_json(record, 0));
  ASSERT_EQ(read.pictures.size(), 5U);
  const auto& keys = dynamic_cast<const Scatter&>(*read.pictures[1]);
  EXPECT_EQ(keys.points.at(0).name, "3");
  EXPECT_EQ(keys.points.at(0).value, 3);
  RunRecord again = record;
  again.steps = {std::make_shared<StepRecord>(read)};
  EXPECT_EQ(step_to_json(again, 0), step_to_json(record, 0));
}

TEST_F(RunJson, SkippedStepsKeepTheirPlace) {
  const RunRecord read = parse_run_json(text({run({.stand_alone = true}, {"F1"})})).runs[0];
  ASSERT_EQ(read.steps.size(), 2U);
  EXPECT_TRUE(read.steps[0]->skipped);
  EXPECT_EQ(read.steps[1]->title, "Doubling");
}

TEST_F(RunJson, AnInconsistentTextIsRefused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "the file: parse error"},
      {"{}", "the file: expected an object with \"schema\""},
      {R"({"schema": 1, "claims": []})", "the file: key 'complete' not found"},
      {with("/schema", 2), "the file: expected schema 1, got 2"},
      {with("/runs/0/steps", 4), "step 4: fewer entries than \"runs\" says"},
      {with("/runs/0/claims", 3), "claim 3: fewer entries than \"runs\" says"},
      {with("/steps/1/step", 1), "step 2: step 1 is out of order"},
      {with("/steps/1/prediction/right", 3), "step 2: its right choice is none of the choices"},
      {with("/steps/1/prediction/guess", 3), "step 2: there is no choice 3"},
      {with("/steps/0/tensors/1/shape/0", 3),
       "step 1: tensor W: values or labels do not fit its shape"},
      {with("/steps/0/tensors/1/labels/0", {"first"}),
       "step 1: tensor W: values or labels do not fit its shape"},
      {with("/steps/1/numbers/0/rows/0/values", json::array()),
       "step 2: table 'counts': a row does not fit its columns"},
      {with("/steps/1/pictures/0/groups/0/values", json::array()),
       "step 2: bars 'twice': a group does not fit the series"},
      {with("/steps/1/pictures/0/kind", "pie"), "step 2: 'pie' is no kind of picture"},
      {with("/steps/2/pictures/0/series/0/x", json::array()),
       "step 3: curves 'count over time': x and y differ in length"},
      {with("/claims/0/verdict", "FINE"), "claim 1: 'FINE' is no verdict"},
  };
  for (const auto& [document, message] : cases) {
    const auto parse = [text = document] { parse_run_json(text); };
    EXPECT_THAT(parse, ThrowsMessage<std::runtime_error>(StartsWith(message)));
  }
}

}  // namespace
}  // namespace gradwalk::course
