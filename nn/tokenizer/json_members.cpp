#include "nn/tokenizer/json_members.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace gradwalk::nn::tokenizer_json {

void fail(const std::string& where, const std::string& what) {
  throw std::runtime_error(where + ": " + what);
}

void unsupported(const std::string& what) { throw std::runtime_error(what + " is not supported"); }

const Json& member(const Json& object, const std::string& key, const std::string& where) {
  if (!object.is_object()) fail(where, "expected an object");
  const auto found = object.find(key);
  if (found == object.end()) fail(where, fmt::format("expected a member \"{}\"", key));
  return *found;
}

std::string text(const Json& object, const std::string& key, const std::string& where) {
  const Json& value = member(object, key, where);
  if (!value.is_string()) fail(where + "." + key, "expected a string");
  return value.get<std::string>();
}

std::int64_t integer(const Json& object, const std::string& key, const std::string& where) {
  const Json& value = member(object, key, where);
  if (!value.is_number_integer()) fail(where + "." + key, "expected an integer");
  return value.get<std::int64_t>();
}

bool has(const Json& object, const std::string& key) {
  const auto found = object.find(key);
  return found != object.end() && !found->is_null();
}

bool flag(const Json& object, const std::string& key, bool otherwise, const std::string& where) {
  if (!has(object, key)) return otherwise;
  if (!object.at(key).is_boolean()) fail(where + "." + key, "expected true or false");
  return object.at(key).get<bool>();
}

}  // namespace gradwalk::nn::tokenizer_json
