#include "nn/kv_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/gather.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"

namespace gradwalk::nn {
namespace {

constexpr int kPositions = 2;  // the axis

Tensor first(const Tensor& x, std::int64_t length) { return slice(x, kPositions, 0, length); }

}  // namespace

KvCache::KvCache(const KvCacheOptions& options) : options_(options) {
  const KvCacheOptions& o = options_;
  if (o.num_layers < 1 || o.batch < 1 || o.num_kv_heads < 1 || o.head_dim < 1 || o.capacity < 0) {
    throw_argument_error("KvCache",
                         "num_layers, batch, num_kv_heads, head_dim >= 1 and capacity >= 0",
                         fmt::format("{}, {}, {}, {} and {}", o.num_layers, o.batch, o.num_kv_heads,
                                     o.head_dim, o.capacity));
  }
  const Shape room{o.batch, o.num_kv_heads, o.capacity, o.head_dim};
  for (std::int64_t layer = 0; layer < o.num_layers; ++layer) {
    layers_.push_back({zeros(room, o.dtype), zeros(room, o.dtype), 0});
  }
}

void KvCache::check(const char* what, const Tensor& x) const {
  const bool fits = x.defined() && x.ndim() == 4 && x.shape()[0] == options_.batch &&
                    x.shape()[1] == options_.num_kv_heads && x.shape()[3] == options_.head_dim;
  if (!fits) {
    throw_shape_error("KvCache",
                      fmt::format("{} [{}, {}, T, {}]", what, options_.batch, options_.num_kv_heads,
                                  options_.head_dim),
                      x.defined() ? x.shape().str() : "an undefined one");
  }
  if (x.dtype() != options_.dtype) {
    throw_argument_error("KvCache", fmt::format("{} {}", what, name(options_.dtype)),
                         name(x.dtype()), {{what, x.shape()}});
  }
}

const KvCache::Layer& KvCache::at(std::int64_t layer) const {
  if (layer < 0 || layer >= options_.num_layers) {
    throw std::out_of_range(error_text(
        "KvCache", fmt::format("layer in [0, {})", options_.num_layers), fmt::format("{}", layer)));
  }
  return layers_[static_cast<std::size_t>(layer)];
}

void KvCache::make_room(Layer& layer, std::int64_t positions) {
  const std::int64_t room = layer.keys.shape()[kPositions];
  if (positions <= room) return;
  std::int64_t wanted = positions;
  if (options_.growth == CacheGrowth::kDoubling) wanted = std::max(wanted, 2 * room);
  Shape shape = layer.keys.shape();
  shape.set(kPositions, wanted);
  const auto moved = [&](const Tensor& old) {
    Tensor larger = zeros(shape, options_.dtype);
    const Tensor kept = first(old, layer.length);
    copy_into(first(larger, layer.length), kept);
    bytes_copied_ += kept.numel() * size_of(options_.dtype);
    return larger;
  };
  Tensor keys = moved(layer.keys);
  layer.values = moved(layer.values);
  layer.keys = std::move(keys);
}

KvCache::Entry KvCache::append(std::int64_t layer_index, const Tensor& keys, const Tensor& values) {
  at(layer_index);
  check("keys", keys);
  check("values", values);
  if (keys.shape() != values.shape()) {
    throw_shape_error("KvCache", "keys and values of one shape",
                      keys.shape().str() + " and " + values.shape().str(),
                      {{"keys", keys.shape()}, {"values", values.shape()}});
  }
  Layer& layer = layers_[static_cast<std::size_t>(layer_index)];
  const std::int64_t end = layer.length + keys.shape()[kPositions];
  if (options_.growth == CacheGrowth::kPreallocated && end > options_.capacity) {
    throw std::out_of_range(
        error_text("KvCache", fmt::format("at most {} positions", options_.capacity),
                   fmt::format("{} and {} more", layer.length, keys.shape()[kPositions]),
                   {{"keys", keys.shape()}}));
  }
  make_room(layer, end);
  copy_into(slice(layer.keys, kPositions, layer.length, end), keys);
  copy_into(slice(layer.values, kPositions, layer.length, end), values);
  layer.length = end;
  return entry(layer_index);
}

KvCache::Entry KvCache::entry(std::int64_t layer_index) const {
  const Layer& layer = at(layer_index);
  return {first(layer.keys, layer.length), first(layer.values, layer.length)};
}

std::int64_t KvCache::length(std::int64_t layer) const { return at(layer).length; }

void KvCache::truncate(std::int64_t length) {
  for (const Layer& layer : layers_) {
    if (length < 0 || length > layer.length) {
      throw std::out_of_range(error_text(
          "KvCache", fmt::format("a length in [0, {}]", layer.length), fmt::format("{}", length)));
    }
  }
  for (Layer& layer : layers_) layer.length = length;
}

void KvCache::reorder(std::span<const std::int64_t> order) {
  if (static_cast<std::int64_t>(order.size()) != options_.batch) {
    throw_argument_error("KvCache", fmt::format("{} indices, one a sequence", options_.batch),
                         fmt::format("{}", order.size()));
  }
  Tensor ids("KvCache", {options_.batch}, DType::kInt64);
  std::copy(order.begin(), order.end(), ids.mutable_data<std::int64_t>());
  for (Layer& layer : layers_) {
    Tensor keys = index_select(layer.keys, /*axis=*/0, ids);
    layer.values = index_select(layer.values, /*axis=*/0, ids);
    layer.keys = std::move(keys);
  }
}

std::int64_t KvCache::bytes_used() const {
  std::int64_t positions = 0;
  for (const Layer& layer : layers_) positions += layer.length;
  return 2 * positions * options_.batch * options_.num_kv_heads * options_.head_dim *
         size_of(options_.dtype);
}

std::int64_t KvCache::bytes_allocated() const {
  std::int64_t bytes = 0;
  for (const Layer& layer : layers_) {
    bytes += (layer.keys.numel() + layer.values.numel()) * size_of(options_.dtype);
  }
  return bytes;
}

}  // namespace gradwalk::nn
