#include "nn/training/batches.h"

#include <fmt/format.h>

#include <algorithm>

#include "tensor/error.h"

namespace gradwalk::nn {

TokenSplit split_tokens(std::span<const std::int64_t> ids) {
  const auto middle =
      ids.begin() + static_cast<std::ptrdiff_t>(ids.size() / 10 * 9 + ids.size() % 10 * 9 / 10);
  return {{ids.begin(), middle}, {middle, ids.end()}};
}

TokenBatch draw_batch(std::span<const std::int64_t> ids, std::int64_t batch, std::int64_t context,
                      Generator& generator) {
  const auto tokens = static_cast<std::int64_t>(ids.size());
  if (batch < 1 || context < 1 || tokens <= context) {
    throw_argument_error("draw_batch", "batch, context >= 1 and more than context tokens",
                         fmt::format("{}, {} and {}", batch, context, tokens));
  }
  TokenBatch drawn{Tensor("draw_batch", {batch, context}, DType::kInt64),
                   Tensor("draw_batch", {batch, context}, DType::kInt64)};
  auto* input = drawn.inputs.mutable_data<std::int64_t>();
  auto* target = drawn.targets.mutable_data<std::int64_t>();
  for (std::int64_t row = 0; row < batch; ++row) {
    const auto* window = ids.data() + generator.below(tokens - context);
    input = std::copy_n(window, context, input);
    target = std::copy_n(window + 1, context, target);
  }
  return drawn;
}

}  // namespace gradwalk::nn
