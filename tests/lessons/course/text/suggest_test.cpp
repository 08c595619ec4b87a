#include "lessons/course/text/suggest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gradwalk::course {
namespace {

using testing::ElementsAre;

TEST(EditDistance, CountsInsertDeleteReplaceAndSwap) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("seed", "seed"), 0U);
  EXPECT_EQ(edit_distance("sed", "seed"), 1U);
  EXPECT_EQ(edit_distance("seeed", "seed"), 1U);
  EXPECT_EQ(edit_distance("sead", "seed"), 1U);
  EXPECT_EQ(edit_distance("sede", "seed"), 1U);
}

TEST(Nearest, PutsTheNearestFirstAndForgivesCase) {
  EXPECT_THAT(nearest("w_q", {"dW_Q", "W_K", "W_Q", "h"}, 3), ElementsAre("W_Q", "dW_Q", "W_K"));
}

TEST(Nearest, KnowsPartsOfNames) {
  EXPECT_THAT(nearest("swap", {"wrong", "swap-values"}, 1), ElementsAre("swap-values"));
}

TEST(Unknown, SaysWhatIsNear) {
  EXPECT_EQ(unknown("option", "--sed", {"--set", "--seed"}, 2),
            "unknown option '--sed', nearest: --set, --seed");
  EXPECT_EQ(unknown("break", "x", {}), "unknown break 'x': there is none");
}

}  // namespace
}  // namespace gradwalk::course
