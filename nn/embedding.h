#pragma once

#include "nn/init.h"
#include "nn/module.h"

namespace gradwalk::nn {

struct EmbeddingOptions {
  Init init = {InitScheme::kNormal, 0.02};
  DType dtype = DType::kFloat32;
};

/// A table with one row of features an id: of tokens, of positions, of segment types.
///
/// Parameters: `weight` [count, features].
class Embedding : public Module {
 public:
  /// @throws std::invalid_argument unless count and features are positive
  Embedding(std::int64_t count, std::int64_t features, const Seed& seed,
            const EmbeddingOptions& options = {});

  /// ids [...] int64 to [..., features]. @throws std::out_of_range that names the id and its index
  Variable operator()(const Tensor& ids) const;

  const Variable& weight() const { return weight_; }

 private:
  Variable weight_;
};

}  // namespace gradwalk::nn
