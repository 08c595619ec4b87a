#include "tensor/embedding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/reference/embedding.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using testing::ElementsAre;
using testing::ThrowsMessage;

// Ids in [0, rows), in some layout: a few of them stand at many places.
Tensor random_ids(RandomCase& c, const Shape& shape, std::int64_t rows) {
  const Tensor drawn = c.tensor(shape, DType::kInt64, test::Values::kIntegers);  // -3, ..., 3
  std::vector<double> values;
  for (const double value : drawn.to_vector()) {
    const std::int64_t id = c.below(2) == 0 ? static_cast<std::int64_t>(value) + 3 : c.below(rows);
    values.push_back(static_cast<double>(id % rows));
  }
  const Tensor ids = from_vector(values, shape, DType::kInt64);
  return shape.ndim() >= 2 && c.below(2) == 0 ? transpose(ids) : ids;
}

std::int64_t some_rows(RandomCase& c) { return 1 + c.below(9); }

TEST(Embedding, EqualsTheReferenceBitForBit) {
  for_each_case("embedding", 280, [](RandomCase& c) {
    const std::int64_t rows = some_rows(c);
    const Tensor ids = random_ids(c, c.shape(0, 3), rows);
    const Tensor weight = c.tensor({rows, c.shape(1, 1)[0]});
    const Tensor y = embedding(ids, weight);
    EXPECT_EQ(test::difference(y, reference::embedding(ids, weight), 0), "");
    EXPECT_EQ(y.dtype(), c.dtype());
  });
}

TEST(EmbeddingBackward, EqualsTheReference) {
  for_each_case("embedding_backward", 420, [](RandomCase& c) {
    const std::int64_t rows = some_rows(c);
    const Tensor ids = random_ids(c, c.shape(0, 2), rows);
    Shape shape = ids.shape();
    shape.push_back(1 + c.below(9));
    const Tensor dy = c.tensor(shape);
    const Tensor want = reference::embedding_backward(ids, rows, dy);
    const Tensor sizes =
        reference::embedding_backward(ids, rows, to(test::finite_sizes(dy), DType::kFloat64));
    const auto n = static_cast<double>(ids.numel());
    EXPECT_EQ(test::difference(embedding_backward(ids, rows, dy), want,
                               test::sum_bound(sizes, DType::kFloat64, n) +
                                   test::sum_bound(sizes, c.dtype(), 1)),
              "");
  });
}

// A gradient that writes rows, where it should add them, kept only the last use of an id that is
// looked up several times (BR-16).
TEST(Embedding, RepeatedIds) {
  const auto report = test::bug_report("BR-16");
  GRADWALK_SKIP_WITHOUT(report);
  const auto& in = report["inputs"];
  const auto& expected = report["expected"];
  const Tensor ids = test::tensor_from(in["ids"], DType::kInt64);
  const Tensor weight = test::tensor_from(in["weight"]);
  const Tensor dy = test::tensor_from(in["upstream"]);
  EXPECT_EQ(test::difference(embedding(ids, weight), test::tensor_from(expected["out"]), 0), "");
  const Tensor dweight = embedding_backward(ids, 4, dy);
  EXPECT_EQ(test::difference(dweight, test::tensor_from(expected["grad_weight"]), 0), "");
  EXPECT_EQ(sum(dweight).item(), sum(dy).item());
}

// An id outside the table read foreign memory in builds without the check. It is an error in every
// build; -1 is not the last row. There is no padding id that could switch the check off (BR-17).
TEST(Embedding, IdsOutsideTheTable) {
  const auto report = test::bug_report("BR-17");
  GRADWALK_SKIP_WITHOUT(report);
  const Tensor weight = zeros({4, 2});
  const auto ids = [](const nlohmann::json& nested) {
    Shape shape;  // not through float64, which has no 2^63 - 1
    for (const auto* part = &nested; part->is_array(); part = &part->front()) {
      shape.push_back(static_cast<std::int64_t>(part->size()));
      if (part->empty()) break;
    }
    Tensor result("test", shape, DType::kInt64);
    std::size_t next = 0;
    for (const auto& value : nested.flatten()) {
      if (value.is_number())
        result.mutable_data<std::int64_t>()[next++] = value.get<std::int64_t>();
    }
    return result;
  };
  for (const auto& bad : report["expected"]["must_raise"]) {
    EXPECT_THROW(embedding(ids(bad), weight), std::out_of_range) << bad;
    const Tensor places = ids(bad);
    EXPECT_THROW(embedding_backward(places, 4, zeros({places.numel(), 2})), std::out_of_range);
  }
  EXPECT_EQ(embedding(ids(report["inputs"]["ids_cases"][3]), weight).shape(), Shape({0, 2}));
  EXPECT_EQ(embedding(ids(report["inputs"]["ids_cases"][4]), weight).shape(), Shape({2, 2, 2}));
}

TEST(Embedding, SmallCasesByHand) {
  const Tensor weight = matrix({{1, 2}, {3, 4}, {5, 6}});
  EXPECT_THAT(embedding(vector({2, 0}, DType::kInt64), weight).to_vector(),
              ElementsAre(5, 6, 1, 2));
  const Tensor one = embedding(scalar(1, DType::kInt64), weight);
  EXPECT_EQ(one.shape(), Shape({2}));
  EXPECT_THAT(one.to_vector(), ElementsAre(3, 4));
  const Tensor dweight = embedding_backward(matrix({{2, 0}, {2, 2}}, DType::kInt64), 4,
                                            from_vector({1, 2, 4, 8}, {2, 2, 1}));
  EXPECT_EQ(dweight.shape(), Shape({4, 1}));
  EXPECT_THAT(dweight.to_vector(), ElementsAre(2, 0, 13, 0));
}

// The table of an output layer, transposed: rows lie apart in memory and are read in place.
TEST(Embedding, OfATransposedTable) {
  Generator generator(5, "table");
  const Tensor weight = normal({3, 7}, generator);
  const Tensor ids = vector({6, 0, 6}, DType::kInt64);
  EXPECT_EQ(test::difference(embedding(ids, transpose(weight)),
                             embedding(ids, clone(transpose(weight))), 0),
            "");
}

// 2^24 + 1 + 1 + 1 + 1 in float32 steps would stay 2^24.
TEST(EmbeddingBackward, RepeatedIdsKeepTheirDigits) {
  const Tensor dy = from_vector({16777216, 1, 1, 1, 1}, {5, 1});
  EXPECT_EQ(embedding_backward(zeros({5}, DType::kInt64), 1, dy).item(), 16777220);
}

TEST(EmbeddingBackward, NanStaysInItsRow) {
  const Tensor dy = from_vector({1, std::nan(""), 2, 4}, {4, 1});
  EXPECT_THAT(embedding_backward(vector({0, 1, 0, 1}, DType::kInt64), 3, dy).to_vector(),
              ElementsAre(3, testing::IsNan(), 0));
}

TEST(Embedding, EmptyTensors) {
  const Tensor none = zeros({0}, DType::kInt64);
  EXPECT_EQ(embedding(none, zeros({0, 3})).shape(), Shape({0, 3}));
  EXPECT_EQ(embedding(zeros({2}, DType::kInt64), zeros({1, 0})).shape(), Shape({2, 0}));
  EXPECT_THAT(embedding_backward(none, 2, zeros({0, 1})).to_vector(), ElementsAre(0, 0));
  EXPECT_EQ(embedding_backward(none, 0, zeros({0, 3})).shape(), Shape({0, 3}));
}

TEST(EmbeddingError, NamesOpAndOperands) {
  const Tensor weight = zeros({50, 16});
  const std::uint64_t version = weight.version();
  Tensor ids = zeros({2, 8}, DType::kInt64);
  ids.mutable_data<std::int64_t>()[10] = 57;
  EXPECT_THAT([&] { embedding(ids, weight); },
              ThrowsMessage<std::out_of_range>("embedding: expected ids in [0, 50), got 57 at "
                                               "[1, 2]; ids=[2, 8] weight=[50, 16]"));
  EXPECT_THAT([&] { embedding(zeros({2}), weight); },
              ThrowsMessage<std::invalid_argument>(
                  "embedding: expected int64 ids, got float32; ids=[2] weight=[50, 16]"));
  EXPECT_THAT([&] { embedding(ids, zeros({3})); },
              ThrowsMessage<ShapeError>(
                  "embedding: expected weight with ndim 2, got 1; ids=[2, 8] weight=[3]"));
  EXPECT_THAT([&] { embedding(ids, ids); },
              ThrowsMessage<std::invalid_argument>("embedding: expected float32 or float64, got "
                                                   "int64; ids=[2, 8] weight=[2, 8]"));
  EXPECT_THAT(
      [&] {
        embedding(zeros({1, 1, 1, 1, 1, 1, 1, 1}, DType::kInt64), zeros({1, 1}));
      },
      ThrowsMessage<ShapeError>("embedding: expected ids with ndim < 8, got 8; "
                                "ids=[1, 1, 1, 1, 1, 1, 1, 1] weight=[1, 1]"));
  EXPECT_THAT(
      [&] { embedding(Tensor(), weight); },
      ThrowsMessage<std::invalid_argument>("embedding: expected a tensor, got an undefined one"));
  EXPECT_THROW(embedding(ids, Tensor()), std::invalid_argument);
  EXPECT_THAT(
      [&] {
        embedding_backward(ids, 60, zeros({2, 4, 3}));
      },
      ThrowsMessage<ShapeError>("embedding_backward: expected dy with the shape of ids and "
                                "one axis more, got [2, 4, 3]; ids=[2, 8] dy=[2, 4, 3]"));
  EXPECT_THROW(embedding_backward(ids, 60, zeros({2, 8})), ShapeError);
  EXPECT_EQ(weight.version(), version);
}

}  // namespace
}  // namespace gradwalk
