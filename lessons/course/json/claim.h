#pragma once

#include <nlohmann/json_fwd.hpp>

#include "lessons/course/engine/environment.h"
#include "lessons/course/engine/ledger.h"

namespace gradwalk::course {

/// A number as JSON has it; NaN and infinities become "NaN", "Infinity", "-Infinity".
nlohmann::ordered_json number_to_json(double value);
/// @throws std::exception that says what is wrong, as the others that read
double number_from_json(const nlohmann::ordered_json& value);

nlohmann::ordered_json to_json(const Environment& environment);
Environment environment_from_json(const nlohmann::ordered_json& object);

/// The record of a claim with its environment, fields in the order of the design.
nlohmann::ordered_json to_json(const LedgerRecord& record);

LedgerRecord ledger_record_from(const nlohmann::ordered_json& object);

}  // namespace gradwalk::course
