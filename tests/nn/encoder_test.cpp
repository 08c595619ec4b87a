#include "nn/encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "autograd/elementwise.h"
#include "autograd/layout.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/inplace.h"
#include "tensor/join.h"
#include "tensor/layout.h"

namespace gradwalk::nn {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

EncoderOptions small(NormPlace place = NormPlace::kPost) {
  const LinearOptions linear{.init = {InitScheme::kNormal, 0.4}, .dtype = DType::kFloat64};
  EncoderOptions o;
  o.vocab_size = 9;
  o.d_model = 8;
  o.num_layers = 2;
  o.max_positions = 6;
  o.num_types = 2;
  o.block.attention = {.num_heads = 2, .linear = linear};
  o.block.feed_forward.linear = linear;
  o.block.norm_place = place;
  o.block.norm_options.dtype = DType::kFloat64;
  o.embedding = {.init = {InitScheme::kNormal, 1}, .dtype = DType::kFloat64};
  return o;
}

const Tensor kIds = to(matrix({{0, 3, 5, 8}, {2, 2, 1, 7}}), DType::kInt64);

TEST(Encoder, SumsItsEmbeddingsAndNormalisesThem) {
  EncoderOptions o = small();
  o.num_layers = 0;
  Encoder model(o, Seed(1));
  const std::vector<NamedParameter> p = model.named_parameters();
  ASSERT_EQ(p.size(), 5U);
  EXPECT_EQ(p[1].name, "embed_positions.weight");
  EXPECT_EQ(p[2].name, "embed_types.weight");
  EXPECT_EQ(p[3].name, "embed_norm.weight");
  EncoderContext context;
  context.types = to(matrix({{0, 0, 1, 1}, {1, 0, 0, 0}}), DType::kInt64);
  const auto row = [&](std::size_t table, std::int64_t i) {
    return Variable(select(p[table].variable.value(), 0, i));
  };
  const LayerNorm norm(8, o.block.norm_options);
  const Variable want = norm(row(0, 5) + row(1, 2) + row(2, 1));  // of [0, 2]
  const Tensor got = select(select(model(kIds, context).value(), 0, 0), 0, 2);
  EXPECT_EQ(test::difference(got, want.value(), 1e-13, 1e-14), "");
}

// Unlike in a causal model the first token sees the last one.
TEST(Encoder, EveryTokenSeesEveryOther) {
  for (const NormPlace place : {NormPlace::kPost, NormPlace::kPre}) {
    Encoder model(small(place), Seed(1));
    Tensor other = clone(kIds);
    fill(slice(slice(other, 0, 0, 1), 1, 3, 4), 4);
    const Tensor a = cls(model(kIds)).value();
    const Tensor b = cls(model(other)).value();
    EXPECT_NE(select(a, 0, 0).to_vector(), select(b, 0, 0).to_vector());
    EXPECT_EQ(select(a, 0, 1).to_vector(), select(b, 0, 1).to_vector());
  }
}

// Padding behind a text changes nothing in it, if the mask says so.
TEST(Encoder, PaddingIsNotSeen) {
  Encoder model(small(), Seed(1));
  const Tensor padded = concat({kIds, to(matrix({{4, 4}, {6, 1}}), DType::kInt64)}, 1);
  Tensor mask = ones({2, 6}, DType::kBool);
  fill(slice(mask, 1, 4, 6), 0);
  EncoderContext context;
  context.key_padding_mask = mask;
  const Tensor got = slice(model(padded, context).value(), 1, 0, 4);
  EXPECT_EQ(test::difference(got, model(kIds).value(), 1e-12, 1e-13), "");
}

TEST(Encoder, TracesAndHiddenStates) {
  Encoder model(small(NormPlace::kPre), Seed(1));
  EXPECT_EQ(model.named_parameters().back().name, "norm.bias");
  std::vector<AttentionTrace> traces;
  std::vector<Variable> hidden;
  EncoderContext context;
  context.traces = &traces;
  context.hidden = &hidden;
  const Tensor y = model(kIds, context).value();
  EXPECT_EQ(test::difference(y, model(kIds).value(), 1e-11, 1e-12), "");
  ASSERT_EQ(traces.size(), 2U);
  ASSERT_EQ(hidden.size(), 3U);
  EXPECT_EQ(traces[0].weights.shape(), Shape({2, 2, 4, 4}));
}

TEST(EncoderError, Texts) {
  Encoder model(small(), Seed(1));
  EXPECT_THAT(
      [&] {
        model(zeros({1, 7}, DType::kInt64));
      },
      ThrowsMessage<std::out_of_range>("Encoder: expected at most 6 positions, got 7; ids=[1, 7]"));
  EXPECT_THAT([&] { model(arange(0, 3)); },
              ThrowsMessage<ShapeError>("Encoder: expected ids [B, T], got [3]; ids=[3]"));
  EncoderContext context;
  context.types = arange(0, 4);
  EXPECT_THAT([&] { model(kIds, context); },
              ThrowsMessage<ShapeError>("Encoder: expected types.shape == ids.shape, got [4] and "
                                        "[2, 4]; ids=[2, 4] types=[4]"));
  EncoderOptions plain = small();
  plain.num_types = 0;
  Encoder without(plain, Seed(1));
  context.types = zeros({2, 4}, DType::kInt64);
  EXPECT_THAT([&] { without(kIds, context); },
              ThrowsMessage<std::invalid_argument>(
                  "Encoder: expected no types, since it has no embeddings of them, got some; "
                  "types=[2, 4]"));
}

}  // namespace
}  // namespace gradwalk::nn
