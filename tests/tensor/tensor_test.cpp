#include "tensor/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/print.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using test::Values;
using testing::ElementsAre;
using testing::ThrowsMessage;

TEST(Tensor, DefaultConstructedIsUndefined) {
  const Tensor none;
  EXPECT_FALSE(none.defined());
  EXPECT_TRUE(zeros({0}).defined());
}

// Each of these read through a null storage once.
TEST(Tensor, UndefinedTensorIsAnErrorAndNotACrash) {
  const Tensor none;
  EXPECT_THAT([&] { none.item(); }, ThrowsMessage<std::invalid_argument>(
                                        "item: expected a tensor, got an undefined one"));
  EXPECT_THAT([&] { none.at({}); },
              ThrowsMessage<std::invalid_argument>("at: expected a tensor, got an undefined one"));
  EXPECT_THAT([&] { none.to_vector(); }, ThrowsMessage<std::invalid_argument>(
                                             "to_vector: expected a tensor, got an undefined one"));
  EXPECT_THAT([&] { clone(none); }, ThrowsMessage<std::invalid_argument>(
                                        "clone: expected a tensor, got an undefined one"));
  EXPECT_THAT(
      [&] { contiguous(none); },
      ThrowsMessage<std::invalid_argument>("contiguous: expected a tensor, got an undefined one"));
  EXPECT_THAT([&] { to(none, DType::kFloat32); },
              ThrowsMessage<std::invalid_argument>("to: expected a tensor, got an undefined one"));
  EXPECT_EQ(none.version(), 0U);
}

TEST(Tensor, CopiesAreHandlesOnOneStorage) {
  const Tensor x = vector({1, 2});
  const Tensor y = x;
  fill(y, 7);
  EXPECT_THAT(x.to_vector(), ElementsAre(7, 7));
  EXPECT_EQ(x.storage().get(), y.storage().get());
}

TEST(Tensor, ElementsAreReadByIndex) {
  const Tensor x = transpose(matrix({{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(x.at({2, 0}), 3);
  EXPECT_EQ(x.at({-1, -1}), 6);
  EXPECT_EQ(scalar(5).at({}), 5);
  EXPECT_EQ(scalar(5).item(), 5);
  EXPECT_EQ(slice(vector({1, 2, 3}), 0, 1, 2).item(), 2);
  EXPECT_THAT(x.to_vector(), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(Tensor, WrongIndicesAreErrors) {
  const Tensor x = zeros({2, 3});
  EXPECT_THAT([&] { x.at({0}); },
              ThrowsMessage<ShapeError>("at: expected 2 indices, got 1; x=[2, 3]"));
  EXPECT_THAT(
      [&] {
        x.at({0, 3});
      },
      ThrowsMessage<std::out_of_range>("at: expected index 1 in [-3, 3), got [0, 3]; x=[2, 3]"));
  EXPECT_THAT(
      [&] {
        x.at({-3, 0});
      },
      ThrowsMessage<std::out_of_range>("at: expected index 0 in [-2, 2), got [-3, 0]; x=[2, 3]"));
  EXPECT_THAT([&] { x.item(); }, ThrowsMessage<ShapeError>(
                                     "item: expected a tensor with one element, got 6; x=[2, 3]"));
  EXPECT_THAT([] { zeros({0}).item(); },
              ThrowsMessage<ShapeError>("item: expected a tensor with one element, got 0; x=[0]"));
}

TEST(Tensor, ContiguousMeansRowMajorWithoutGaps) {
  const Tensor x = zeros({2, 3});
  EXPECT_TRUE(x.is_contiguous());
  EXPECT_FALSE(transpose(x).is_contiguous());
  EXPECT_FALSE(slice(x, 1, 0, 2).is_contiguous());
  EXPECT_TRUE(slice(x, 0, 1, 2).is_contiguous());
  EXPECT_FALSE(expand(zeros({1, 3}), {2, 3}).is_contiguous());
  EXPECT_TRUE(
      transpose(zeros({1, 5})).is_contiguous());  // axes of size 1 have no stride to speak of
  EXPECT_TRUE(scalar(1).is_contiguous());
}

// Strides of an empty tensor are 0; [0, 3] was taken for an expanded view, [3, 0] was not.
TEST(Tensor, EmptyTensorsAreContiguous) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 40;
  EXPECT_TRUE(zeros({0, 3}).is_contiguous());
  EXPECT_TRUE(zeros({3, 0}).is_contiguous());
  EXPECT_TRUE(zeros({0, kLarge, kLarge}).is_contiguous());
  EXPECT_TRUE(transpose(zeros({0, 3})).is_contiguous());
}

TEST(Tensor, CloneIsACopyOfItsOwnWhateverTheLayout) {
  for_each_case("clone", 200, [](RandomCase& c) {
    const Tensor x = c.tensor(c.shape());
    const Tensor y = clone(x);
    EXPECT_EQ(test::difference(y, x, 0), "");
    EXPECT_EQ(y.dtype(), x.dtype());
    EXPECT_TRUE(y.is_contiguous());
    EXPECT_NE(y.storage().get(), x.storage().get());
    const Tensor z = contiguous(x);
    EXPECT_EQ(test::difference(z, x, 0), "");
    EXPECT_TRUE(z.is_contiguous());
    EXPECT_EQ(z.storage().get() == x.storage().get(), x.is_contiguous());
  });
}

TEST(To, ConvertsBetweenAllDTypes) {
  const Tensor x = vector({-2.75, 0, 0.5, 3}, DType::kFloat64);
  EXPECT_THAT(to(x, DType::kFloat32).to_vector(), ElementsAre(-2.75, 0, 0.5, 3));
  EXPECT_THAT(to(x, DType::kInt64).to_vector(), ElementsAre(-2, 0, 0, 3));  // truncates
  EXPECT_THAT(to(x, DType::kBool).to_vector(), ElementsAre(1, 0, 1, 1));
  EXPECT_THAT(to(to(x, DType::kBool), DType::kFloat32).to_vector(), ElementsAre(1, 0, 1, 1));
  EXPECT_THAT(to(arange(-1, 2), DType::kBool).to_vector(), ElementsAre(1, 0, 1));
  EXPECT_EQ(to(x, DType::kInt64).dtype(), DType::kInt64);
}

TEST(To, SameDTypeIsTheTensorItself) {
  const Tensor x = vector({1, 2});
  EXPECT_EQ(to(x, DType::kFloat32).storage().get(), x.storage().get());
}

TEST(To, FloatsRoundToTheNearest) {
  for_each_case("to", 200, [](RandomCase& c) {
    const Tensor x = c.tensor(c.shape(), DType::kFloat64, c.values());
    const std::vector<double> wide = x.to_vector();
    const std::vector<double> narrow = to(x, DType::kFloat32).to_vector();
    for (std::size_t i = 0; i < wide.size(); ++i) {
      const double want = static_cast<double>(static_cast<float>(wide[i]));
      EXPECT_TRUE(narrow[i] == want || (std::isnan(narrow[i]) && std::isnan(want)));
    }
  });
}

TEST(To, ValuesThatDoNotFitInt64AreErrors) {
  const auto converted = [](double value, DType dtype) {
    return to(scalar(value, dtype), DType::kInt64).item();
  };
  EXPECT_EQ(converted(-0x1p63, DType::kFloat64), -0x1p63);
  EXPECT_EQ(converted(-0x1p63, DType::kFloat32), -0x1p63);
  EXPECT_THAT([&] { converted(0x1p63, DType::kFloat64); },
              ThrowsMessage<std::invalid_argument>(
                  "to: expected values that fit int64, got 9.223372036854776e+18"));
  EXPECT_THROW(converted(0x1p63, DType::kFloat32), std::invalid_argument);
  EXPECT_THAT([&] { converted(std::nan(""), DType::kFloat32); },
              ThrowsMessage<std::invalid_argument>("to: expected values that fit int64, got nan"));
  EXPECT_THROW(converted(-std::numeric_limits<double>::infinity(), DType::kFloat64),
               std::invalid_argument);
}

TEST(DTypeNames, AreThoseOfMessages) {
  EXPECT_STREQ(name(DType::kFloat32), "float32");
  EXPECT_STREQ(name(DType::kFloat64), "float64");
  EXPECT_STREQ(name(DType::kInt64), "int64");
  EXPECT_STREQ(name(DType::kBool), "bool");
  EXPECT_EQ(size_of(DType::kBool), 1);
  EXPECT_EQ(size_of(DType::kInt64), 8);
}

}  // namespace
}  // namespace gradwalk
