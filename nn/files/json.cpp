#include "nn/files/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "nn/files/mapped_file.h"
#include "nn/files/read_error.h"

namespace gradwalk::nn {
namespace {

using Json = nlohmann::json;

// What comes after works through them by recursion.
constexpr std::size_t kDeepest = 64;

Json parsed(std::string_view text, const Json::parser_callback_t& watch = nullptr) {
  return Json::parse(text.data(), text.data() + text.size(), watch);
}

}  // namespace

Json read_json_object(const char* op, const std::filesystem::path& path, std::size_t longest) {
  const MappedFile file(op, path);
  const auto refuse = [&](const std::string& expected, const std::string& got) {
    throw_read_error({op, path.string()}, expected, got);
  };
  if (file.bytes().size() > longest) {
    refuse(fmt::format("at most {} bytes", longest), fmt::format("{}", file.bytes().size()));
  }
  Json json;
  try {
    std::vector<std::set<std::string>> keys;  // of the objects and arrays that are open
    const auto watch = [&](int, Json::parse_event_t event, Json& value) {
      using Event = Json::parse_event_t;
      if (event == Event::object_start || event == Event::array_start) {
        if (keys.size() == kDeepest) refuse(fmt::format("at most {} levels", kDeepest), "more");
        keys.emplace_back();
      } else if (event == Event::object_end || event == Event::array_end) {
        keys.pop_back();
      } else if (event == Event::key && !keys.back().insert(value.get<std::string>()).second) {
        refuse("each key once", shown_json(value.get<std::string>()) + " twice");
      }
      return true;
    };
    json = parsed({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}, watch);
  } catch (const Json::parse_error& error) {
    refuse("JSON", fmt::format("an error at byte {}", error.byte));
  } catch (const Json::out_of_range&) {
    refuse("JSON", "a number out of range");
  }
  if (!json.is_object()) refuse("an object", json.type_name());
  return json;
}

Json parse_json(std::string_view text) {
  try {
    return parsed(text);
  } catch (const Json::parse_error& error) {
    throw std::runtime_error(fmt::format("no JSON: error at byte {}", error.byte));
  } catch (const Json::out_of_range&) {
    throw std::runtime_error("no JSON: a number is too large");
  }
}

bool parse_json(std::string_view text, JsonEvents& events) {
  return Json::sax_parse(text.data(), text.data() + text.size(), &events);
}

std::string json_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_text(const nlohmann::ordered_json& value, int indent) {
  return value.dump(indent);
}

std::string json_string(std::string_view text) { return json_text(Json(text)); }

std::string shown_json(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  const std::string quoted = json_string(text.substr(0, kLongest));
  return text.size() > kLongest ? quoted + "..." : quoted;
}

}  // namespace gradwalk::nn
