#include "lessons/02_projections/heads.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/backward.h"
#include "lessons/tasks/module_weight.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_02 {
namespace {

constexpr DType kF64 = DType::kFloat64;

// Variance along the last axis, averaged over the rest.
double mean_variance(const Tensor& x) {
  const Tensor centred = x - mean(x, -1, /*keepdims=*/true);
  return mean(centred * centred).item();
}

double share_of_first(const Tensor& first, const Tensor& second) {
  const double a = mean_variance(first);
  return a / (a + mean_variance(second));
}

}  // namespace

nn::MultiHeadAttentionOptions plain(std::int64_t num_heads) {
  return {.num_heads = num_heads,
          .linear = {.bias = false, .init = {nn::InitScheme::kKaimingNormal, 1}}};
}

Tensor block_norms(const std::function<Variable(const Variable&)>& f, const Tensor& x) {
  const std::int64_t tokens = x.shape()[0];
  std::vector<double> norms(static_cast<std::size_t>(tokens * tokens));
  const std::int64_t width = f(x).shape()[1];
  for (std::int64_t out = 0; out < tokens * width; ++out) {
    const Variable leaf = parameter(x);
    const Variable y = f(leaf);
    Tensor dy = zeros(y.shape(), x.dtype());
    if (x.dtype() == kF64) {
      dy.mutable_data<double>()[out] = 1;
    } else {
      dy.mutable_data<float>()[out] = 1;
    }
    backward(y, dy);
    const std::vector<double> squares = sum(to(leaf.grad() * leaf.grad(), kF64), 1).to_vector();
    for (std::int64_t in = 0; in < tokens; ++in) {
      norms[static_cast<std::size_t>(out / width * tokens + in)] +=
          squares[static_cast<std::size_t>(in)];
    }
  }
  return sqrt(from_vector(norms, {tokens, tokens}, kF64));
}

Blocks blocks_of(const Tensor& norms) {
  const double infinity = std::numeric_limits<double>::infinity();
  Blocks blocks{0, infinity, infinity};
  for (std::int64_t i = 0; i < norms.shape()[0]; ++i) {
    for (std::int64_t j = 0; j < norms.shape()[1]; ++j) {
      const double norm = norms.at({i, j});
      blocks.smallest = std::min(blocks.smallest, norm);
      if (i == j) {
        blocks.smallest_on = std::min(blocks.smallest_on, norm);
      } else {
        blocks.largest_off = std::max(blocks.largest_off, norm);
      }
    }
  }
  return blocks;
}

Tensor head_rows(const Tensor& weight, std::int64_t head, std::int64_t num_heads,
                 bool interleaved) {
  const std::int64_t rows = weight.shape()[0];
  if (interleaved) return slice(weight, 0, head, rows, num_heads);
  const std::int64_t width = rows / num_heads;
  return slice(weight, 0, head * width, (head + 1) * width);
}

void negate_head(const nn::Module& module, const std::string& weight, std::int64_t head,
                 std::int64_t num_heads) {
  Tensor all = tasks::weight_of(module, weight);
  const std::int64_t numbers = all.numel() / num_heads;
  float* first = all.mutable_data<float>() + head * numbers;
  for (std::int64_t i = 0; i < numbers; ++i) first[i] = -first[i];
}

void freeze_one_hot(tasks::DictionaryModel& model) {
  const tasks::DictionarySizes& sizes = model.options().sizes;
  const Tensor table = 4.0 * eye(sizes.keys + sizes.values);
  nn::StateDict state = model.state_dict();
  for (auto& [name, tensor] : state) {
    if (name == "key_embedding.weight") tensor = slice(table, 0, 0, sizes.keys);
    if (name == "value_embedding.weight") {
      tensor = slice(table, 0, sizes.keys, sizes.keys + sizes.values);
    }
    if (name == "mark.weight") tensor = zeros(tensor.shape());
  }
  model.load_state_dict(state);
}

Division division_of(const tasks::DictionaryModel& model, const tasks::DictionaryBatch& pages) {
  const NoGrad no_grad;
  nn::AttentionTrace trace;
  model(pages, &trace);
  const Tensor x = model.inputs(pages).value();  // [B, 9, 32]
  const std::int64_t keys = model.options().sizes.keys;
  const std::int64_t cards = model.options().sizes.entries;
  const std::int64_t width = x.shape()[2];
  // s_j = q.(W_K x_j), so the question sees x_j through W_K^T q.
  const Tensor q = select(squeeze(trace.query.value(), 1), 1, -1);                    // [B, Dh]
  const Tensor seen = matmul(q, tasks::weight_of(model, "attention.k_proj.weight"));  // [B, D]
  const Tensor on_cards = slice(x, 1, 0, cards);                                      // [B, 8, D]
  const Tensor by_part = on_cards * unsqueeze(seen, 1);
  Division division{};
  division.matching = share_of_first(sum(slice(by_part, -1, 0, keys), -1),
                                     sum(slice(by_part, -1, keys, width), -1));
  // logits = W_R W_O W_V sum_j w_j x_j
  const Tensor map = matmul(matmul(tasks::weight_of(model, "readout.weight"),
                                   tasks::weight_of(model, "attention.o_proj.weight")),
                            tasks::weight_of(model, "attention.v_proj.weight"));  // [16, D]
  const Tensor w = select(squeeze(trace.weights.value(), 1), 1, -1);              // [B, 9]
  const Tensor blend = squeeze(matmul(unsqueeze(w, 1), x), 1);                    // [B, D]
  division.content =
      share_of_first(matmul(slice(blend, -1, keys, width), transpose(slice(map, -1, keys, width))),
                     matmul(slice(blend, -1, 0, keys), transpose(slice(map, -1, 0, keys))));
  return division;
}

}  // namespace gradwalk::lesson_02
