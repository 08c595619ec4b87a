#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "tensor/random.h"
#include "tensor/tensor.h"

/// The number task: [CLS], then numbers and nouns in any order; what is asked can be read off [CLS]
/// alone. Token 0 is [CLS], tokens 1, ..., N are numbers worth 0, ..., N - 1, the others are nouns.
namespace gradwalk::tasks {

enum class NumberQuestion {
  kMax,        ///< which number ranks highest
  kNounMax,    ///< which noun comes last in the vocabulary, as if nouns had a rank
  kJoint,      ///< both
  kThreshold,  ///< whether some number is worth N / 2 or more: 0 or 1
  kPresence,   ///< whether there is a number: 0 or 1. Half of the texts have none
  kSum,        ///< what the numbers are worth together
  kNothing     ///< texts as for kMax, answers drawn: nothing says them
};

enum class NumberDraw {
  kBalanced,  ///< the highest rank m first, uniform in 1, ..., N - 1; it stands once, others below
  kUniform    ///< each number by itself, uniform: they may repeat
};

/// Texts of a kind. The rank of a number is what it is worth, unless `order` says otherwise.
struct NumberTask {
  NumberQuestion question = NumberQuestion::kMax;
  NumberDraw draw = NumberDraw::kBalanced;  ///< of what is asked to be ranked; all else is uniform
  std::int64_t numbers = 16;                ///< N
  std::int64_t nouns = 16;
  std::int64_t tokens = 8;  ///< of a text, without [CLS]
  std::int64_t fewest = 2;  ///< numbers in a text, uniform from fewest to most
  std::int64_t most = 4;
  std::vector<std::int64_t> order = {};  ///< worth of the number of each rank; empty: 0, 1, ...

  std::int64_t vocabulary() const { return 1 + numbers + nouns; }
  /// How many answers there are; with kJoint those of the numbers, and the nouns have as many again
  /// as there are nouns.
  std::int64_t classes() const;
  /// Rank of each number, by its worth.
  std::vector<double> ranks() const;

  auto operator<=>(const NumberTask&) const = default;
};

/// Orders to rank by: the smallest is highest; a fixed shuffle of 16; the distance of the worth
/// from the middle, where of two equal ones the larger worth is higher.
std::vector<std::int64_t> smallest_first_order(std::int64_t numbers);
std::vector<std::int64_t> shuffled_order();
std::vector<std::int64_t> magnitude_order(std::int64_t numbers);

struct NumberBatch {
  Tensor ids;     ///< int64 [B, 1 + T], [CLS] first
  Tensor answer;  ///< int64 [B]: the worth that is asked for, a noun's place among nouns, or 0 / 1
  Tensor holds;   ///< bool [B, 1 + T], tokens that hold the answer: the highest one wherever it
                  ///< stands; for kThreshold, kPresence and kSum all numbers
  Tensor noun_answer = {};  ///< the same of the nouns, for kJoint
  Tensor noun_holds = {};
};

/// Draws texts.
/// @throws std::invalid_argument for sizes that do not fit: numbers and nouns below 2, numbers in a
/// text not within 1 <= fewest <= most <= tokens (below tokens where nouns are asked for), for kSum
/// fewest != most, and an order that is no permutation of 0, ..., N - 1
NumberBatch draw_numbers(std::int64_t batch, const NumberTask& task, Generator& generator);

}  // namespace gradwalk::tasks
