#include "nn/checkpoint/safetensors.h"

#include <fmt/format.h>

#include <set>

#include "nn/checkpoint/safetensors_header.h"
#include "nn/checkpoint/weight_map.h"
#include "nn/files/json.h"
#include "nn/files/mapped_file.h"

namespace gradwalk::nn {

Safetensors::Safetensors(const std::filesystem::path& path, const char* op) : path_(path), op_(op) {
  if (path.extension() == ".json") {
    add_index(path);
  } else {
    add_file(path, nullptr);
  }
}

Safetensors::~Safetensors() = default;
Safetensors::Safetensors(Safetensors&&) noexcept = default;
Safetensors& Safetensors::operator=(Safetensors&&) noexcept = default;

void Safetensors::add_file(const std::filesystem::path& path, const WeightMap* index) {
  files_.push_back(std::make_unique<MappedFile>(op_, path));
  paths_.push_back(path);
  SafetensorsHeader header = parse_safetensors_header(files_.back()->bytes(), {op_, path.string()});
  for (SafetensorsEntry& entry : header.tensors) {
    if (index) {
      const auto listed = index->find(entry.name);
      if (listed == index->end() || listed->second != path.filename()) continue;
    }
    places_.emplace(entry.name, Place{entries_.size(), files_.size() - 1});
    entries_.push_back(std::move(entry));
  }
  metadata_.merge(header.metadata);
}

void Safetensors::add_index(const std::filesystem::path& path) {
  const WeightMap index = read_weight_map(op_, path);
  std::set<std::string> files;
  for (const auto& [tensor, file] : index) files.insert(file);
  for (const std::string& file : files) add_file(path.parent_path() / file, &index);
  for (const auto& [tensor, file] : index) {
    if (!find(tensor)) {
      throw_safetensors_error(fmt::format("a tensor in {}, as the index says", shown_json(file)),
                              "none", tensor, {op_, path.string()});
    }
  }
}

const SafetensorsEntry* Safetensors::find(std::string_view name) const {
  const auto place = places_.find(name);
  return place == places_.end() ? nullptr : &entries_[place->second.entry];
}

Tensor Safetensors::load(std::string_view name) const {
  const auto place = places_.find(name);
  if (place == places_.end()) {
    throw_safetensors_error("a tensor of this name", "none", name, {op_, path_.string()});
  }
  const auto& [entry, file] = place->second;
  return decode_safetensors(entries_[entry], files_[file]->bytes(), {op_, paths_[file].string()});
}

}  // namespace gradwalk::nn
