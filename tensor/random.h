#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tensor/tensor.h"

namespace gradwalk {

/// One block of Philox4x32-10: a counter-based random function, so that any number of a stream is
/// had without the ones before it.
/// Source  Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3", section 3.3
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

/// A stream of random numbers, named by a seed and a name: the same numbers on every machine and
/// compiler, up to the rounding of log and cos. Streams with different names do not depend on each
/// other, so a new consumer with a name of its own changes no other number.
class Generator {
 public:
  Generator(std::uint64_t seed, std::string_view name);

  std::uint32_t next_u32();
  /// The next `count` words, as so many calls of next_u32 give them, and a good deal faster.
  void fill(std::uint32_t* words, std::int64_t count);
  /// Leaves out the next `count` words, at no cost: where a thread's part of a stream begins.
  void skip(std::int64_t count);
  /// Uniform in [0, 1), with 53 random bits.
  double uniform();
  /// Normal with mean 0 and variance 1 (Box and Muller 1958).
  double normal();
  /// Uniform in 0, 1, ..., n - 1, without bias. @throws std::invalid_argument unless 0 < n <= 2^32
  std::int64_t below(std::int64_t n);

  std::uint64_t seed() const { return seed_; }

  /// Where the stream is: int64 [6], to be saved and given back to set_state.
  Tensor state() const;
  /// Goes on exactly where the generator was whose state it is; one of the same seed and name.
  /// @throws std::invalid_argument for a tensor that is no state or belongs to another stream; the
  ///         generator is then as it was
  void set_state(const Tensor& state);

 private:
  void take_block();

  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t block_ = 0;
  std::array<std::uint32_t, 4> words_{};
  int used_ = 4;
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

/// Independent normal elements, mean 0 and variance 1, drawn in row-major order.
Tensor normal(const Shape& shape, Generator& generator, DType dtype = DType::kFloat32);

/// Independent uniform elements in [low, high), drawn in row-major order. A number that would round
/// up to `high` in the dtype becomes the one below it.
/// @throws std::invalid_argument unless low <= high and high - low is finite
Tensor uniform(const Shape& shape, Generator& generator, double low = 0, double high = 1,
               DType dtype = DType::kFloat32);

}  // namespace gradwalk
