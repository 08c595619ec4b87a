#pragma once

#include <nlohmann/json_fwd.hpp>

#include "lessons/course/engine/environment.h"
#include "lessons/course/engine/ledger.h"

namespace gradwalk::course {

nlohmann::ordered_json to_json(const Environment& environment);
Environment environment_from_json(const nlohmann::ordered_json& object);

/// The record of a claim with its environment, fields in the order of the design.
nlohmann::ordered_json to_json(const LedgerRecord& record);

LedgerRecord ledger_record_from(const nlohmann::ordered_json& object);

}  // namespace gradwalk::course
