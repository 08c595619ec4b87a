#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lessons/course/engine/measure.h"
#include "lessons/course/engine/step.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/training.h"

namespace gradwalk::lesson_22 {

inline constexpr std::int64_t kTestTexts = 1000;

/// Texts of so many numbers and four nouns, of which the largest number is asked for.
tasks::NumberTask texts_with(std::int64_t numbers, tasks::NumberDraw draw);

/// What is measured on one trained model.
struct KeySpread {
  double own = 0;    ///< share answered right of texts such as it was trained on
  double pair = 0;   ///< of texts of two numbers, each drawn by itself; NaN if the largest is not
                     ///< what was asked for
  double rho = 0;    ///< Spearman of the numbers' logits z and their worth
  double all = 0;    ///< nn::ordered_pairs of z: share of pairs with the larger over 1 nat ahead
  double share = 0;  ///< of the keys' first principal component in their variance
  /// The same of a half of the numbers, and how that half lies along the first component.
  struct Half {
    double pairs = 0;   ///< nn::ordered_pairs within it
    double spread = 0;  ///< standard deviation of its places relative to that of all
    double order = 0;   ///< |Spearman| of its places and their worth
  };
  Half low = {}, high = {};
  tasks::ClsHead head = {};
  Tensor z = {};  ///< [N], in nats
};

/// Of so many models of a training, with seeds 100 base + i, i = 0, 1, ... Trained and measured
/// once a process.
std::vector<const KeySpread*> key_spreads(const course::Step& step,
                                          const tasks::NumberTraining& training,
                                          std::int64_t models);

/// A number of each model, in the models' order: what `of` picks.
template <class Pick>
std::vector<double> each(const std::vector<const KeySpread*>& models, Pick of) {
  std::vector<double> values;
  for (const KeySpread* model : models) values.push_back(std::invoke(of, *model));
  return values;
}
/// Its mean and bounds over the models.
template <class Pick>
course::Spread over(const std::vector<const KeySpread*>& models, Pick of) {
  return course::spread_of(each(models, of));
}

/// Is each of `a` below the one of the same place in `b`?
bool all_below(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace gradwalk::lesson_22
