#pragma once

#include <cstdint>
#include <vector>

#include "lessons/driver/probe/checkpoint.h"
#include "lessons/driver/probe/inputs.h"
#include "lessons/driver/probe/mean.h"

namespace gradwalk::probe {

/// How the query of the token that asks (the first of an encoder, the last of a language model)
/// fits the keys of a class of tokens, beside the keys of all others: the control group. Its own
/// key is in neither. Means over the texts that have tokens of both.
struct ClassMatch {
  Mean gap;            ///< mean score of the class less that of the others, in the standard
                       ///< deviation of all of them
  Mean rank;           ///< place of the best key of the class among all, from 1
  Mean keys;           ///< how many there are
  Mean weight;         ///< on the class together
  Mean cosine;         ///< of the query and the class' mean key
  Mean others_cosine;  ///< the same of the others
};

/// Adds one text to the match of one head.
/// @param trace  of the head's layer, batch 1
void add_text(ClassMatch& match, const Checkpoint& model, const nn::AttentionTrace& trace,
              std::int64_t head, const Ids& text, const TokenClass& wanted);

/// The matches of all heads with all classes: [layer][head][class].
/// @throws as Checkpoint::run
std::vector<std::vector<std::vector<ClassMatch>>> match_classes(
    const Checkpoint& model, const std::vector<Ids>& texts, const std::vector<TokenClass>& classes);

}  // namespace gradwalk::probe
