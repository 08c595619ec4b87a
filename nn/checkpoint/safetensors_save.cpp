#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "nn/checkpoint/safetensors.h"
#include "nn/checkpoint/safetensors_header.h"
#include "nn/files/atomic_file.h"
#include "nn/files/json.h"
#include "nn/files/utf8.h"
#include "tensor/error.h"

namespace gradwalk::nn {
namespace {

// In the order of the file.
enum class Place { kI64, kF64, kF32, kBool };
constexpr const char* kNames[] = {"I64", "F64", "F32", "BOOL"};

Place place_of(DType dtype) {
  switch (dtype) {
    case DType::kInt64:
      return Place::kI64;
    case DType::kFloat64:
      return Place::kF64;
    case DType::kFloat32:
      return Place::kF32;
    case DType::kBool:
      break;
  }
  return Place::kBool;
}

using Sorted = std::vector<const StateDict::value_type*>;

Sorted sorted(const char* op, const StateDict& tensors) {
  Sorted order;
  std::map<std::string_view, int> count;
  for (const auto& entry : tensors) {
    const auto& [name, tensor] = entry;
    const std::string shown = shown_json(name);
    if (!tensor.defined()) throw_argument_error(op, "tensors", shown + " undefined");
    if (name == "__metadata__") throw_argument_error(op, "names of tensors", shown);
    if (first_invalid_utf8(name)) throw_argument_error(op, "names in UTF-8", shown);
    if (++count[name] > 1) throw_argument_error(op, "each name once", shown + " twice");
    order.push_back(&entry);
  }
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::tuple(place_of(a->second.dtype()), std::string_view(a->first)) <
           std::tuple(place_of(b->second.dtype()), std::string_view(b->first));
  });
  return order;
}

std::int64_t bytes_of(const Tensor& x) { return x.numel() * size_of(x.dtype()); }

std::string header_of(const char* op, const Sorted& tensors,
                      const std::map<std::string, std::string>& metadata) {
  std::vector<std::string> members;
  for (const auto& [key, value] : metadata) {
    if (first_invalid_utf8(key) || first_invalid_utf8(value)) {
      throw_argument_error(op, "metadata in UTF-8", shown_json(key));
    }
    members.push_back(json_string(key) + ":" + json_string(value));
  }
  std::string text = "{";
  if (!members.empty()) {
    text += fmt::format("\"__metadata__\":{{{}}}", fmt::join(members, ","));
  }
  std::int64_t begin = 0;
  for (const auto* entry : tensors) {
    const auto& [name, tensor] = *entry;
    const std::int64_t end = begin + bytes_of(tensor);
    text += fmt::format(R"({}{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                        text == "{" ? "" : ",", json_string(name),
                        kNames[static_cast<int>(place_of(tensor.dtype()))],
                        fmt::join(tensor.shape(), ","), begin, end);
    begin = end;
  }
  text += '}';
  text.append((8 - text.size() % 8) % 8, ' ');
  if (text.size() > kLongestHeader) {
    throw_argument_error(op, fmt::format("a header of at most {} bytes", kLongestHeader),
                         fmt::format("{}", text.size()));
  }
  return text;
}

template <class T>
std::span<const std::byte> bytes_as(const Tensor& x) {
  return std::as_bytes(std::span(x.data<T>(), static_cast<std::size_t>(x.numel())));
}

std::span<const std::byte> bytes(const Tensor& x) {
  switch (x.dtype()) {
    case DType::kFloat32:
      return bytes_as<float>(x);
    case DType::kFloat64:
      return bytes_as<double>(x);
    case DType::kInt64:
      return bytes_as<std::int64_t>(x);
    case DType::kBool:
      break;
  }
  return bytes_as<bool>(x);
}

}  // namespace

void save_safetensors(const std::filesystem::path& path, const StateDict& tensors,
                      const std::map<std::string, std::string>& metadata, const char* op) {
  const Sorted order = sorted(op, tensors);
  const std::string header = header_of(op, order, metadata);
  const std::uint64_t length = header.size();
  AtomicFile file(path, op);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(std::as_bytes(std::span(header)));
  for (const auto* entry : order) {
    const Tensor dense = contiguous(entry->second);
    file.write(bytes(dense));
  }
  file.commit();
}

}  // namespace gradwalk::nn
