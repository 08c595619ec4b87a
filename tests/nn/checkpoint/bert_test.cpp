// tiny-bert against its reference.json.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "nn/checkpoint/files.h"
#include "nn/checkpoint/load_model.h"
#include "nn/checkpoint/references.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::nn {
namespace {

using nlohmann::json;
using Ids = std::vector<std::int64_t>;

class TinyBert : public testing::TestWithParam<DType> {};

TEST_P(TinyBert, EveryReference) {
  const json all = test::data_json("models/tiny-bert/reference.json");
  GRADWALK_SKIP_WITHOUT_DATA(all);
  const auto model = load_encoder(test::data("models/tiny-bert"), GetParam());
  const NoGrad guard;
  // The reference is rounded to 6 decimals.
  const double atol = GetParam() == DType::kFloat32 ? 1e-5 : 1e-6;
  int with_states = 0;
  for (const json& one : all.at("cases")) {
    const Ids seen = one.at("attention_mask");
    const auto length = static_cast<std::int64_t>(seen.size());
    std::vector<AttentionTrace> traces;
    EncoderContext context;
    context.types = test::ids_of(one["token_type_ids"].get<Ids>());
    context.key_padding_mask = to(test::ids_of(seen), DType::kBool);
    context.traces = &traces;
    const Variable x = (*model)(test::ids_of(one["input_ids"].get<Ids>()), context);
    const auto expect = [&](const char* name, const Tensor& got) {
      EXPECT_LE(test::largest_difference(got, gradwalk::test::tensor_from(one[name])), atol)
          << name << ", length " << length;
    };
    expect("cls", select(cls(x).value(), 0, 0));

    std::vector<double> mean(static_cast<std::size_t>(x.shape()[2]));
    double count = 0;
    for (std::int64_t i = 0; i < length; ++i) {
      if (seen[static_cast<std::size_t>(i)] == 0) continue;
      ++count;
      for (std::size_t j = 0; j < mean.size(); ++j) {
        mean[j] += x.value().at({0, i, static_cast<std::int64_t>(j)});
      }
    }
    double squares = 0;
    for (double& value : mean) {
      value /= count;
      squares += value * value;
    }
    expect("mean_pool", from_vector(mean, {x.shape()[2]}, DType::kFloat64));
    for (double& value : mean) value /= std::sqrt(squares);
    expect("mean_pool_l2_normalised", from_vector(mean, {x.shape()[2]}, DType::kFloat64));

    if (!one.contains("last_hidden_state")) continue;
    ++with_states;
    expect("last_hidden_state", select(x.value(), 0, 0));
    expect("layer0_attention_head0", select(select(traces[0].weights.value(), 0, 0), 0, 0));
  }
  EXPECT_EQ(with_states, 3);
}

INSTANTIATE_TEST_SUITE_P(DTypes, TinyBert, testing::Values(DType::kFloat32, DType::kFloat64),
                         [](const auto& dtype) { return name(dtype.param); });

}  // namespace
}  // namespace gradwalk::nn
