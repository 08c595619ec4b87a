#include "nn/checkpoint/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "nn/files/json.h"
#include "nn/files/read_error.h"

namespace gradwalk::nn {
namespace {

bool is(const SafetensorsEntry& entry, const Shape& shape) {
  return std::equal(
      shape.begin(), shape.end(), entry.shape.begin(), entry.shape.end(),
      [](std::int64_t a, std::uint64_t b) { return static_cast<std::uint64_t>(a) == b; });
}

}  // namespace

Weights::Weights(const Safetensors& file, std::string_view prefix) : file_(file) {
  const auto& entries = file.entries();
  if (std::any_of(entries.begin(), entries.end(),
                  [&](const SafetensorsEntry& entry) { return entry.name.starts_with(prefix); })) {
    prefix_ = prefix;
  }
}

void Weights::refuse(const std::string& expected, const std::string& got) const {
  throw_read_error({file_.op(), file_.path().string()}, expected, got);
}

Tensor Weights::take(const std::string& name, const Shape& shape) {
  const SafetensorsEntry* entry = file_.find(name);
  if (!entry) refuse("a tensor " + name + " " + shape.str(), "none");
  if (!is(*entry, shape)) {
    refuse(name + " " + shape.str() + ", as the settings ask for",
           fmt::format("[{}]", fmt::join(entry->shape, ", ")));
  }
  taken_.insert(name);
  Tensor value = file_.load(name);
  if (!is_float(value.dtype())) {
    refuse(name + " of a float type", std::string(entry->dtype));
  }
  return value;
}

Tensor Weights::take_tied(const std::string& table, const std::string& head, const Shape& shape) {
  if (!has(table)) return take(head, shape);
  Tensor value = take(table, shape);
  if (has(head) && take(head, shape).to_vector() != value.to_vector()) {
    refuse(fmt::format("{} equal to {}, as the settings tie them", head, table), "another");
  }
  return value;
}

void Weights::expect_all_taken(std::span<const char* const> ignored) const {
  for (const SafetensorsEntry& entry : file_.entries()) {
    const bool may_be_left =
        std::any_of(ignored.begin(), ignored.end(), [&](std::string_view part) {
          const std::string_view name = entry.name;
          if (!part.ends_with('.')) return name.ends_with(part);
          return name.starts_with(part) || name.starts_with(prefix_ + std::string(part));
        });
    if (taken_.count(entry.name) == 0 && !may_be_left) {
      refuse("tensors that the model has a place for", shown_json(entry.name));
    }
  }
}

}  // namespace gradwalk::nn
