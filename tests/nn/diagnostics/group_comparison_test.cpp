#include "nn/diagnostics/group_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/layout.h"

namespace gradwalk::nn {
namespace {

using testing::ThrowsMessage;

Tensor mask(std::initializer_list<double> values) { return vector(values, DType::kBool); }

// 1, 2, 3 against 3, 4, 8; the 100 is in neither group.
TEST(CompareGroups, ByHand) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const GroupComparison c =
        compare_groups(vector({1, 3, 100, 2, 4, 3, 8}, dtype), mask({1, 0, 0, 1, 0, 1, 0}),
                       mask({0, 1, 0, 0, 1, 0, 1}));
    EXPECT_EQ(c.group.count, 3);
    EXPECT_EQ(c.group.mean, 2);
    EXPECT_EQ(c.control.mean, 5);
    EXPECT_EQ(c.gap, -3);
    EXPECT_NEAR(c.cohens_d, -1.5, 1e-15);
    EXPECT_NEAR(c.welch.degrees_of_freedom, 2.56, 1e-13);
    EXPECT_NEAR(c.welch.p, 0.1790967923771067, 1e-12);
  }
}

TEST(CompareGroups, MasksBroadcastOverBatches) {
  const Tensor values = transpose(matrix({{1, 5}, {2, 6}, {0, 0}}));  // [2, 3]
  const GroupComparison c = compare_groups(values, mask({1, 0, 0}), mask({0, 1, 0}));
  EXPECT_EQ(c.group.count, 2);
  EXPECT_EQ(c.group.mean, 3);
  EXPECT_EQ(c.control.mean, 4);
}

TEST(CompareGroups, NanStaysVisibleAndIsNotLookedAtOutside) {
  const Tensor values = vector({1, 2, 3, 5, std::nan("")});
  const Tensor group = mask({1, 1, 0, 0, 0});
  EXPECT_EQ(compare_groups(values, group, mask({0, 0, 1, 1, 0})).gap, -2.5);
  EXPECT_TRUE(std::isnan(compare_groups(values, group, mask({0, 0, 0, 1, 1})).gap));
}

TEST(CompareGroupsError, NamesTheMask) {
  const Tensor two = mask({1, 1, 0, 0});
  const Tensor rest = mask({0, 0, 1, 1});
  EXPECT_THAT(
      [&] {
        compare_groups(zeros({4}), mask({1, 0, 0, 0}), rest);
      },
      ThrowsMessage<std::invalid_argument>(
          "compare_groups: expected at least 2 elements in group, got 1; values=[4] "
          "group=[4]"));
  EXPECT_THAT(
      [&] {
        compare_groups(zeros({4}), two, mask({0, 1, 1, 1}));
      },
      ThrowsMessage<std::invalid_argument>(
          "compare_groups: expected no element in both group and control, got 1; "
          "group=[4] control=[4]"));
  EXPECT_THAT([&] { compare_groups(zeros({3}), two, rest); },
              ThrowsMessage<ShapeError>(
                  "compare_groups: expected group that broadcasts to the shape of values, got [4]; "
                  "values=[3] group=[4]"));
  EXPECT_THAT([&] { compare_groups(zeros({4}), two, zeros({4})); },
              ThrowsMessage<std::invalid_argument>(
                  "compare_groups: expected control bool, got float32; values=[4] control=[4]"));
  EXPECT_THAT([&] { compare_groups(arange(0, 4), two, rest); },
              ThrowsMessage<std::invalid_argument>(
                  "compare_groups: expected float32 or float64, got int64; values=[4] group=[4]"));
  EXPECT_THROW(compare_groups(zeros({4}), Tensor(), rest), std::invalid_argument);
  // A mask may not stretch the values.
  EXPECT_THROW(compare_groups(zeros({1}), two, rest), ShapeError);
}

}  // namespace
}  // namespace gradwalk::nn
