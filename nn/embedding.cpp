#include "nn/embedding.h"

#include <fmt/format.h>

#include "autograd/embedding.h"
#include "tensor/error.h"

namespace gradwalk::nn {

Embedding::Embedding(std::int64_t count, std::int64_t features, const Seed& seed,
                     const EmbeddingOptions& options) {
  if (count < 1 || features < 1) {
    throw_argument_error("Embedding", "count >= 1 and features >= 1",
                         fmt::format("{} and {}", count, features));
  }
  weight_ = add_parameter("weight", initial({count, features}, options.init, seed / "weight",
                                            options.dtype, "Embedding"));
}

Variable Embedding::operator()(const Tensor& ids) const { return embedding(ids, weight_); }

}  // namespace gradwalk::nn
