#include "tensor/dropout.h"

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
#include "tensor/reduce.h"
#include "tensor/reference/dropout.h"
#include "tensor/threads.h"

namespace gradwalk {
namespace {

using test::for_each_case;
using test::RandomCase;
using testing::Each;
using testing::ThrowsMessage;

constexpr double kInf = std::numeric_limits<double>::infinity();

// The same mask, and one product with a rounded 1 / (1 - p).
TEST(Dropout, EqualsTheReference) {
  for_each_case("dropout", 420, [](RandomCase& c) {
    const Tensor x = c.tensor(c.shape());
    constexpr double kProbabilities[] = {1e-12, 0.1, 0.25, 0.5, 0.9, 0.999, 1};
    const double p = kProbabilities[c.below(7)];
    Generator ours(11, "mask");
    Generator theirs = ours;
    const Tensor y = dropout(x, p, ours, /*training=*/true);
    const Tensor want = reference::dropout(x, p, theirs);
    EXPECT_EQ(test::difference(y, want, test::sum_bound(test::finite_sizes(want), c.dtype(), 2)),
              "");
    EXPECT_EQ(y.dtype(), c.dtype());
    EXPECT_EQ(ours.next_u32(), theirs.next_u32());
  });
}

// Longer than the kernel's block of words, with neighbours in memory and without.
TEST(Dropout, LongRowsEqualTheReference) {
  Generator values(12, "values");
  const Tensor wide = normal({3, 2600}, values);
  for (const Tensor& x : {wide, slice(wide, 1, 0, 2600, 2), transpose(wide)}) {
    Generator ours(13, "mask");
    Generator theirs = ours;
    const Tensor want = reference::dropout(x, 0.5, theirs);
    EXPECT_EQ(test::difference(dropout(x, 0.5, ours, /*training=*/true), want, 0), "");
  }
}

// A dropout that still drew in evaluation, or left the kept elements unscaled, changed the mean of
// what a model computes. Evaluation and p = 0 are the identity, p = 1 is zeros; else an element is
// 0 or x / (1 - p) (BR-26).
TEST(Dropout, EvaluationAndTheEndsOfP) {
  const auto report = test::bug_report("BR-26");
  GRADWALK_SKIP_WITHOUT(report);
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Tensor x = test::tensor_from(report["inputs"]["x"], dtype);
    Generator generator(1, "dropout");
    Generator untouched = generator;
    for (const auto& p : report["inputs"]["p_values"]) {
      const Tensor y = dropout(x, p.get<double>(), generator, /*training=*/false);
      EXPECT_EQ(y.storage().get(), x.storage().get());  // bitwise equal, and no copy
    }
    EXPECT_EQ(dropout(x, 0, generator, /*training=*/true).storage().get(), x.storage().get());
    EXPECT_EQ(generator.next_u32(), untouched.next_u32());
    EXPECT_THAT(dropout(x, 1, generator, /*training=*/true).to_vector(), Each(0));

    const std::vector<double> y = dropout(x, 0.25, generator, /*training=*/true).to_vector();
    const std::vector<double> in = x.to_vector();
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double rtol = dtype == DType::kFloat64 ? 1e-12 : 1e-6;
      if (y[i] != 0) {
        EXPECT_NEAR(y[i], in[i] / 0.75, std::abs(in[i]) * rtol);
      }
    }
  }
}

// Kept elements that are not scaled by 1 / (1 - p) lower the mean (BR-26).
TEST(Dropout, TheMeanStays) {
  for (const double p : {0.1, 0.25, 0.5, 0.9}) {
    Generator generator(2, "dropout");
    const Tensor y = dropout(ones({100000}, DType::kFloat64), p, generator, /*training=*/true);
    const double standard_error = std::sqrt(p / (1 - p) / 100000);
    EXPECT_NEAR(mean(y).item(), 1, p == 0.25 ? 0.01 : 4 * standard_error) << p;
    std::int64_t kept = 0;
    for (const double value : y.to_vector()) kept += value != 0 ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(kept) / 100000, 1 - p, 4 * std::sqrt(p * (1 - p) / 100000));
  }
}

// A generator for each thread, or a fast path from some size on, drew another mask from the same
// seed. Here it is the same for any number of threads, and in one block of 1003 or as 500 then 503
// (BR-37).
TEST(Dropout, SameSeedSameMask) {
  const auto report = test::bug_report("BR-37");
  GRADWALK_SKIP_WITHOUT(report);
  const auto seed = report["inputs"]["seed"].get<std::uint64_t>();
  const auto draws = report["inputs"]["draws"].get<std::int64_t>();
  const auto mask = [&](std::int64_t first) {
    Generator generator(seed, "mask");
    std::vector<double> result =
        dropout(ones({first}), 0.5, generator, /*training=*/true).to_vector();
    const Tensor rest = dropout(ones({draws - first}), 0.5, generator, /*training=*/true);
    for (const double value : rest.to_vector()) result.push_back(value);
    return result;
  };
  const int before = num_threads();
  const std::vector<double> want = mask(draws);
  for (const auto& threads : report["inputs"]["threads"]) {
    set_num_threads(threads.get<int>());
    EXPECT_EQ(mask(draws), want);
    EXPECT_EQ(mask(500), want);
    EXPECT_EQ(mask(0), want);
  }
  set_num_threads(before);
  Generator other(seed + 1, "mask");
  EXPECT_NE(dropout(ones({draws}), 0.5, other, /*training=*/true).to_vector(), want);
}

// Long enough for a team, from the middle of a block of words.
TEST(Dropout, ThreadsDrawTheirPartsOfOneStream) {
  const Tensor x = ones({3, 100'003});
  const int before = num_threads();
  for (const int threads : {1, 2}) {
    set_num_threads(threads);
    Generator ours(14, "mask");
    ours.next_u32();
    Generator theirs = ours;
    const Tensor y = dropout(x, 0.3, ours, /*training=*/true);
    EXPECT_EQ(test::difference(y, reference::dropout(x, 0.3, theirs), 1e-6), "") << threads;
    EXPECT_EQ(ours.next_u32(), theirs.next_u32());
  }
  set_num_threads(before);
}

TEST(Dropout, MaskFollowsTheElementsAndNotTheMemory) {
  const Tensor x = ones({37, 41});
  Generator a(3, "mask");
  Generator b(3, "mask");
  Generator c(3, "mask");
  const Tensor want = dropout(x, 0.5, a, /*training=*/true);
  EXPECT_EQ(
      test::difference(dropout(transpose(ones({41, 37})), 0.5, b, /*training=*/true), want, 0), "");
  EXPECT_EQ(
      test::difference(dropout(expand(ones({1}), {37, 41}), 0.5, c, /*training=*/true), want, 0),
      "");
}

TEST(Dropout, DroppedNanIsZeroAndAKeptOneStays) {
  Generator generator(4, "mask");
  Generator same = generator;
  const Tensor plain = dropout(ones({64}), 0.5, generator, /*training=*/true);
  const Tensor y = dropout(full({64}, std::nan("")), 0.5, same, /*training=*/true);
  for (std::int64_t i = 0; i < 64; ++i) {
    if (plain.at({i}) == 0) {
      EXPECT_EQ(y.at({i}), 0);
    } else {
      EXPECT_TRUE(std::isnan(y.at({i})));
    }
  }
  EXPECT_THAT(dropout(full({5}, kInf), 1, generator, /*training=*/true).to_vector(), Each(0));
}

TEST(Dropout, EmptyAndZeroDimensional) {
  Generator generator(5, "mask");
  Generator untouched = generator;
  EXPECT_EQ(dropout(zeros({2, 0}), 0.5, generator, /*training=*/true).shape(), Shape({2, 0}));
  EXPECT_EQ(generator.next_u32(), untouched.next_u32());
  EXPECT_EQ(dropout(scalar(1), 0.5, generator, /*training=*/true).ndim(), 0);
}

// A bad p must not pass unseen because the model happens to be in evaluation; and the generator
// stays where it is (BR-26).
TEST(DropoutError, NamesOpAndOperands) {
  const Tensor x = ones({2, 3});
  Generator generator(6, "mask");
  Generator untouched = generator;
  const auto with = [&](double p, bool training) {
    return [&x, &generator, p, training] { dropout(x, p, generator, training); };
  };
  const std::string want = "dropout: expected p in [0, 1], got ";
  for (const bool training : {false, true}) {
    EXPECT_THAT(with(-0.1, training),
                ThrowsMessage<std::invalid_argument>(want + "-0.1; x=[2, 3]"));
    EXPECT_THAT(with(1.5, training), ThrowsMessage<std::invalid_argument>(want + "1.5; x=[2, 3]"));
    EXPECT_THAT(with(std::nan(""), training),
                ThrowsMessage<std::invalid_argument>(want + "nan; x=[2, 3]"));
  }
  EXPECT_THAT([&] { dropout(arange(0, 3), 0.5, generator, true); },
              ThrowsMessage<std::invalid_argument>(
                  "dropout: expected float32 or float64, got int64; x=[3]"));
  EXPECT_THAT(
      [&] { dropout(Tensor(), 0.5, generator, false); },
      ThrowsMessage<std::invalid_argument>("dropout: expected a tensor, got an undefined one"));
  EXPECT_EQ(generator.next_u32(), untouched.next_u32());
  EXPECT_THAT(x.to_vector(), Each(1));
}

}  // namespace
}  // namespace gradwalk
