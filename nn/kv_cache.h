#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace gradwalk::nn {

/// How a cache gets room for the next positions.
enum class CacheGrowth {
  kPreallocated,  ///< room for `capacity` positions from the start; more are an error
  kDoubling,      ///< twice the room when it is full: each position is copied once or twice in all
  kByOne,         ///< exactly the room that is needed: every append copies all that came before
};

struct KvCacheOptions {
  std::int64_t num_layers = 1;
  std::int64_t batch = 1;
  std::int64_t num_kv_heads = 1;
  std::int64_t head_dim = 1;
  std::int64_t capacity = 0;  ///< positions to begin with; all there ever are for kPreallocated
  CacheGrowth growth = CacheGrowth::kPreallocated;
  DType dtype = DType::kFloat32;
};

/// The keys and values of the positions that a causal model has seen, so that the next position
/// computes only its own.
///
/// For each layer keys and values [B, G, S, Dh], keys as attention uses them: after the rotation by
/// rope. All sequences of the batch have one length.
class KvCache {
 public:
  /// @throws std::invalid_argument unless all sizes are positive (capacity >= 0)
  explicit KvCache(const KvCacheOptions& options);

  struct Entry {
    Tensor keys;    ///< [B, G, S, Dh], a view on the cache
    Tensor values;  ///< the same
  };

  /// Puts T more positions of a layer behind those it has, and returns all of them.
  /// @throws ShapeError unless both are [B, G, T, Dh]; std::invalid_argument for another dtype;
  /// std::out_of_range for a layer that is not there or past the capacity. The cache is then as it
  /// was.
  Entry append(std::int64_t layer, const Tensor& keys, const Tensor& values);
  /// What a layer has.
  Entry entry(std::int64_t layer) const;

  /// Positions of a layer. While a step is under way the layers it has passed have more.
  std::int64_t length(std::int64_t layer = 0) const;
  /// Forgets the positions from `length` on, in all layers. @throws std::out_of_range
  void truncate(std::int64_t length);
  /// Sequence b becomes a copy of sequence order[b], for beam search.
  /// @throws std::out_of_range for an index; std::invalid_argument unless there is one a sequence
  void reorder(std::span<const std::int64_t> order);

  /// Bytes of keys and values that are held: 2 * layers * B * G * Dh * length * size_of(dtype).
  std::int64_t bytes_used() const;
  /// Bytes that it has room for.
  std::int64_t bytes_allocated() const;
  /// Bytes of earlier positions that were copied so far, to make room for later ones.
  std::int64_t bytes_copied() const { return bytes_copied_; }
  const KvCacheOptions& options() const { return options_; }

 private:
  struct Layer {
    Tensor keys;  // [B, G, capacity, Dh]
    Tensor values;
    std::int64_t length = 0;
  };

  void check(const char* what, const Tensor& x) const;
  const Layer& at(std::int64_t layer) const;
  void make_room(Layer& layer, std::int64_t positions);

  KvCacheOptions options_;
  std::vector<Layer> layers_;
  std::int64_t bytes_copied_ = 0;
};

}  // namespace gradwalk::nn
