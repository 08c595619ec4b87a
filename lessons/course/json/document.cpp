#include "lessons/course/json/document.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace gradwalk::course {

nlohmann::ordered_json parse_document(std::string_view text) {
  auto document = nlohmann::ordered_json::parse(text);
  if (!document.is_object() || !document.contains("schema")) {
    throw std::runtime_error("expected an object with \"schema\"");
  }
  if (document.at("schema") != kSchema) {
    throw std::runtime_error(
        fmt::format("expected schema {}, got {}", kSchema, document.at("schema").dump()));
  }
  return document;
}

std::string json_reason(const std::exception& error) {
  const std::string text = error.what();
  const std::size_t bracket = text.find("] ");
  return text.starts_with("[json") && bracket != std::string::npos ? text.substr(bracket + 2)
                                                                   : text;
}

}  // namespace gradwalk::course
