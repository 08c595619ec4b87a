#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lessons/tasks/grammar.h"
#include "nn/causal_lm.h"

namespace gradwalk::lesson_09 {

/// Logits [T, V] of a text [T], row t from the first t + 1 words alone, as in writing: what comes
/// after does not exist.
Tensor stepwise_logits(nn::CausalLm& model, const Tensor& text);

/// Mean loss of the word behind each prefix of `first` to `last` words, the first of the windows of
/// a text, nats: what counts in writing. Behind a whole window of training even an open model is
/// honest: the next word was never in it.
/// @return  one for each length
std::vector<double> prefix_losses(nn::CausalLm& model, const std::vector<std::int64_t>& text,
                                  std::int64_t first, std::int64_t last, std::int64_t windows);

/// Texts of 64 words that a model draws behind 8 words of a text, and how much of them is right,
/// from their first mark on: what was begun for it does not count.
struct WrittenTexts {
  tasks::GrammarScore score;
  std::string first;  ///< the beginning of the first text

  double legal_sentences() const;  ///< share; 0 without any sentence
  double legal_pairs() const;      ///< likewise
};
WrittenTexts written_texts(nn::CausalLm& model, const std::vector<std::int64_t>& prompts,
                           std::int64_t texts, Generator generator);

/// The score of a text from behind its first mark on; empty without a mark.
tasks::GrammarScore score_behind_first_mark(std::span<const std::int64_t> ids);

}  // namespace gradwalk::lesson_09
