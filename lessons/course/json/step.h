#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "lessons/course/engine/record.h"

namespace gradwalk::course {

/// Step `at` of a run, with NaN and infinities as texts. Of its claims only the ids, and of its
/// tensors not the recipes.
nlohmann::ordered_json step_to_json(const RunRecord& run, std::size_t at);

/// The step again, as far as the object has it. Its claims have no more than their ids, and its
/// tensors the recipe of a given one.
/// @throws std::exception that says what is wrong
StepRecord step_from_json(const nlohmann::ordered_json& object);

}  // namespace gradwalk::course
