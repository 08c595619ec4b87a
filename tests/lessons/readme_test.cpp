#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

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

TEST(Readme, HasTheCoursesTableOfToday) {
  const course::Catalogue catalogue = course::parse_catalogue(course::catalogue_json());
  std::ifstream file(std::string(GRADWALK_SOURCE_DIR) + "/README.md");
  const std::string readme{std::istreambuf_iterator<char>(file), {}};
  const auto table = lesson_table();
  const std::string page =
      course::course_page({table.begin(), table.end()}, catalogue, ledger_of(catalogue));
  EXPECT_NE(readme.find(page), std::string::npos)
      << "written by: ./gradwalk run all && ./gradwalk list --page\n"
      << page;
}

TEST(Readme, EachLessonSaysWhatItIsAbout) {
  const course::Catalogue catalogue = course::parse_catalogue(course::catalogue_json());
  for (const course::LessonFactory& lesson : lesson_table()) {
    EXPECT_TRUE(catalogue.lessons.contains(lesson().number())) << lesson().number();
  }
}

}  // namespace
}  // namespace gradwalk::course
