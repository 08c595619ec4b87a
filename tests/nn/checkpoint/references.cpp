#include "nn/checkpoint/references.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "autograd/backward.h"
#include "autograd/cross_entropy.h"
#include "nn/optim/adamw.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/layout.h"

namespace gradwalk::nn::test {

Tensor ids_of(const std::vector<std::int64_t>& ids) {
  Tensor x("ids", {1, static_cast<std::int64_t>(ids.size())}, DType::kInt64);
  std::copy(ids.begin(), ids.end(), x.mutable_data<std::int64_t>());
  return x;
}

Tensor logits_of(CausalLm& model, const std::vector<std::int64_t>& ids) {
  const NoGrad guard;
  return select(model(ids_of(ids)).value(), /*axis=*/0, 0);
}

std::int64_t argmax(const Tensor& logits, std::int64_t row) {
  const std::vector<double> values = select(logits, /*axis=*/0, row).to_vector();
  return std::max_element(values.begin(), values.end()) - values.begin();
}

std::vector<std::int64_t> greedy(CausalLm& model, std::vector<std::int64_t> ids, std::size_t count,
                                 bool with_cache, std::int64_t stop) {
  const NoGrad guard;
  KvCache cache = model.make_cache(1, static_cast<std::int64_t>(count));
  std::vector<std::int64_t> fed = ids;
  while (ids.size() < count) {
    CausalLmContext context;
    if (with_cache) context.cache = &cache;
    const Tensor logits = select(model(ids_of(fed), context).value(), /*axis=*/0, 0);
    const std::int64_t next = argmax(logits, -1);
    if (next == stop) break;
    ids.push_back(next);
    if (with_cache) {
      fed = {next};
    } else {
      fed.push_back(next);
    }
  }
  return ids;
}

double largest_difference(const Tensor& got, const Tensor& want) {
  EXPECT_EQ(got.shape(), want.shape());
  const std::vector<double> a = got.to_vector();
  const std::vector<double> b = want.to_vector();
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (!(difference <= largest)) largest = difference;  // NaN too
  }
  return largest;
}

void expect_gradient(const Tensor& got, const nlohmann::json& want, double tolerance) {
  EXPECT_EQ(nlohmann::json(std::vector<std::int64_t>(got.shape().begin(), got.shape().end())),
            want["shape"]);
  const std::vector<double> values = got.to_vector();
  double squares = 0;
  double largest = 0;
  double sizes = 0;
  for (const double value : values) {
    squares += value * value;
    sizes += std::abs(value);
    largest = std::max(largest, std::abs(value));
  }
  const double max_abs = want["max_abs"].get<double>();
  EXPECT_NEAR(std::sqrt(squares), want["l2"].get<double>(), tolerance * want["l2"].get<double>());
  EXPECT_NEAR(largest, max_abs, tolerance * max_abs);
  EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0), want["sum"].get<double>(),
              tolerance * sizes);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(values[i], want["first8"][i].get<double>(), tolerance * max_abs);
    EXPECT_NEAR(values[values.size() - 8 + i], want["last8"][i].get<double>(), tolerance * max_abs);
  }
}

Variable next_token_loss(CausalLm& model, const std::vector<std::int64_t>& ids) {
  const Tensor inputs = ids_of({ids.begin(), ids.end() - 1});
  return cross_entropy(model(inputs), ids_of({ids.begin() + 1, ids.end()}));
}

std::vector<double> adamw_losses(CausalLm& model, const std::vector<std::int64_t>& ids,
                                 const nlohmann::json& settings) {
  AdamWOptions options;
  options.lr = settings["lr"].get<double>();
  options.beta1 = settings["betas"][0].get<double>();
  options.beta2 = settings["betas"][1].get<double>();
  options.eps = settings["eps"].get<double>();
  options.weight_decay = settings["weight_decay"].get<double>();
  AdamW adamw(model.parameters(), options);
  std::vector<double> losses;
  for (std::size_t step = 0; step + 1 < settings["loss"].size(); ++step) {
    const Variable loss = next_token_loss(model, ids);
    losses.push_back(loss.value().item());
    adamw.zero_grad();
    backward(loss);
    adamw.step();
  }
  losses.push_back(next_token_loss(model, ids).value().item());
  return losses;
}

}  // namespace gradwalk::nn::test
