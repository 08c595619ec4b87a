#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "lessons/course/engine/step.h"
#include "lessons/tasks/grammar.h"
#include "lessons/tasks/language_model.h"
#include "tensor/dtype.h"
#include "tensor/tensor.h"

/// Models that have learned the grammar corpus, and what can be read off their heads.
namespace gradwalk::lesson_14 {

inline constexpr DType kF64 = DType::kFloat64;

/// A model of 4 heads of 8 a layer, trained with a seed.
struct LanguageReader {
  std::int64_t layers = 2;
  std::int64_t updates = 600;
  std::uint64_t seed = 1;
  /// Scores times 0, once training is over: all weights of a row are equal.
  bool even_maps = false;

  auto operator<=>(const LanguageReader&) const = default;
};

tasks::LanguageModelOptions options_of(const LanguageReader& reader);
std::unique_ptr<nn::CausalLm> model_of(const course::Step& step, const LanguageReader& reader);

/// Queries and keys of the same word, in all heads, on 64 windows of the test text.
struct QueryKeyMeasures {
  double loss;          ///< nats a word, on 200 windows
  Tensor cosines;       ///< [L, H, words], cos(q_i, k_i)
  double query_length;  ///< mean |q|
  Tensor weights;       ///< [L, B, H, 32, 32], float64
};
QueryKeyMeasures query_key_measures(nn::CausalLm& model, const LanguageReader& reader);

/// Writes every head in another basis, q' = R q and k' = R^-T k. @param r  [8, 8]
void change_basis(nn::CausalLm& model, const Tensor& r);

/// The last word of windows of 24: how it looks at each, and what the prediction owes to each.
struct WeightAndEffect {
  Tensor words;    ///< int64 [N, 24]
  Tensor weights;  ///< [N, 24], the mean of all heads of all layers
  /// [N, 24], nats: KL of the prediction with the word before and after it is hidden from all
  /// heads.
  Tensor effects;
};
const WeightAndEffect& weight_and_effect(const course::Step& step, const LanguageReader& reader,
                                         std::int64_t windows);

/// Whether two measures put the keys of a query in the same order; means over queries.
struct Agreement {
  double spearman;  ///< rank correlation
  double first;     ///< share of queries where both have the same key in front
};
/// @param a, b  [queries, keys]
Agreement order_agreement(const Tensor& a, const Tensor& b);

/// Weights of the last layer against |w dL/dw|, the queries 8, ..., 23 of 64 windows.
Agreement agreement_with_gradient(const course::Step& step, const LanguageReader& reader);

/// One number for each kind of word.
using ByKind = std::array<double, tasks::kGrammarKinds>;

/// Mean weight of a word over an even share, 1 / (t + 1), from the queries t = 8, ..., 31 of 200
/// windows, in all heads.
ByKind weight_by_kind(const course::Step& step, const LanguageReader& reader);
/// Mean of the effects, nats.
ByKind effect_by_kind(const WeightAndEffect& found);
/// Share of the words in the test text.
ByKind text_by_kind(const LanguageReader& reader);

}  // namespace gradwalk::lesson_14
