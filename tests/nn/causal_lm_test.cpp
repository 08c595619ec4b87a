// TransformerBlock and CausalLm.

#include "nn/causal_lm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "autograd/backward.h"
#include "autograd/cross_entropy.h"
#include "autograd/elementwise.h"
#include "nn/optim/adamw.h"
#include "support.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"

namespace gradwalk::nn {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::ThrowsMessage;

constexpr LinearOptions kLinear{
    .bias = false, .init = {InitScheme::kNormal, 0.4}, .dtype = DType::kFloat64};

// LLaMA's form: rope, RMS norm, SwiGLU, grouped heads.
CausalLmOptions llama() {
  CausalLmOptions o;
  o.vocab_size = 11;
  o.d_model = 8;
  o.num_layers = 2;
  o.block.attention = {.num_heads = 4, .num_kv_heads = 2, .rope = RopeOptions{}, .linear = kLinear};
  o.block.d_hidden = 12;
  o.block.feed_forward = {.kind = FeedForwardKind::kSwiGlu, .linear = kLinear};
  o.block.norm = NormKind::kRmsNorm;
  o.block.norm_options.dtype = DType::kFloat64;
  o.embedding = {.init = {InitScheme::kNormal, 1}, .dtype = DType::kFloat64};
  return o;
}

// GPT-2's: learned positions, layer norm, GELU.
CausalLmOptions gpt2() {
  CausalLmOptions o = llama();
  o.max_positions = 6;
  o.block.attention.rope = std::nullopt;
  o.block.attention.num_kv_heads = 4;
  o.block.feed_forward.kind = FeedForwardKind::kGelu;
  o.block.norm = NormKind::kLayerNorm;
  return o;
}

Tensor ids(std::int64_t batch, std::int64_t length) {
  Generator generator(5, "ids");
  Tensor x("ids", {batch, length}, DType::kInt64);
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    x.mutable_data<std::int64_t>()[i] = generator.below(11);
  }
  return x;
}

std::vector<std::string> names(const Module& module) {
  std::vector<std::string> all;
  for (const NamedParameter& parameter : module.named_parameters()) all.push_back(parameter.name);
  return all;
}

TEST(TransformerBlock, NormBeforeOrAfter) {
  Generator generator(2, "x");
  const Variable x = normal({2, 3, 8}, generator, DType::kFloat64);
  for (const NormPlace place : {NormPlace::kPre, NormPlace::kPost}) {
    TransformerBlockOptions o = gpt2().block;
    o.norm_place = place;
    TransformerBlock block(8, Seed(1), o);
    const MultiHeadAttention attention(8, Seed(1) / "self_attn", o.attention);
    const FeedForward mlp(8, 12, Seed(1) / "mlp", o.feed_forward);
    const LayerNorm norm(8, o.norm_options);
    Variable want;
    if (place == NormPlace::kPre) {
      const Variable y = x + attention(norm(x));
      want = y + mlp(norm(y));
    } else {
      const Variable y = norm(x + attention(x));
      want = norm(y + mlp(y));
    }
    EXPECT_EQ(test::difference(block(x).value(), want.value(), 1e-12, 1e-13), "");
  }
}

TEST(TransformerBlock, DropsOnlyInTraining) {
  TransformerBlockOptions o = gpt2().block;
  o.dropout = 0.5;
  TransformerBlock block(8, Seed(1), o);
  Generator generator(2, "x");
  const Variable x = normal({1, 3, 8}, generator, DType::kFloat64);
  EXPECT_NE(block(x).value().to_vector(), block(x).value().to_vector());
  block.eval();
  EXPECT_EQ(block(x).value().to_vector(), block(x).value().to_vector());
}

TEST(TransformerBlock, EitherBranchAlone) {
  Generator generator(2, "x");
  const Variable x = normal({2, 3, 8}, generator, DType::kFloat64);
  TransformerBlockOptions o = gpt2().block;
  o.has_feed_forward = false;
  TransformerBlock attention(8, Seed(1), o);
  const LayerNorm norm(8, o.norm_options);
  const MultiHeadAttention own(8, Seed(1) / "self_attn", o.attention);
  EXPECT_EQ(test::difference(attention(x).value(), (x + own(norm(x))).value(), 1e-12, 1e-13), "");
  EXPECT_EQ(attention.parameters().size(), norm.parameters().size() + own.parameters().size());
  o.has_feed_forward = true;
  o.has_attention = false;
  TransformerBlock mlp(8, Seed(1), o);
  const FeedForward forward(8, 12, Seed(1) / "mlp", o.feed_forward);
  EXPECT_EQ(test::difference(mlp(x).value(), (x + forward(norm(x))).value(), 1e-12, 1e-13), "");
  AttentionTrace trace;
  EXPECT_THAT([&] { mlp(x, {.trace = &trace}); },
              ThrowsMessage<std::logic_error>("TransformerBlock: expected neither cache nor trace "
                                              "in a block without attention"));
}

TEST(CausalLm, NamesAreThoseOfLlama) {
  const std::vector<std::string> all = names(CausalLm(llama(), Seed(1)));
  EXPECT_EQ(all.size(), 1U + 2 * 9 + 1);
  EXPECT_EQ(all.front(), "embed_tokens.weight");
  EXPECT_EQ(all.back(), "norm.weight");
  for (const char* name :
       {"layers.0.input_layernorm.weight", "layers.1.self_attn.q_proj.weight",
        "layers.1.self_attn.o_proj.weight", "layers.0.post_attention_layernorm.weight",
        "layers.1.mlp.gate_proj.weight", "layers.1.mlp.down_proj.weight"}) {
    EXPECT_NE(std::find(all.begin(), all.end(), name), all.end()) << name;
  }
  CausalLmOptions untied = gpt2();
  untied.tie_embeddings = false;
  EXPECT_EQ(names(CausalLm(untied, Seed(1))).back(), "lm_head.weight");
  EXPECT_EQ(names(CausalLm(untied, Seed(1)))[1], "embed_positions.weight");
}

// What comes later changes nothing at a position; without a mask it would.
TEST(CausalLm, SeesNothingThatComesLater) {
  for (const CausalLmOptions& o : {llama(), gpt2()}) {
    CausalLm model(o, Seed(1));
    const Tensor whole = ids(2, 6);
    const Tensor logits = model(whole).value();
    EXPECT_EQ(logits.shape(), Shape({2, 6, 11}));
    const Tensor first = model(contiguous(slice(whole, 1, 0, 4))).value();
    EXPECT_EQ(test::difference(first, slice(logits, 1, 0, 4), 1e-12, 1e-12), "");
  }
}

// Without the mask every position sees what it is to predict.
TEST(CausalLm, SeesAllIfItIsNotCausal) {
  CausalLmOptions o = llama();
  o.causal = false;
  CausalLm model(o, Seed(1));
  const Tensor whole = ids(2, 6);
  const Tensor first = model(contiguous(slice(whole, 1, 0, 4))).value();
  EXPECT_NE(test::difference(first, slice(model(whole).value(), 1, 0, 4), 1e-3, 1e-3), "");
}

TEST(CausalLm, OutputLayerMayBeginOtherwise) {
  CausalLmOptions o = llama();
  o.tie_embeddings = false;
  o.lm_head = Init{InitScheme::kOnes};
  const StateDict state = CausalLm(o, Seed(1)).state_dict();
  EXPECT_EQ(state.back().first, "lm_head.weight");
  EXPECT_THAT(state.back().second.to_vector(), Each(1));
}

TEST(CausalLm, WithACacheInAnyPiecesAndWithEveryWayOfGrowing) {
  for (const CausalLmOptions& o : {llama(), gpt2()}) {
    CausalLm model(o, Seed(1));
    const Tensor whole = ids(2, 6);
    const NoGrad guard;
    const Tensor want = model(whole).value();
    for (const CacheGrowth growth :
         {CacheGrowth::kPreallocated, CacheGrowth::kDoubling, CacheGrowth::kByOne}) {
      for (const std::vector<std::int64_t>& pieces :
           {std::vector<std::int64_t>{1, 1, 1, 1, 1, 1}, {4, 2}, {1, 5}}) {
        KvCache cache = model.make_cache(2, growth == CacheGrowth::kPreallocated ? 6 : 1, growth);
        std::int64_t begin = 0;
        for (const std::int64_t count : pieces) {
          CausalLmContext context;
          context.cache = &cache;
          const Tensor part = contiguous(slice(whole, 1, begin, begin + count));
          EXPECT_EQ(test::difference(model(part, context).value(),
                                     slice(want, 1, begin, begin + count), 1e-11, 1e-12),
                    "");
          begin += count;
        }
      }
    }
  }
}

TEST(CausalLm, TracesAndHiddenStatesOfEveryLayer) {
  CausalLm model(llama(), Seed(1));
  std::vector<AttentionTrace> traces;
  std::vector<Variable> hidden;
  CausalLmContext context;
  context.traces = &traces;
  context.hidden = &hidden;
  const Tensor logits = model(ids(1, 5), context).value();
  EXPECT_EQ(test::difference(model(ids(1, 5)).value(), logits, 1e-11, 1e-12), "");
  ASSERT_EQ(traces.size(), 2U);
  ASSERT_EQ(hidden.size(), 3U);
  EXPECT_EQ(traces[1].weights.shape(), Shape({1, 4, 5, 5}));
  EXPECT_EQ(hidden[2].shape(), Shape({1, 5, 8}));
  EXPECT_NE(traces[0].query.value().to_vector(), traces[1].query.value().to_vector());
}

// A tied table gets both gradients and moves once; in training the loss falls to next to nothing.
TEST(CausalLm, LearnsASequenceByHeart) {
  for (const CausalLmOptions& o : {llama(), gpt2()}) {
    CausalLm model(o, Seed(1));
    AdamW adamw(model.parameters(), {.lr = 0.02, .weight_decay = 0});
    const Tensor tokens = ids(1, 6);
    const Tensor input = contiguous(slice(tokens, 1, 0, 5));
    const Tensor target = contiguous(slice(tokens, 1, 1, 6));
    double first = 0;
    double last = 0;
    for (int step = 0; step < 60; ++step) {
      const Variable loss = cross_entropy(model(input), target);
      model.zero_grad();
      backward(loss);
      adamw.step();
      (step == 0 ? first : last) = loss.value().item();
    }
    EXPECT_GT(first, 1);
    EXPECT_LT(last, 0.05);
  }
}

TEST(CausalLmError, Texts) {
  CausalLm model(gpt2(), Seed(1));
  EXPECT_THAT([&] { model(ids(1, 7)); },
              ThrowsMessage<std::out_of_range>(
                  "CausalLm: expected at most 6 positions, got 7; ids=[1, 7]"));
  EXPECT_THAT([&] { model(arange(0, 3)); },
              ThrowsMessage<ShapeError>("CausalLm: expected ids [B, T], got [3]; ids=[3]"));
  EXPECT_THAT([] { CausalLm({}, Seed(1)); },
              ThrowsMessage<std::invalid_argument>(
                  "CausalLm: expected vocab_size, d_model >= 1 and num_layers, max_positions >= 0, "
                  "got 0, 0, 0 and 0"));
}

}  // namespace
}  // namespace gradwalk::nn
