#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

/// Numbers and texts of records as JSON has them.
namespace gradwalk::course {

/// NaN and infinities become "NaN", "Infinity", "-Infinity".
nlohmann::ordered_json number_to_json(double value);
nlohmann::ordered_json numbers_to_json(const std::vector<double>& values);

/// @throws std::exception that says what is wrong, as the others that read
double number_from_json(const nlohmann::ordered_json& value);
std::vector<double> numbers_from_json(const nlohmann::ordered_json& array);

/// The text of a field that must be there.
std::string text_field(const nlohmann::ordered_json& object, const char* field);

/// @throws std::runtime_error with these words unless it `fits`
void require_fit(bool fits, const std::string& what);

}  // namespace gradwalk::course
