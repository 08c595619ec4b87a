#include "lessons/course/engine/claim.h"

#include <gtest/gtest.h>

namespace gradwalk::course {
namespace {

ClaimRecord claim(Truth as_stated, Truth right, std::int64_t cases = 3) {
  ClaimRecord record;
  record.as_stated = as_stated;
  record.right = right;
  record.cases = cases;
  record.control = {"some-break", true, true, ""};
  return record;
}

TEST(Verdict, IsTheCataloguedOneWhenTheOutcomeIs) {
  for (const Verdict both : {Verdict::kReproduced, Verdict::kQualified}) {
    EXPECT_EQ(decide(claim(Truth::kYes, Truth::kYes), both), both);
  }
  for (const Verdict second : {Verdict::kCorrected, Verdict::kRefuted, Verdict::kNotReproduced}) {
    EXPECT_EQ(decide(claim(Truth::kNo, Truth::kYes), second), second);
  }
}

TEST(Verdict, IsChangedForEveryOtherOutcome) {
  EXPECT_EQ(decide(claim(Truth::kNo, Truth::kYes), Verdict::kReproduced), Verdict::kChanged);
  EXPECT_EQ(decide(claim(Truth::kYes, Truth::kNo), Verdict::kQualified), Verdict::kChanged);
  EXPECT_EQ(decide(claim(Truth::kYes, Truth::kYes), Verdict::kRefuted), Verdict::kChanged);
  EXPECT_EQ(decide(claim(Truth::kNo, Truth::kNo), Verdict::kCorrected), Verdict::kChanged);
}

TEST(Verdict, IsInconclusiveWhenEitherPredicateIsUnclear) {
  EXPECT_EQ(decide(claim(Truth::kUnclear, Truth::kYes), Verdict::kRefuted), Verdict::kInconclusive);
  EXPECT_EQ(decide(claim(Truth::kNo, Truth::kUnclear), Verdict::kRefuted), Verdict::kInconclusive);
}

TEST(Verdict, IsVacuousWithoutCases) {
  EXPECT_EQ(decide(claim(Truth::kYes, Truth::kYes, 0), Verdict::kReproduced), Verdict::kVacuous);
}

TEST(Verdict, IsVacuousWhenTheControlDoesNotFlip) {
  ClaimRecord record = claim(Truth::kYes, Truth::kYes);
  record.control.flipped = false;
  EXPECT_EQ(decide(record, Verdict::kReproduced), Verdict::kVacuous);
  record.control.ran = false;  // under --break no control runs
  EXPECT_EQ(decide(record, Verdict::kReproduced), Verdict::kReproduced);
}

TEST(Verdict, IsSkippedWithAReason) {
  ClaimRecord record = claim(Truth::kYes, Truth::kYes, 0);
  record.skip_reason = "too costly under --quick";
  EXPECT_EQ(decide(record, Verdict::kReproduced), Verdict::kSkipped);
}

TEST(Verdict, IsFoundByItsPrintedName) {
  for (const Verdict verdict : {Verdict::kReproduced, Verdict::kNotReproduced, Verdict::kChanged,
                                Verdict::kInconclusive, Verdict::kVacuous, Verdict::kSkipped}) {
    EXPECT_EQ(verdict_named(name(verdict)), verdict);
  }
  EXPECT_EQ(verdict_named("reproduced"), std::nullopt);
}

}  // namespace
}  // namespace gradwalk::course
