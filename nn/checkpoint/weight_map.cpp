#include "nn/checkpoint/weight_map.h"

#include <nlohmann/json.hpp>

#include "nn/checkpoint/safetensors_header.h"
#include "nn/files/json.h"

namespace gradwalk::nn {

std::map<std::string, std::string> read_weight_map(const char* op,
                                                   const std::filesystem::path& path) {
  const Where where{op, path.string()};
  const nlohmann::json index = read_json_object(op, path);
  const auto found = index.find("weight_map");
  if (found == index.end() || !found->is_object()) {
    throw_safetensors_error("an index with an object weight_map", "none", {}, where);
  }
  std::map<std::string, std::string> files;
  for (const auto& [tensor, file] : found->items()) {
    const std::string name = file.is_string() ? file.get<std::string>() : "";
    if (name.empty() || name.find_first_of(std::string_view("/\0", 2)) != name.npos ||
        !name.ends_with(".safetensors")) {
      throw_safetensors_error("a .safetensors file of the index's own folder",
                              file.is_string() ? shown_json(name) : file.type_name(), tensor,
                              where);
    }
    files.emplace(tensor, name);
  }
  return files;
}

}  // namespace gradwalk::nn
