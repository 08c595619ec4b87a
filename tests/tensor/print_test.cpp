#include "tensor/print.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "tensor/create.h"
#include "tensor/layout.h"

namespace gradwalk {
namespace {

TEST(Print, ShapeAndDTypeThenAlignedColumns) {
  const Tensor x = matrix({{0.5, -0.5, 12}, {0.25, 1, std::nan("")}});
  EXPECT_EQ(to_string(x),
            "[2, 3] float32\n"
            "   0.5000  -0.5000  12.0000\n"
            "   0.2500   1.0000      nan");
}

TEST(Print, ScalarsAndVectorsAreOneRow) {
  EXPECT_EQ(to_string(scalar(2, DType::kFloat64)), "[] float64\n  2.0000");
  EXPECT_EQ(to_string(arange(0, 3)), "[3] int64\n    0    1    2");
  EXPECT_EQ(to_string(to(arange(0, 2), DType::kBool)), "[2] bool\n  false   true");
}

TEST(Print, MoreAxesGiveOneMatrixAfterTheOther) {
  EXPECT_EQ(to_string(reshape(arange(0, 4), {2, 1, 2})),
            "[2, 1, 2] int64\n"
            "[0, :, :]\n"
            "    0    1\n"
            "[1, :, :]\n"
            "    2    3");
}

TEST(Print, LongAxesShowTheirEnds) {
  EXPECT_EQ(to_string(arange(0, 10), {.digits = 4, .edge = 2}),
            "[10] int64\n    0    1  ...    8    9");
  EXPECT_EQ(to_string(arange(0, 4), {.digits = 4, .edge = 2}), "[4] int64\n    0    1    2    3");
  EXPECT_EQ(to_string(reshape(arange(0, 3), {3, 1, 1}), {.digits = 4, .edge = 1}),
            "[3, 1, 1] int64\n[0, :, :]\n    0\n...\n[2, :, :]\n    2");
}

// With nothing to show at the ends the index ran past the axis.
TEST(Print, EdgeOfZeroShowsOnlyTheGap) {
  EXPECT_EQ(to_string(arange(0, 3), {.digits = 4, .edge = 0}), "[3] int64\n  ...");
}

TEST(Print, VeryLargeOrSmallNumbersAreScientific) {
  EXPECT_EQ(to_string(vector({1e6, 0})), "[2] float32\n  1.0000e+06  0.0000e+00");
  EXPECT_EQ(to_string(vector({0.0005, 0})), "[2] float32\n  5.0000e-04  0.0000e+00");
  EXPECT_EQ(to_string(vector({0.0005, 1}), {.digits = 2}), "[2] float32\n  0.00  1.00");
  EXPECT_EQ(to_string(vector({std::numeric_limits<double>::infinity(), -1})),
            "[2] float32\n      inf  -1.0000");
}

TEST(Print, EmptyAndUndefined) {
  EXPECT_EQ(to_string(zeros({0, 3})), "[0, 3] float32");
  EXPECT_EQ(to_string(Tensor()), "undefined tensor");
}

TEST(Print, StreamsTheSame) {
  std::ostringstream out;
  out << vector({1});
  EXPECT_EQ(out.str(), to_string(vector({1})));
}

}  // namespace
}  // namespace gradwalk
