#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/variable.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/engine/step.h"
#include "tensor/dtype.h"
#include "tensor/random.h"
#include "tensor/tensor.h"

namespace gradwalk::lesson_01 {

inline constexpr DType kF64 = DType::kFloat64;

/// The cards of the first steps: two numbers of key, two of value.
struct Cards {
  std::vector<std::string> names;
  Tensor q;       ///< [2], what is asked for
  Tensor keys;    ///< [4, 2]
  Tensor values;  ///< [4, 2]
};
Cards cards();

/// Records q, K, V and the scores s = K q.
void record_cards(course::Step& step, const Cards& cards);

/// Which share of queries finds the same best key by dot product as by cosine?
double agreement(const Tensor& queries, const Tensor& keys);

/// That of 200 queries with 64 keys of width 32, over seeds. Keys point anywhere and have the
/// length exp(spread z), z N(0, 1).
course::Spread agreement_over_seeds(const course::Step& step, std::int64_t seeds, double spread);

/// Shares of scores [N], as softmax gives them, or each score by itself (a sigmoid).
Variable shares(const Variable& scores, bool alone);

/// J[i, j] = d share i / d score j, by autograd, [N, N].
Tensor jacobian_of_shares(const Tensor& scores, bool alone);

/// 8 random scores, each lifted by 1 in turn: the worst over seeds.
struct Competition {
  double sum_off = 0;         ///< |sum of shares - 1|
  double factor_off = 0;      ///< other shares' ratio, off 1 / (1 + w_j (e - 1))
  double column_off = 0;      ///< |column sum of J|
  double largest_other = -1;  ///< dw_i/ds_j, i not j
  bool all_others_fall = true;
};
Competition competition_over_seeds(const course::Step& step, std::int64_t seeds, bool alone);

/// What a look-up at one temperature gives, as means over the queries.
struct LookUp {
  double error = 0;       ///< |answer - value of the best key| / |that value|
  double from_mean = 0;   ///< |answer - mean of all values| / |value of the best key|
  double max_weight = 0;  ///< of the best key
  double entropy = 0;     ///< of the weights, nats
  int violations = 0;     ///< queries that break the bound
};

/// One random dictionary with its queries, in float64.
class Dictionary {
 public:
  /// Keys [keys, d_k], values [keys, d_k] and queries [queries, d_k], all N(0, 1); scores
  /// q.k / sqrt(d_k).
  Dictionary(std::int64_t keys, std::int64_t d_k, std::int64_t queries, Generator generator);

  /// weights = softmax(scores / temperature), answer = weights V. The bound is that all keys but
  /// the best share at most (keys - 1) exp(-gap / temperature), gap between the two best scores.
  LookUp at(double temperature) const;

 private:
  Tensor scores_;  ///< [queries, keys]
  Tensor values_;  ///< [keys, d_k]
  Tensor hard_;    ///< [queries, d_k], the value of the best key
  Tensor gaps_;    ///< [queries], between the best and the second best score
};

/// Dictionaries of several seeds at falling temperatures.
struct Cooling {
  std::vector<LookUp> means;  ///< by temperature, over the seeds; violations are added up
  bool falls = true;          ///< error and entropy, from each temperature to the next, all seeds
  double from_mean = 0;       ///< at the first temperature, worst seed
  int violations = 0;
};
Cooling cool(const std::vector<Dictionary>& dictionaries, const std::vector<double>& temperatures);

/// n orthogonal keys e_i and the query beta e_1, for beta = 1, 2, 4 ... 32: how far the first
/// weight is from e^beta / (e^beta + n - 1).
double unit_keys_off(std::int64_t keys);

/// Scores of random tokens, [n, n]; alike (1/n) if `flat`.
struct TokenScores {
  Tensor q, k;    ///< [n, d_k], N(0, 1)
  Tensor scores;  ///< q k^T / sqrt(d_k)
};
TokenScores token_scores(std::int64_t tokens, std::int64_t d_k, Generator generator, bool flat);

/// Sums of rows and columns of 64 x 64 weights, d_k = 32, over seeds.
struct Margins {
  double row_off = 0;           ///< |row sum - 1|, worst
  double raw_row_off = 0;       ///< the same of the scores before the softmax
  double column_mean_off = 0;   ///< |mean of the column sums - 1|, worst
  course::Spread column_off{};  ///< largest |column sum - 1| of each seed
  double lowest_column = 0;
  double highest_column = 0;
};
Margins margins_over_seeds(const course::Step& step, std::int64_t seeds, bool flat);

}  // namespace gradwalk::lesson_01
