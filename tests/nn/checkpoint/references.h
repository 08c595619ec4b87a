#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "nn/causal_lm.h"

/// What the tests against reference.json of a checkpoint share.
namespace gradwalk::nn::test {

Tensor ids_of(const std::vector<std::int64_t>& ids);  ///< [1, T]
/// logits [T, V] of one sequence.
Tensor logits_of(CausalLm& model, const std::vector<std::int64_t>& ids);
/// The id with the highest logit in row `row` of logits [T, V].
std::int64_t argmax(const Tensor& logits, std::int64_t row);
/// `prompt` and what the model says after it, the likeliest token each time, until there are
/// `count` tokens or `stop` is chosen; with a cache each step computes one position.
std::vector<std::int64_t> greedy(CausalLm& model, std::vector<std::int64_t> prompt,
                                 std::size_t count, bool with_cache, std::int64_t stop = -1);

/// The largest |got - want|; NaN if there is one.
double largest_difference(const Tensor& got, const Tensor& want);

/// Checks what reference.json lists of a gradient: shape, norm, sum, largest magnitude, and the
/// first and last eight numbers. `tolerance` is relative to the norm, the sum of sizes or the
/// largest.
void expect_gradient(const Tensor& got, const nlohmann::json& want, double tolerance);

/// The losses before each of so many AdamW steps as `settings` says, and after the last.
std::vector<double> adamw_losses(CausalLm& model, const std::vector<std::int64_t>& ids,
                                 const nlohmann::json& settings);
/// Mean cross-entropy of predicting ids[1:] from ids[:-1], in nats.
Variable next_token_loss(CausalLm& model, const std::vector<std::int64_t>& ids);

}  // namespace gradwalk::nn::test
