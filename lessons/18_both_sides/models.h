#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lessons/tasks/numbers/training.h"

/// How the models of lesson 18 are trained: one recipe, of which parts are held still or a
/// condition is taken away.
namespace gradwalk::lesson_18 {

/// What is taken away. The recipe is that of lesson 17: asked is the largest number.
enum class Without {
  kNothing,
  kQuestion,      ///< answers are drawn: no number helps
  kNumbers,       ///< asked is the last noun
  kOwnKeys,       ///< all numbers have one key, made of the mean of their embeddings
  kScores,        ///< weights are 1 / 9 whatever the scores
  kCompetition,   ///< weights are sigmoid(z) / 9: each token's own
  kPositiveness,  ///< weights are z / 9, of either sign
};
const char* name(Without what);
tasks::NumberTraining training_without(Without what, std::int64_t updates);

/// Which of the parts that make scores move; values and readout always do.
struct Movers {
  bool table, query, key;
};
/// All eight choices, from all to none.
std::vector<Movers> all_movers();
std::string name(const Movers& movers);  ///< "e W_Q W_K", "none"
tasks::NumberTraining training_of(const Movers& movers, std::int64_t updates);

/// So many heads, each of width 16 / heads, in place of one of width 8.
tasks::NumberTraining training_with_heads(std::int64_t heads, std::int64_t updates);

}  // namespace gradwalk::lesson_18
