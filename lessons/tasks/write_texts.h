#pragma once

#include <cstdint>
#include <vector>

#include "nn/causal_lm.h"
#include "tensor/random.h"

namespace gradwalk::tasks {

/// Goes on with several texts side by side: one forward a word for all of them, where nn::generate
/// writes one text. The model reads the newest words of each, as many as it has positions, or the
/// last one alone if it has none and no attention either.
///
/// @param prompts      int64 [N, P]
/// @param words        that each text is to get
/// @param temperature  logits are divided by it; 0: always the most likely word
/// @param generator    a text takes one uniform number a word, whatever the temperature: texts of
///                     different temperatures are paired
/// @return             the new words, int64 [N, words]
/// @throws ShapeError unless prompts are [N, P] with P >= 1; std::invalid_argument for words < 1
/// and as nn::candidates does
Tensor write_texts(nn::CausalLm& model, const Tensor& prompts, std::int64_t words,
                   double temperature, Generator& generator);

}  // namespace gradwalk::tasks
