#include "nn/files/json_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "nn/checkpoint/safetensors_sax.h"
#include "nn/files/mapped_file.h"
#include "nn/files/read_error.h"

namespace gradwalk::nn {
namespace {

// What comes after works through them by recursion.
constexpr std::size_t kDeepest = 64;

}  // namespace

nlohmann::json read_json_object(const char* op, const std::filesystem::path& path,
                                std::size_t longest) {
  const MappedFile file(op, path);
  const auto refuse = [&](const std::string& expected, const std::string& got) {
    throw_read_error({op, path.string()}, expected, got);
  };
  if (file.bytes().size() > longest) {
    refuse(fmt::format("at most {} bytes", longest), fmt::format("{}", file.bytes().size()));
  }
  const auto* text = reinterpret_cast<const char*>(file.bytes().data());
  nlohmann::json json;
  try {
    std::vector<std::set<std::string>> keys;  // of the objects and arrays that are open
    const auto watch = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
      using Event = nlohmann::json::parse_event_t;
      if (event == Event::object_start || event == Event::array_start) {
        if (keys.size() == kDeepest) refuse(fmt::format("at most {} levels", kDeepest), "more");
        keys.emplace_back();
      } else if (event == Event::object_end || event == Event::array_end) {
        keys.pop_back();
      } else if (event == Event::key && !keys.back().insert(parsed.get<std::string>()).second) {
        refuse("each key once", shown_json(parsed.get<std::string>()) + " twice");
      }
      return true;
    };
    json = nlohmann::json::parse(text, text + file.bytes().size(), watch);
  } catch (const nlohmann::json::parse_error& error) {
    refuse("JSON", fmt::format("an error at byte {}", error.byte));
  } catch (const nlohmann::json::out_of_range&) {
    refuse("JSON", "a number out of range");
  }
  if (!json.is_object()) refuse("an object", json.type_name());
  return json;
}

}  // namespace gradwalk::nn
