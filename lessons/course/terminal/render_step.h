#pragma once

#include <cstddef>
#include <string>

#include "lessons/course/engine/catalogue.h"
#include "lessons/course/engine/record.h"
#include "lessons/course/text/text.h"

namespace gradwalk::course {

/// Columns of the names of a page's parts, which stand left of their content.
inline constexpr int kLabelWidth = 12;

/// A step as the terminal shows it: title, then formula, numbers, picture, check, why, try; behind
/// the formula the prediction, if the learner made one.
Lines render_step(const RunRecord& run, std::size_t at, const Catalogue& catalogue,
                  const Display& display);

/// The same in two parts, for a prediction that is asked for in between: title, formula and the
/// question with its choices; then what was guessed and the rest.
Lines render_question(const RunRecord& run, std::size_t at, const Display& display);
Lines render_answer(const RunRecord& run, std::size_t at, const Catalogue& catalogue,
                    const Display& display);

/// The numbers part: single numbers with aligned points, tables, and the shapes of what t, g and c
/// can show.
Lines render_numbers(const StepRecord& step, int width);

/// The check part: claims with their evidence and control, plain checks, gradient badges.
Lines render_checks(const RunRecord& run, const StepRecord& step, const Catalogue& catalogue,
                    int width);

/// One element of the newest tensor of that name up to step `step`: its terms, largest first, added
/// up again and compared with the record.
/// @throws std::out_of_range if there is no such tensor or element
Lines render_explanation(const RunRecord& run, std::size_t step, const std::string& tensor,
                         const Index& index, const Display& display);

}  // namespace gradwalk::course
