#include "lessons/01_soft_lookup/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/activation.h"
#include "autograd/backward.h"
#include "autograd/softmax.h"
#include "nn/diagnostics/cosine.h"
#include "nn/diagnostics/entropy.h"
#include "tensor/compare.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/gather.h"
#include "tensor/join.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"
#include "tensor/sort.h"

namespace gradwalk::lesson_01 {
namespace {

double mean_of(const Tensor& x) { return mean(x).item(); }

}  // namespace

Cards cards() {
  return {.names = {"cat", "dog", "car", "bus"},
          .q = vector({0.1, 1.6}, kF64),
          .keys = matrix({{2.0, 0.2}, {1.6, 0.4}, {0.1, 1.8}, {0.4, 2.1}}, kF64),
          .values = matrix({{4, 0}, {4, 0}, {0, 4}, {0, 6}}, kF64)};
}

void record_cards(course::Step& step, const Cards& cards) {
  using course::Explain;
  step.tensor("q", cards.q).axes("trait").explain(Explain::given("the question, chosen by hand"));
  step.tensor("K", cards.keys)
      .axes("card", "trait")
      .rows(cards.names)
      .columns({"animal", "vehicle"})
      .explain(Explain::given("what stands on the cards, chosen by hand"));
  step.tensor("V", cards.values)
      .axes("card", "count")
      .rows(cards.names)
      .columns({"legs", "wheels"})
      .explain(Explain::given("what the cards answer, chosen by hand"));
  step.tensor("s", matmul(cards.keys, cards.q))
      .axes("card")
      .rows(cards.names)
      .explain(Explain::contraction("ci,i->c", {"K", "q"}));
}

double agreement(const Tensor& queries, const Tensor& keys) {
  const Tensor by_product = argmax(matmul(queries, transpose(keys)), /*axis=*/-1);
  const Tensor by_cosine = argmax(nn::cosine(unsqueeze(queries, 1), unsqueeze(keys, 0)), -1);
  return mean_of(to(equal(by_product, by_cosine), kF64));
}

course::Spread agreement_over_seeds(const course::Step& step, std::int64_t seeds, double spread) {
  std::vector<double> found;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    Generator gen = step.generator(fmt::format("lengths {}", seed));
    const Tensor q = normal({200, 32}, gen, kF64);
    const Tensor k = normal({64, 32}, gen, kF64);
    const Tensor direction = k / unsqueeze(nn::length(k), 1);
    const Tensor z = normal({64, 1}, gen, kF64);
    found.push_back(agreement(q, direction * exp(z * spread)));
  }
  return course::spread_of(found);
}

Variable shares(const Variable& scores, bool alone) {
  return alone ? sigmoid(scores) : softmax(scores, /*axis=*/-1);
}

Tensor jacobian_of_shares(const Tensor& scores, bool alone) {
  std::vector<Tensor> rows;
  for (std::int64_t i = 0; i < scores.numel(); ++i) {
    const Variable s = parameter(clone(scores));
    backward(shares(s, alone), one_hot(scalar(static_cast<double>(i), DType::kInt64),
                                       scores.numel(), scores.dtype()));
    rows.push_back(s.grad());
  }
  return stack(rows, /*axis=*/0);
}

Competition competition_over_seeds(const course::Step& step, std::int64_t seeds, bool alone) {
  constexpr std::int64_t kScores = 8;
  Competition worst;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    Generator gen = step.generator(fmt::format("competition {}", seed));
    const Tensor scores = normal({kScores}, gen, kF64);
    const Tensor share = shares(scores, alone).value();
    const Tensor jacobian = jacobian_of_shares(scores, alone);
    worst.sum_off = std::max(worst.sum_off, std::abs(sum(share).item() - 1));
    worst.column_off = std::max(worst.column_off, course::largest(sum(jacobian, 0)));
    for (std::int64_t j = 0; j < kScores; ++j) {
      Tensor lifted = clone(scores);
      lifted.mutable_data<double>()[j] += 1;
      const Tensor ratio = shares(lifted, alone).value() / share;
      const double expected = 1 / (1 + share.at({j}) * (std::exp(1) - 1));
      for (std::int64_t i = 0; i < kScores; ++i) {
        if (i == j) continue;
        worst.all_others_fall = worst.all_others_fall && ratio.at({i}) < 1;
        worst.factor_off = std::max(worst.factor_off, std::abs(ratio.at({i}) - expected));
        worst.largest_other = std::max(worst.largest_other, jacobian.at({i, j}));
      }
    }
  }
  return worst;
}

Dictionary::Dictionary(std::int64_t keys, std::int64_t d_k, std::int64_t queries,
                       Generator generator) {
  const Tensor q = normal({queries, d_k}, generator, kF64);
  const Tensor k = normal({keys, d_k}, generator, kF64);
  values_ = normal({keys, d_k}, generator, kF64);
  scores_ = matmul(q, transpose(k)) / std::sqrt(static_cast<double>(d_k));
  hard_ = index_select(values_, 0, argmax(scores_, /*axis=*/-1));
  const Tensor best = topk(scores_, 2, /*axis=*/-1).values;
  gaps_ = select(best, 1, 0) - select(best, 1, 1);
}

LookUp Dictionary::at(double temperature) const {
  const Tensor weights = softmax(scores_ / temperature, /*axis=*/-1);
  const Tensor answer = matmul(weights, values_);
  const Tensor blend = mean(values_, 0);
  const Tensor best = max(weights, -1);
  const std::int64_t others = values_.shape()[0] - 1;
  const Tensor bound = static_cast<double>(others) * exp(gaps_ / -temperature);
  // 1 - best would lose the digits that are compared, so the others are added up.
  const Tensor rest = sum(slice(sort(weights, /*axis=*/-1).values, -1, 0, others), -1);
  LookUp found;
  found.error = mean_of(nn::length(answer - hard_) / nn::length(hard_));
  found.from_mean = mean_of(nn::length(answer - blend) / nn::length(hard_));
  found.max_weight = mean_of(best);
  found.entropy = mean_of(nn::entropy(weights));
  // The slack is rounding: of an exponential with an argument of a few hundred.
  const Tensor broken = greater(rest, bound * (1 + 1e-10));
  found.violations = static_cast<int>(sum(to(broken, DType::kInt64)).item());
  return found;
}

Cooling cool(const std::vector<Dictionary>& dictionaries, const std::vector<double>& temperatures) {
  const auto count = static_cast<double>(dictionaries.size());
  Cooling cooling;
  cooling.means.resize(temperatures.size());
  for (const Dictionary& dictionary : dictionaries) {
    LookUp before;
    for (std::size_t i = 0; i < temperatures.size(); ++i) {
      const LookUp now = dictionary.at(temperatures[i]);
      const bool fell = now.error < before.error && now.entropy < before.entropy;
      cooling.falls = cooling.falls && (i == 0 || fell);
      if (i == 0) cooling.from_mean = std::max(cooling.from_mean, now.from_mean);
      cooling.violations += now.violations;
      LookUp& mean = cooling.means[i];
      mean.error += now.error / count;
      mean.from_mean += now.from_mean / count;
      mean.max_weight += now.max_weight / count;
      mean.entropy += now.entropy / count;
      mean.violations += now.violations;
      before = now;
    }
  }
  return cooling;
}

double unit_keys_off(std::int64_t keys) {
  double off = 0;
  for (const double beta : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0}) {
    const Tensor cards = eye(keys, kF64);
    const Tensor w = softmax(matmul(cards, beta * select(cards, 0, 0)), /*axis=*/-1);
    const double formula = std::exp(beta) / (std::exp(beta) + static_cast<double>(keys - 1));
    off = std::max(off, std::abs(w.at({0}) - formula));
  }
  return off;
}

TokenScores token_scores(std::int64_t tokens, std::int64_t d_k, Generator generator, bool flat) {
  TokenScores found;
  found.q = normal({tokens, d_k}, generator, kF64);
  found.k = normal({tokens, d_k}, generator, kF64);
  found.scores = flat ? full({tokens, tokens}, 1 / static_cast<double>(tokens), kF64)
                      : matmul(found.q, transpose(found.k)) / std::sqrt(static_cast<double>(d_k));
  return found;
}

Margins margins_over_seeds(const course::Step& step, std::int64_t seeds, bool flat) {
  Margins found;
  std::vector<double> column_off, lowest, highest;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const TokenScores tokens =
        token_scores(64, 32, step.generator(fmt::format("map {}", seed)), flat);
    const Tensor weights = softmax(tokens.scores, /*axis=*/-1);
    const Tensor received = sum(weights, 0);
    found.row_off = std::max(found.row_off, course::largest(sum(weights, 1) - 1.0));
    found.raw_row_off = std::max(found.raw_row_off, course::largest(sum(tokens.scores, 1) - 1.0));
    found.column_mean_off = std::max(found.column_mean_off, std::abs(mean_of(received) - 1));
    column_off.push_back(course::largest(received - 1.0));
    lowest.push_back(min(received).item());
    highest.push_back(max(received).item());
  }
  found.column_off = course::spread_of(column_off);
  found.lowest_column = course::spread_of(lowest).lowest;
  found.highest_column = course::spread_of(highest).highest;
  return found;
}

}  // namespace gradwalk::lesson_01
