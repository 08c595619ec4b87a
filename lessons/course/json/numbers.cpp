#include "lessons/course/json/numbers.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace gradwalk::course {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json number_to_json(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

Json numbers_to_json(const std::vector<double>& values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(number_to_json(value));
  return array;
}

double number_from_json(const Json& value) {
  if (!value.is_string()) return value.get<double>();
  const auto text = value.get<std::string>();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  if (text == "Infinity") return infinity;
  if (text == "-Infinity") return -infinity;
  throw std::runtime_error(fmt::format("'{}' is no number", text));
}

std::vector<double> numbers_from_json(const Json& array) {
  std::vector<double> values;
  for (const Json& value : array) values.push_back(number_from_json(value));
  return values;
}

std::string text_field(const Json& object, const char* field) {
  return object.at(field).get<std::string>();
}

void require_fit(bool fits, const std::string& what) {
  if (!fits) throw std::runtime_error(what);
}

}  // namespace gradwalk::course
