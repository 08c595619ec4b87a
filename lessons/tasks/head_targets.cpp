#include "lessons/tasks/head_targets.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::tasks {

std::vector<double> weight_on(const Tensor& weights, const Tensor& targets) {
  if (targets.dtype() != DType::kBool) {
    throw_argument_error("weight_on", "bool targets", name(targets.dtype()));
  }
  const Shape& map = weights.shape();
  if (map.ndim() != 4 || targets.shape() != Shape{map[0], map[2], map[3]}) {
    throw_shape_error("weight_on", "weights [B, H, T, S] and targets [B, T, S]",
                      map.str() + " and " + targets.shape().str(),
                      {{"weights", map}, {"targets", targets.shape()}});
  }
  const Tensor wanted = to(targets, DType::kFloat64);
  const double queries = sum(max(wanted, /*axes=*/-1)).item();
  const Tensor on_targets = sum(to(weights, DType::kFloat64) * unsqueeze(wanted, 1), {0, 2, 3});
  if (queries == 0) {
    return std::vector<double>(static_cast<std::size_t>(map[1]),
                               std::numeric_limits<double>::quiet_NaN());
  }
  return (on_targets / queries).to_vector();
}

double even_weight_on(const Tensor& targets) {
  const std::int64_t tokens = targets.shape()[1];
  std::vector<double> map;
  for (std::int64_t query = 0; query < tokens; ++query) {
    for (std::int64_t key = 0; key < tokens; ++key) {
      map.push_back(key <= query ? 1 / static_cast<double>(query + 1) : 0);
    }
  }
  const Tensor even = from_vector(map, {1, 1, tokens, tokens}, DType::kFloat64);
  return weight_on(expand(even, {targets.shape()[0], 1, tokens, tokens}), targets)[0];
}

double best_head(const std::vector<double>& heads) {
  if (heads.empty()) throw std::invalid_argument("best_head: expected heads, got none");
  return *std::max_element(heads.begin(), heads.end());
}

Tensor previous_key(std::int64_t batch, std::int64_t tokens, std::int64_t first) {
  std::vector<double> map(static_cast<std::size_t>(tokens * tokens), 0);
  for (std::int64_t query = std::max<std::int64_t>(first, 1); query < tokens; ++query) {
    map[static_cast<std::size_t>(query * tokens + query - 1)] = 1;
  }
  return expand(from_vector(map, {1, tokens, tokens}, DType::kBool), {batch, tokens, tokens});
}

}  // namespace gradwalk::tasks
