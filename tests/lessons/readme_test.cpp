#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "lessons/course/engine/lesson_table.h"
#include "lessons/course/terminal/course_page.h"

namespace gradwalk::course {
namespace {

// As after a run of the whole course: each claim came out as the catalogue says (AllLessons and
// EveryLesson hold the lessons to that).
course::Ledger ledger_of(const course::Catalogue& catalogue) {
  course::Ledger ledger;
  for (const course::CatalogueClaim& claim : catalogue.claims) {
    course::ClaimRecord& record = ledger.claims[claim.id].claim;
    record.id = claim.id;
    record.cases = 1;
    record.as_stated = course::outcome_of(claim.verdict).as_stated;
    record.right = course::outcome_of(claim.verdict).right;
  }
  return ledger;
}

std::string document(const std::string& name) {
  std::ifstream file(std::string(GRADWALK_SOURCE_DIR) + "/" + name);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

// The claims that docs/verdicts.md has a rule for, "- **B21** ...", by the lesson of the heading
// above them.
std::map<int, std::vector<std::string>> rules_by_lesson() {
  std::map<int, std::vector<std::string>> rules;
  std::istringstream text(document("docs/verdicts.md"));
  int lesson = 0;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("## ")) {
      lesson = line.starts_with("## Lesson ") ? std::stoi(line.substr(10)) : 0;
    } else if (line.starts_with("- **") && lesson > 0) {
      rules[lesson].push_back(line.substr(4, line.find("**", 4) - 4));
    }
  }
  return rules;
}

TEST(Documents, IndexHasTheCoursesTableOfToday) {
  const course::Catalogue catalogue = course::parse_catalogue(course::catalogue_json());
  const auto table = lesson_table();
  const std::string page =
      course::course_page({table.begin(), table.end()}, catalogue, ledger_of(catalogue));
  EXPECT_NE(document("docs/index.md").find("\n" + page + "\n"), std::string::npos)
      << "written by: ./gradwalk run all && ./gradwalk list --page\n"
      << page;
}

TEST(Documents, ReadmeNamesEachLessonWithItsTitle) {
  std::string table = "| lesson | title |\n|---|---|\n";
  for (const auto& factory : lesson_table()) {
    const Lesson lesson = factory();
    table += fmt::format("| {:02} {} | {} |\n", lesson.number(), lesson.name(), lesson.title());
  }
  EXPECT_NE(document("README.md").find("\n" + table + "\n"), std::string::npos) << table;
}

TEST(Documents, EachClaimHasItsRuleUnderItsLesson) {
  const course::Catalogue catalogue = course::parse_catalogue(course::catalogue_json());
  const std::map<int, std::vector<std::string>> rules = rules_by_lesson();
  std::map<int, std::vector<std::string>> claims;
  for (const course::CatalogueClaim& claim : catalogue.claims) {
    claims[claim.lesson].push_back(claim.id);
  }
  ASSERT_FALSE(claims.empty());
  EXPECT_EQ(rules.size(), claims.size());
  for (const auto& [lesson, ids] : claims) {
    SCOPED_TRACE(fmt::format("docs/verdicts.md, lesson {}", lesson));
    ASSERT_TRUE(rules.contains(lesson));
    EXPECT_THAT(rules.at(lesson), testing::UnorderedElementsAreArray(ids));
  }
}

TEST(Documents, EachLessonSaysWhatItIsAbout) {
  const course::Catalogue catalogue = course::parse_catalogue(course::catalogue_json());
  for (const auto& lesson : lesson_table()) {
    EXPECT_TRUE(catalogue.lessons.contains(lesson().number())) << lesson().number();
  }
}

}  // namespace
}  // namespace gradwalk::course
