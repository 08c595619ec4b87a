#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "lessons/course/engine/outcome.h"
#include "lessons/course/engine/session.h"
#include "lessons/course/terminal/render_step.h"

namespace gradwalk::lesson_template {

course::Lesson lesson();

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kCatalogue = R"({
  "schema": 1,
  "articles": {"000": "A textbook"},
  "lessons": [{"lesson": 0, "about": "what a sum of random numbers spreads over"}],
  "claims": [
    {"id": "T1", "article": "000", "section": "1", "lesson": 0, "verdict": "REPRODUCED",
     "statement": "The variance of a sum of n independent numbers is n times that of one.",
     "control": "one-draw"}
  ],
  "breaks": [{"lesson": 0, "name": "one-draw", "flips": ["T1"]}]
})";

class Template : public testing::Test {
 protected:
  course::RunRecord run(course::Settings settings) const {
    course::Session session(lesson, catalogue_, std::move(settings));
    while (!session.done()) session.advance();
    session.finish("");
    return session.record();
  }

  const course::Catalogue catalogue_ = course::parse_catalogue(kCatalogue);
};

TEST_F(Template, HasOneClaimThatHoldsAndAControlThatFlipsIt) {
  for (const bool quick : {true, false}) {
    const course::RunRecord record = run({.quick = quick});
    const auto claims = course::claims_of(record);
    ASSERT_EQ(claims.size(), 1u);
    EXPECT_EQ(claims[0]->verdict, course::Verdict::kReproduced) << claims[0]->found;
    EXPECT_TRUE(claims[0]->control.flipped) << claims[0]->control.found;
    EXPECT_EQ(course::exit_of(record, catalogue_), course::Exit::kOk);
  }
}

TEST_F(Template, ComesOutOtherwiseWithItsBreakOn) {
  const course::RunRecord record = run({.quick = true, .breaks = {"one-draw"}});
  EXPECT_TRUE(course::flipped(*course::claims_of(record).at(0)));
  EXPECT_EQ(course::exit_of(record, catalogue_), course::Exit::kOk);
}

// Five standard errors: a bound that one seed in twenty missed would teach a bad habit.
TEST_F(Template, HoldsForManySeeds) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const course::RunRecord record = run({.seed = seed, .quick = true});
    EXPECT_EQ(course::exit_of(record, catalogue_), course::Exit::kOk)
        << seed << ": " << course::claims_of(record).at(0)->found;
  }
}

TEST_F(Template, ShowsEachPartOfAPageInOrder) {
  const course::Display display;
  const std::string page =
      paint(render_step(run({.quick = true}), 0, catalogue_, display), display);
  std::size_t last = 0;
  for (const char* part :
       {"\n  formula   ", "\n  numbers   ", "x[3,16]  s[3] f64", "\n  picture   ", "\n  check     ",
        "T1", "REPRODUCED", "\n  why       ", "\n  try       "}) {
    const std::size_t at = page.find(part, last);
    ASSERT_NE(at, std::string::npos) << part << "\n" << page;
    last = at;
  }
}

TEST_F(Template, ExplainsEveryElementAndAsksForAGuess) {
  const course::RunRecord record = run({.quick = true});
  EXPECT_THAT(course::verify_explanations(record), IsEmpty());
  const auto& prediction = record.steps.at(0)->prediction;
  ASSERT_TRUE(prediction.has_value());
  EXPECT_EQ(prediction->choices.at(prediction->right), "16");
}

TEST_F(Template, TriesItsOwnBreaksAndParameters) {
  const std::string run_it = "./gradwalk run " + std::to_string(lesson().number());
  EXPECT_THAT(run({.quick = true}).steps.at(0)->tries,
              ElementsAre(run_it + " --break=" + lesson().breaks().at(0).name,
                          run_it + " --set=" + lesson().parameters().at(0).name + "=1024"));
  const course::RunRecord smallest = run({.set = {{"sums", 1024}}});
  EXPECT_EQ(course::exit_of(smallest, catalogue_), course::Exit::kOk);
}

TEST_F(Template, HasUnderEightyLines) {
  std::ptrdiff_t files = 0, lines = 0;
  const std::filesystem::path folder =
      std::filesystem::path(GRADWALK_SOURCE_DIR) / "lessons" / "template";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    ++files;
    lines += std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  }
  EXPECT_EQ(files, 2) << "a lesson and its step";
  EXPECT_GT(lines, 0);
  EXPECT_LT(lines, 80);
}

}  // namespace
}  // namespace gradwalk::lesson_template
