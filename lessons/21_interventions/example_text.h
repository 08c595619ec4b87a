#pragma once

#include <string>
#include <vector>

#include "lessons/course/engine/step.h"
#include "lessons/tasks/numbers/measures.h"

/// What is shown of a text, and of the vocabulary.
namespace gradwalk::lesson_21 {

/// A text of three numbers and five nouns, of the vocabulary of 16 and 16.
struct ExampleText {
  std::vector<std::string> tokens;
  std::vector<double> ids;
  std::size_t largest;  ///< where the largest number stands
};
ExampleText example_text();

/// Records q [heads, 8], K [heads, 9, 8], z and w [heads, 9] of heads that read the example, and
/// draws w.
void record_reading(course::Step& step, const std::string& caption,
                    const std::vector<std::string>& names,
                    const std::vector<tasks::ClsHead>& heads);

/// Scores of the numbers, in nats, less their mean, which softmax does not see.
std::vector<double> centred_scores(const tasks::Alignment& alignment);

}  // namespace gradwalk::lesson_21
