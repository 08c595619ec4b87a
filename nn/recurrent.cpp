#include "nn/recurrent.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "autograd/activation.h"
#include "autograd/elementwise.h"
#include "autograd/join.h"
#include "autograd/layout.h"
#include "autograd/linear.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/join.h"

namespace gradwalk::nn {

Recurrent::Recurrent(const char* name, std::int64_t gates, std::int64_t features,
                     std::int64_t hidden, const Seed& seed, const RecurrentOptions& options)
    : name_(name), features_(features), hidden_(hidden) {
  if (features < 1 || hidden < 1) {
    throw_argument_error(name, "features >= 1 and hidden >= 1",
                         fmt::format("{} and {}", features, hidden));
  }
  const Init usual{InitScheme::kUniform, 1 / std::sqrt(static_cast<double>(hidden))};
  const auto weight = [&](const char* which, std::int64_t columns, const Init& init) {
    // Gate by gate, so that a scheme that depends on sizes, or is orthogonal, sees one gate's.
    std::vector<Tensor> rows;
    for (std::int64_t gate = 0; gate < gates; ++gate) {
      rows.push_back(initial({hidden, columns}, init, seed / which / fmt::format("{}", gate),
                             options.dtype, name));
    }
    return add_parameter(which, concat(rows, 0));
  };
  weight_ih_ = weight("weight_ih", features, options.input_init.value_or(usual));
  weight_hh_ = weight("weight_hh", hidden, options.hidden_init.value_or(usual));
  bias_ih_ = add_parameter("bias_ih", zeros({gates * hidden}, options.dtype));
  bias_hh_ = add_parameter("bias_hh", zeros({gates * hidden}, options.dtype));
}

Variable Recurrent::operator()(const Variable& x, const Variable& h0) const {
  if (x.shape().ndim() != 3 || x.shape()[2] != features_ || x.shape()[1] < 1) {
    throw_shape_error(name_, fmt::format("x [B, T, {}] with T >= 1", features_), x.shape().str(),
                      {{"x", x.shape()}});
  }
  const Shape state{x.shape()[0], hidden_};
  if (h0.defined() && h0.shape() != state) {
    throw_shape_error(name_, fmt::format("h0 {}", state.str()), h0.shape().str(),
                      {{"x", x.shape()}, {"h0", h0.shape()}});
  }
  // What x gives is one product for all positions; only h has to go step by step.
  const Variable from_x = linear(x, weight_ih_, bias_ih_);  // [B, T, gates * H]
  Variable h = h0.defined() ? h0 : Variable(zeros(state, x.value().dtype()));
  std::vector<Variable> all;
  for (std::int64_t t = 0; t < x.shape()[1]; ++t) {
    h = next(select(from_x, /*axis=*/1, t), linear(h, weight_hh_, bias_hh_), h);
    all.push_back(h);
  }
  return stack(all, /*axis=*/1);
}

Rnn::Rnn(std::int64_t features, std::int64_t hidden, const Seed& seed,
         const RecurrentOptions& options)
    : Recurrent("Rnn", /*gates=*/1, features, hidden, seed, options) {}

Variable Rnn::next(const Variable& from_x, const Variable& from_h, const Variable&) const {
  return tanh(from_x + from_h);
}

Gru::Gru(std::int64_t features, std::int64_t hidden, const Seed& seed,
         const RecurrentOptions& options)
    : Recurrent("Gru", /*gates=*/3, features, hidden, seed, options) {}

Variable Gru::next(const Variable& from_x, const Variable& from_h, const Variable& h) const {
  const std::vector<Variable> x = split(from_x, /*axis=*/-1, /*parts=*/3);
  const std::vector<Variable> s = split(from_h, /*axis=*/-1, /*parts=*/3);
  const Variable r = sigmoid(x[0] + s[0]);
  const Variable z = sigmoid(x[1] + s[1]);
  const Variable n = tanh(x[2] + r * s[2]);
  return n + z * (h - n);
}

}  // namespace gradwalk::nn
