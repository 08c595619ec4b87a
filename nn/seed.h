#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tensor/random.h"

namespace gradwalk::nn {

/// Where the random numbers of a model's parts come from: a seed, and the path of the part, which
/// names its stream. `Seed(1) / "layers.0" / "mlp"` is the stream (1, "layers.0.mlp"). A part that
/// is added to a model changes no number of the others.
class Seed {
 public:
  explicit Seed(std::uint64_t seed) : seed_(seed) {}

  Seed operator/(std::string_view part) const {
    Seed below = *this;
    below.path_ += (path_.empty() ? "" : ".") + std::string(part);
    return below;
  }
  Generator generator() const { return {seed_, path_}; }
  const std::string& path() const { return path_; }

 private:
  std::uint64_t seed_;
  std::string path_;
};

}  // namespace gradwalk::nn
