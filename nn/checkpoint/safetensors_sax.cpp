#include "nn/checkpoint/safetensors_sax.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "nn/checkpoint/safetensors_header.h"

namespace gradwalk::nn {
namespace {

constexpr const char* kMetadata = "__metadata__";
constexpr const char* kMembers[] = {"dtype", "shape", "data_offsets"};

bool is_member(std::string_view key) {
  return std::find(std::begin(kMembers), std::end(kMembers), key) != std::end(kMembers);
}

}  // namespace

std::string_view SafetensorsSax::tensor() const {
  return in_ == In::kEntry || in_ == In::kShape || in_ == In::kOffsets ? std::string_view(name_)
                                                                       : std::string_view();
}

std::string_view SafetensorsSax::expected() const {
  switch (in_) {
    case In::kFile:
      return "a header that is one JSON object";
    case In::kHeader:
      return name_ == kMetadata ? "__metadata__ that is an object" : "an entry that is an object";
    case In::kMetadata:
      return "__metadata__ that maps strings to strings";
    case In::kShape:
      return "a shape of unsigned integers";
    case In::kOffsets:
      return "data_offsets of two unsigned integers";
    case In::kEntry:
      break;
  }
  if (key_ == "dtype") return "a dtype that is a string";
  return key_ == "shape" ? "a shape that is an array" : "data_offsets that are an array";
}

void SafetensorsSax::refuse(std::string_view got) const {
  // Below the header but not yet in an entry the name is already that of the tensor.
  const bool named = in_ == In::kHeader && name_ != kMetadata;
  throw_safetensors_error(expected(), got, named ? std::string_view(name_) : tensor(), where_);
}

bool SafetensorsSax::scalar(std::string_view got) {
  if (ignored_depth_ > 0 || (in_ == In::kEntry && !is_member(key_))) return true;
  refuse(got);
}

bool SafetensorsSax::number_integer(std::int64_t value) { return scalar(fmt::format("{}", value)); }

bool SafetensorsSax::number_unsigned(std::uint64_t value) {
  if (ignored_depth_ > 0) return true;
  if (in_ == In::kShape) {
    tensors.back().shape.push_back(value);
    return true;
  }
  if (in_ == In::kOffsets) {
    if (offsets_ == 2) refuse("three or more");
    tensors.back().offsets[offsets_++] = value;
    return true;
  }
  return scalar(fmt::format("{}", value));
}

bool SafetensorsSax::string(std::string& value) {
  if (ignored_depth_ > 0) return true;
  if (in_ == In::kMetadata) {
    metadata.emplace(key_, std::move(value));
    return true;
  }
  if (in_ == In::kEntry && key_ == "dtype") {
    tensors.back().dtype = std::move(value);
    return true;
  }
  return scalar(shown_json(value));
}

bool SafetensorsSax::start_object(std::size_t) {
  if (ignored_depth_ > 0 || (in_ == In::kEntry && !is_member(key_))) {
    ++ignored_depth_;
  } else if (in_ == In::kFile) {
    in_ = In::kHeader;
  } else if (in_ == In::kHeader) {
    in_ = name_ == kMetadata ? In::kMetadata : In::kEntry;
    keys_.clear();
    if (in_ == In::kEntry) tensors.emplace_back().name = name_;
  } else {
    refuse("an object");
  }
  return true;
}

bool SafetensorsSax::key(std::string& name) {
  if (ignored_depth_ > 0) return true;
  const bool in_header = in_ == In::kHeader;
  (in_header ? name_ : key_) = name;
  if (!(in_header ? names_ : keys_).insert(name).second) {
    throw_safetensors_error("each name once", shown_json(name) + " twice",
                            in_header ? std::string_view(name_) : tensor(), where_);
  }
  return true;
}

bool SafetensorsSax::end_object() {
  if (ignored_depth_ > 0) {
    --ignored_depth_;
    return true;
  }
  if (in_ == In::kEntry) {
    for (const char* member : kMembers) {
      if (keys_.count(member) == 0) {
        throw_safetensors_error("dtype, shape and data_offsets", fmt::format("no {}", member),
                                name_, where_);
      }
    }
  }
  in_ = in_ == In::kHeader ? In::kFile : In::kHeader;
  name_.clear();
  return true;
}

bool SafetensorsSax::start_array(std::size_t) {
  if (ignored_depth_ > 0 || (in_ == In::kEntry && !is_member(key_))) {
    ++ignored_depth_;
  } else if (in_ == In::kEntry && key_ == "shape") {
    in_ = In::kShape;
  } else if (in_ == In::kEntry && key_ == "data_offsets") {
    in_ = In::kOffsets;
    offsets_ = 0;
  } else {
    refuse("an array");
  }
  return true;
}

bool SafetensorsSax::end_array() {
  if (ignored_depth_ > 0) {
    --ignored_depth_;
    return true;
  }
  if (in_ == In::kOffsets && offsets_ != 2) refuse(fmt::format("{}", offsets_));
  in_ = In::kEntry;
  return true;
}

bool SafetensorsSax::parse_error(std::size_t position, const std::string& last,
                                 const std::exception&) {
  throw_safetensors_error("a header that is one JSON object, with white space alone around it",
                          fmt::format("an error at byte {}, after {}", position, shown_json(last)),
                          tensor(), where_);
}

}  // namespace gradwalk::nn
