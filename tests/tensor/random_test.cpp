#include "tensor/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/kernels/philox.h"
#include "tensor/threads.h"

namespace gradwalk {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::Lt;
using testing::ThrowsMessage;

// The known answers that the authors publish with Random123 (kat_vectors, philox4x32 10).
TEST(Philox, MatchesThePublishedVectors) {
  EXPECT_THAT(philox4x32({0, 0, 0, 0}, {0, 0}),
              ElementsAre(0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U));
  constexpr std::uint32_t kOnes = 0xffffffffU;
  EXPECT_THAT(philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
              ElementsAre(0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU));
  EXPECT_THAT(
      philox4x32({0x243f6a88U, 0x85a308d3U, 0x13198a2eU, 0x03707344U}, {0xa4093822U, 0x299f31d0U}),
      ElementsAre(0xd16cfe09U, 0x94fdcceb, 0x5001e420U, 0x24126ea1U));
}

std::vector<std::uint32_t> words(Generator generator, int count) {
  std::vector<std::uint32_t> result;
  for (int i = 0; i < count; ++i) result.push_back(generator.next_u32());
  return result;
}

TEST(Generator, SameSeedAndNameGiveTheSameStream) {
  EXPECT_EQ(words(Generator(7, "weights"), 100), words(Generator(7, "weights"), 100));
  EXPECT_EQ(Generator(7, "weights").seed(), 7U);
}

TEST(Generator, AnotherSeedOrNameGivesAnotherStream) {
  const auto first = words(Generator(7, "weights"), 8);
  EXPECT_NE(first, words(Generator(8, "weights"), 8));
  EXPECT_NE(first, words(Generator(7 + (std::uint64_t{1} << 32), "weights"), 8));
  EXPECT_NE(first, words(Generator(7, "weight"), 8));
  EXPECT_NE(first, words(Generator(7, ""), 8));
}

TEST(Generator, StreamGoesOnPastOneBlock) {
  const auto stream = words(Generator(1, "a"), 12);
  for (std::size_t i = 4; i < stream.size(); ++i) EXPECT_NE(stream[i], stream[i - 4]);
}

TEST(Generator, FillAndSkipGoOnWhereNextWordStands) {
  const auto stream = words(Generator(9, "words"), 400);
  for (const int before : {0, 1, 3, 4, 6}) {
    for (const int count : {0, 1, 2, 5, 31, 32, 33, 64, 131}) {
      Generator fills(9, "words");
      for (int i = 0; i < before; ++i) fills.next_u32();
      Generator skips = fills;
      std::vector<std::uint32_t> filled(static_cast<std::size_t>(count));
      fills.fill(filled.data(), count);
      skips.skip(count);
      for (std::size_t i = 0; i < filled.size(); ++i) {
        EXPECT_EQ(filled[i], stream[static_cast<std::size_t>(before) + i]) << before << " " << i;
      }
      const std::uint32_t next = stream[static_cast<std::size_t>(before + count)];
      EXPECT_EQ(fills.next_u32(), next);
      EXPECT_EQ(skips.next_u32(), next) << before << " " << count;
    }
  }
}

TEST(Generator, AStateGoesOnWhereItWasTaken) {
  for (const int before : {0, 1, 2, 3, 4, 5, 8, 33}) {
    for (const int normals : {0, 1, 2}) {
      Generator first(3, "stream");
      first.skip(before);
      for (int i = 0; i < normals; ++i) first.normal();
      Generator second(3, "stream");
      second.set_state(first.state());
      EXPECT_EQ(second.state().to_vector(), first.state().to_vector());
      EXPECT_EQ(second.normal(), first.normal()) << before << " " << normals;
      EXPECT_EQ(words(second, 9), words(first, 9)) << before << " " << normals;
    }
  }
  Generator back(3, "stream");
  const Tensor fresh = back.state();
  back.normal();
  back.set_state(fresh);  // forgets the normal number that it had to spare
  EXPECT_EQ(back.normal(), Generator(3, "stream").normal());
}

TEST(Generator, RefusesWhatIsNoStateOfItsStream) {
  Generator generator(3, "stream");
  generator.skip(2);
  const Tensor before = generator.state();
  const auto refuses = [&](const Tensor& state, const char* what) {
    EXPECT_THAT([&] { generator.set_state(state); }, ThrowsMessage<std::invalid_argument>(what));
    EXPECT_EQ(generator.state().to_vector(), before.to_vector());
  };
  refuses({}, "Generator::set_state: expected int64 [6], got undefined");
  refuses(arange(0, 5), "Generator::set_state: expected int64 [6], got int64 [5]");
  refuses(zeros({6}), "Generator::set_state: expected int64 [6], got float32 [6]");
  EXPECT_THAT([&] { generator.set_state(Generator(4, "stream").state()); },
              ThrowsMessage<std::invalid_argument>(testing::StartsWith(
                  "Generator::set_state: expected a state of the stream (3, ")));
  EXPECT_THROW(generator.set_state(Generator(3, "another").state()), std::invalid_argument);
  Tensor used = clone(before);
  used.mutable_data<std::int64_t>()[3] = 5;
  refuses(used,
          "Generator::set_state: expected the numbers of a state, got block 1, 5 words used, "
          "spare 0");
  Tensor spare = clone(before);
  spare.mutable_data<std::int64_t>()[4] = 2;
  EXPECT_THROW(generator.set_state(spare), std::invalid_argument);
  Tensor block = clone(before);
  block.mutable_data<std::int64_t>()[2] = 0;
  EXPECT_THROW(generator.set_state(block), std::invalid_argument);
}

// Block numbers are 64 bits: several at once carry as one alone does.
TEST(Philox, BlocksBesideEachOtherAreThoseOneByOne) {
  constexpr std::uint64_t kSeed = 0x123456789abcdef0;
  constexpr std::uint64_t kStream = 0xfedcba9876543210;
  for (const std::uint64_t first :
       {std::uint64_t{0}, (std::uint64_t{1} << 32) - 5, ~std::uint64_t{11}}) {
    std::vector<std::uint32_t> got(4 * 21);
    kernels::philox_blocks(kSeed, kStream, first, 21, got.data());
    for (std::uint64_t block = 0; block < 21; ++block) {
      const std::uint64_t index = first + block;
      const auto want = philox4x32(
          {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
           static_cast<std::uint32_t>(kStream), static_cast<std::uint32_t>(kStream >> 32)},
          {static_cast<std::uint32_t>(kSeed), static_cast<std::uint32_t>(kSeed >> 32)});
      for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(got[4 * block + i], want[i]) << index;
    }
  }
}

TEST(Generator, DrawsFromOneDoNotMoveAnother) {
  Generator a(3, "a");
  Generator b(3, "b");
  const std::uint32_t first = b.next_u32();
  Generator again(3, "b");
  for (int i = 0; i < 10; ++i) a.normal();
  EXPECT_EQ(again.next_u32(), first);
  EXPECT_EQ(again.next_u32(), b.next_u32());
}

// Box and Muller: one pair of uniforms gives two normals, the cosine first.
TEST(Generator, NormalsComeInPairsFromTwoUniforms) {
  Generator uniforms(9, "pairs");
  Generator normals(9, "pairs");
  for (int pair = 0; pair < 3; ++pair) {
    const double radius = std::sqrt(-2 * std::log(1 - uniforms.uniform()));
    const double angle = 2 * std::numbers::pi * uniforms.uniform();
    EXPECT_DOUBLE_EQ(normals.normal(), radius * std::cos(angle));
    EXPECT_DOUBLE_EQ(normals.normal(), radius * std::sin(angle));
  }
}

struct Moments {
  double mean = 0, variance = 0, fourth = 0;
};

template <class Draw>
Moments moments(int count, double center, Draw draw) {
  Moments m;
  for (int i = 0; i < count; ++i) {
    const double x = draw() - center;
    m.mean += x / count;
    m.variance += x * x / count;
    m.fourth += x * x * x * x / count;
  }
  return m;
}

// 5 standard errors each: a right generator fails one in two million times, and the seed is fixed.
constexpr int kDraws = 200000;
constexpr double kErrors = 5;
double root_of_draws() { return std::sqrt(double{kDraws}); }

TEST(Generator, NormalHasTheMomentsOfANormal) {
  Generator generator(11, "moments");
  const Moments m = moments(kDraws, 0, [&] { return generator.normal(); });
  EXPECT_NEAR(m.mean, 0, kErrors * 1 / root_of_draws());
  EXPECT_NEAR(m.variance, 1, kErrors * std::sqrt(2.0) / root_of_draws());
  EXPECT_NEAR(m.fourth, 3, kErrors * std::sqrt(96.0) / root_of_draws());
}

// The two numbers of one Box-Muller pair share radius and angle, and must not be correlated, nor
// their squares.
TEST(Generator, NormalPairsAreIndependent) {
  Generator generator(12, "pairs");
  double product = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double a = generator.normal();
    const double b = generator.normal();
    product += a * b / kDraws;
    squares += (a * a - 1) * (b * b - 1) / kDraws;
  }
  EXPECT_NEAR(product, 0, kErrors / root_of_draws());
  EXPECT_NEAR(squares, 0, kErrors * 2 / root_of_draws());
}

TEST(Generator, UniformHasTheMomentsOfAUniform) {
  Generator generator(13, "moments");
  const Moments m = moments(kDraws, 0.5, [&] { return generator.uniform(); });
  EXPECT_NEAR(m.mean, 0, kErrors * std::sqrt(1.0 / 12) / root_of_draws());
  EXPECT_NEAR(m.variance, 1.0 / 12, kErrors * std::sqrt(1.0 / 180) / root_of_draws());
}

TEST(Generator, StreamsOfTwoNamesAreNotCorrelated) {
  Generator a(14, "query");
  Generator b(14, "key");
  double product = 0;
  for (int i = 0; i < kDraws; ++i) product += (a.uniform() - 0.5) * (b.uniform() - 0.5) / kDraws;
  EXPECT_NEAR(product, 0, kErrors / 12 / root_of_draws());
}

TEST(Generator, BelowIsUniform) {
  Generator generator(15, "below");
  std::array<int, 10> counts{};
  for (int i = 0; i < 100000; ++i) ++counts.at(static_cast<std::size_t>(generator.below(10)));
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - 1e4) * (count - 1e4) / 1e4;
  // 9 degrees of freedom: mean 9, standard deviation sqrt(18).
  EXPECT_LT(chi_square, 9 + kErrors * std::sqrt(18.0));
}

// 2^32 words fall on 3 * 2^30 results: without rejection every third result comes twice as often.
TEST(Generator, BelowIsUnbiasedForALargeRange) {
  Generator generator(16, "below");
  constexpr int kCount = 100000;
  int hits = 0;
  for (int i = 0; i < kCount; ++i) hits += generator.below(std::int64_t{3} << 30) % 3 == 0 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(hits) / kCount, 1.0 / 3, kErrors * std::sqrt(2.0 / 9 / kCount));
}

TEST(Generator, BelowHasItsBounds) {
  Generator generator(17, "bounds");
  EXPECT_EQ(generator.below(1), 0);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_THAT(generator.below(3), AllOf(Ge(0), Lt(3)));
    EXPECT_THAT(generator.below(std::int64_t{1} << 32), AllOf(Ge(0), Lt(std::int64_t{1} << 32)));
  }
  EXPECT_THAT([&] { generator.below(0); },
              ThrowsMessage<std::invalid_argument>("below: expected 0 < n <= 2^32, got 0"));
  EXPECT_THROW(generator.below(-1), std::invalid_argument);
  EXPECT_THROW(generator.below((std::int64_t{1} << 32) + 1), std::invalid_argument);
}

TEST(Random, TensorsAreDrawnInRowMajorOrder) {
  Generator all(5, "x");
  const Tensor x = normal({2, 3}, all, DType::kFloat64);
  Generator one(5, "x");
  for (const double element : x.to_vector()) EXPECT_EQ(element, one.normal());
}

TEST(Random, UniformStaysInItsRange) {
  Generator generator(6, "range");
  EXPECT_THAT(uniform({1000}, generator, -2, 3).to_vector(), Each(AllOf(Ge(-2), Lt(3))));
  EXPECT_THAT(uniform({4}, generator, 2, 2).to_vector(), Each(2));
}

// The first number of this stream is 0.99999999: rounded to float32 it was 1.
TEST(Random, UniformIsNeverItsUpperBoundInFloat32) {
  Generator wide(69595937, "near one");
  ASSERT_GT(wide.uniform(), 1 - 0x1p-25);
  Generator generator(69595937, "near one");
  EXPECT_EQ(uniform({1}, generator).item(), 1 - 0x1p-24);
  Generator again(69595937, "near one");
  EXPECT_LT(uniform({1}, again, 5, 7).item(), 7);
}

TEST(Random, Errors) {
  Generator generator(8, "errors");
  EXPECT_THAT([&] { uniform({2}, generator, 1, 0); },
              ThrowsMessage<std::invalid_argument>("uniform: expected low <= high, got 1 and 0"));
  EXPECT_THROW(uniform({2}, generator, std::nan(""), 0), std::invalid_argument);
  EXPECT_THAT([&] { uniform({2}, generator, -1e308, 1e308); },
              ThrowsMessage<std::invalid_argument>(
                  "uniform: expected high - low to be finite, got -1e+308 and 1e+308"));
  EXPECT_THAT([&] { normal({2}, generator, DType::kInt64); },
              ThrowsMessage<std::invalid_argument>(
                  "normal: expected float32 or float64, got int64; x=[2]"));
  EXPECT_THROW(normal({-2}, generator), ShapeError);
  EXPECT_EQ(generator.next_u32(), Generator(8, "errors").next_u32());  // nothing was drawn
}

// A generator for each thread, or a fast path for long blocks, gave other numbers for the same
// seed. They are the same for any number of threads, as one block of 1003 or as 500 and then 503,
// and in each dtype the same number rounded (BR-37).
TEST(Random, SameSeedSameNumbers) {
  Generator whole(1234, "draws");
  const std::vector<double> want = uniform({1003}, whole, 0, 1, DType::kFloat64).to_vector();
  Generator normals(1234, "normals");
  const std::vector<double> want_normals = normal({1003}, normals, DType::kFloat64).to_vector();
  const int threads_before = num_threads();
  for (const int threads : {1, 2, 7}) {
    set_num_threads(threads);
    Generator parts(1234, "draws");
    std::vector<double> got = uniform({500}, parts, 0, 1, DType::kFloat64).to_vector();
    const std::vector<double> rest = uniform({503}, parts, 0, 1, DType::kFloat64).to_vector();
    got.insert(got.end(), rest.begin(), rest.end());
    EXPECT_EQ(got, want);
    Generator normal_parts(1234, "normals");
    got = normal({500}, normal_parts, DType::kFloat64).to_vector();
    const std::vector<double> more = normal({503}, normal_parts, DType::kFloat64).to_vector();
    got.insert(got.end(), more.begin(), more.end());
    EXPECT_EQ(got, want_normals);
  }
  set_num_threads(threads_before);
}

// Written down once: they must be the same with every compiler and on every machine.
TEST(Random, FirstNumbersOfAStream) {
  Generator generator(1234, "draws");
  EXPECT_EQ(generator.uniform(), 0x1.1e17b2c3f26dp-4);
  EXPECT_EQ(generator.below(1000000), 39402);
  Generator shifted(1234, "draws");
  EXPECT_EQ(uniform({1}, shifted, 5, 7, DType::kFloat64).item(), 0x1.48f0bd961f936p+2);
}

}  // namespace
}  // namespace gradwalk
