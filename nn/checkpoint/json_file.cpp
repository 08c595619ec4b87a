#include "nn/checkpoint/json_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "nn/checkpoint/mapped_file.h"
#include "tensor/error.h"

namespace gradwalk::nn {

nlohmann::json read_json_object(const std::filesystem::path& path, std::size_t longest) {
  const MappedFile file(path);
  const auto refuse = [&](const std::string& expected, const std::string& got) {
    throw std::runtime_error(error_text("read_json_object", expected, got) +
                             fmt::format("; in {}", path.string()));
  };
  if (file.bytes().size() > longest) {
    refuse(fmt::format("at most {} bytes", longest), fmt::format("{}", file.bytes().size()));
  }
  const auto* text = reinterpret_cast<const char*>(file.bytes().data());
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(text, text + file.bytes().size());
  } catch (const nlohmann::json::parse_error& error) {
    refuse("JSON", fmt::format("an error at byte {}", error.byte));
  } catch (const nlohmann::json::out_of_range&) {
    refuse("JSON", "a number out of range");
  }
  if (!json.is_object()) refuse("an object", json.type_name());
  return json;
}

}  // namespace gradwalk::nn
