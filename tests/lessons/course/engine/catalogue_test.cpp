#include "lessons/course/engine/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lessons/fake_lesson.h"

namespace gradwalk::course {
namespace {

using testing::ThrowsMessage;

// The fake catalogue with one text replaced.
std::string with(const std::string& from, const std::string& to) {
  std::string json = test::kFakeCatalogue;
  const std::size_t at = json.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return json.replace(at, from.size(), to);
}

TEST(Catalogue, HoldsTheFirstLessonsClaims) {
  const Catalogue catalogue = parse_catalogue(catalogue_json());
  const std::vector<std::pair<const char*, Verdict>> expected = {{"A3", Verdict::kRefuted},
                                                                 {"A4", Verdict::kCorrected},
                                                                 {"A5", Verdict::kCorrected},
                                                                 {"A6", Verdict::kQualified}};
  ASSERT_EQ(catalogue.of_lesson(4).size(), expected.size());
  for (const auto& [id, verdict] : expected) {
    ASSERT_NE(catalogue.find(id), nullptr) << id;
    EXPECT_EQ(catalogue.find(id)->verdict, verdict) << id;
    EXPECT_EQ(catalogue.flips(4, catalogue.find(id)->control), std::set<std::string>{id});
  }
}

TEST(Catalogue, KnowsWhatABreakMustFlip) {
  const Catalogue catalogue = test::fake_catalogue();
  EXPECT_EQ(catalogue.flips(7, "double"), std::set<std::string>{"F1"});
  EXPECT_TRUE(catalogue.flips(7, "other").empty());
  EXPECT_TRUE(catalogue.flips(8, "double").empty());
}

TEST(CatalogueError, NamesAnUnknownVerdict) {
  const std::string json = with("REPRODUCED", "CHANGED");
  EXPECT_THAT(
      [&] { parse_catalogue(json); },
      ThrowsMessage<std::logic_error>("claims.json: F1: 'CHANGED' is no verdict of a catalogue"));
}

TEST(CatalogueError, NamesAControlThatFlipsNothing) {
  const std::string json = with("[\"F1\"]", "[]");
  EXPECT_THAT([&] { parse_catalogue(json); },
              ThrowsMessage<std::logic_error>(
                  "claims.json: F1: its control 'double' is no break of lesson 7 that flips it"));
}

TEST(CatalogueError, NamesAClaimThatStandsTwice) {
  const std::string json = with("\"id\": \"F2\"", "\"id\": \"F1\"");
  EXPECT_THAT([&] { parse_catalogue(json); },
              ThrowsMessage<std::logic_error>("claims.json: F1 stands twice"));
}

TEST(CatalogueError, NamesAMissingField) {
  const std::string json = with("\"section\": \"2\", ", "");
  EXPECT_THAT([&] { parse_catalogue(json); },
              ThrowsMessage<std::logic_error>("claims.json: F2: expected a text 'section'"));
}

TEST(CatalogueError, NamesAnUnlistedArticle) {
  const std::string json = with("\"900\": \"On doubling\"", "");
  EXPECT_THAT([&] { parse_catalogue(json); },
              ThrowsMessage<std::logic_error>("claims.json: F1: article '900' is not listed"));
}

TEST(CatalogueError, RejectsWhatIsNoJson) {
  EXPECT_THAT([] { parse_catalogue("{"); },
              ThrowsMessage<std::logic_error>("claims.json: expected JSON of schema 1"));
}

}  // namespace
}  // namespace gradwalk::course
