// Cases from public bug reports that concern the value of attention.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support.h"
#include "tensor/attention.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"

namespace gradwalk {
namespace {

using nlohmann::json;

// |got - want| within the case's own tolerance for this dtype.
std::string difference(const json& report, const Tensor& got, const Tensor& want) {
  const json& tolerance = report["tolerance"][name(got.dtype())];
  return test::difference(got, want, tolerance["rtol"].get<double>(),
                          tolerance["atol"].get<double>());
}

constexpr DType kFloats[] = {DType::kFloat32, DType::kFloat64};

// Repeating the whole list of key/value heads, and not each in place, sent query heads to the wrong
// ones. Heads 0 and 1 use key/value head 0, heads 2 and 3 use head 1 (BR-20).
TEST(AttentionCases, Br20OrderOfSharedHeads) {
  const json report = test::bug_report("BR-20");
  GRADWALK_SKIP_WITHOUT(report);
  for (const DType dtype : kFloats) {
    const json& in = report["inputs"];
    const Tensor query = unsqueeze(test::tensor_from(in["q"], dtype), 1);  // [H, 1, Dh]
    const Tensor y =
        attention(query, test::tensor_from(in["k"], dtype), test::tensor_from(in["v"], dtype));
    const Tensor want = test::tensor_from(report["expected"]["out_per_query_head"], dtype);
    EXPECT_EQ(difference(report, squeeze(y, 1), want), "");
  }
}

// A causal mask aligned at the first key hid the cache from new queries. Here 2 stand beside 5 keys
// of which 3 come from a cache; then 1 query (BR-22).
TEST(AttentionCases, Br22CausalMaskIsAlignedAtTheLastKey) {
  const json report = test::bug_report("BR-22");
  GRADWALK_SKIP_WITHOUT(report);
  const json& expected = report["expected"];
  for (const DType dtype : kFloats) {
    const auto run = [&](std::int64_t queries, const json& want) {
      const Tensor value = reshape(test::tensor_from(report["inputs"]["v"], dtype), {1, 5, 1});
      const Tensor y = attention(zeros({1, queries, 4}, dtype), zeros({1, 5, 4}, dtype), value,
                                 {.causal = true});
      EXPECT_EQ(difference(report, reshape(y, {queries}), test::tensor_from(want, dtype)), "");
    };
    run(2, expected["out"]);
    run(1, expected["q_len_1"]["out"]);
  }
}

// Generation with a cache differed from the full pass when positions started anew with each call.
// Whatever is fed at once, the rest coming from a cache, each position gets the same logits
// (BR-23): the part of attention.
TEST(AttentionCases, Br23CachedStepsEqualTheFullPass) {
  const json report = test::bug_report("BR-23");
  GRADWALK_SKIP_WITHOUT(report);
  const json& in = report["inputs"];
  const Tensor table = test::tensor_from(in["token_table"]);
  std::vector<double> rows;
  std::int64_t position = 0;
  for (const json& token : in["tokens"]) {
    const Tensor x = select(table, 0, token.get<std::int64_t>()) +
                     select(test::tensor_from(in["position_table"]), 0, position++);
    for (const double value : x.to_vector()) rows.push_back(value);
  }
  const Tensor x = from_vector(rows, {1, position, 2}, DType::kFloat64);
  json schedules = in["schedules"];
  schedules.push_back({position});
  for (const json& schedule : schedules) {
    std::int64_t done = 0;
    for (const json& step : schedule) {
      const std::int64_t end = done + step.get<std::int64_t>();
      const Tensor fresh = slice(x, 1, done, end);
      const Tensor cached = slice(x, 1, 0, end);
      const Tensor h = fresh + attention(fresh, cached, cached, {.causal = true});
      const Tensor logits = matmul(squeeze(h, 0), transpose(table));
      const Tensor want = test::tensor_from(report["expected"]["logits_at_each_position"]);
      EXPECT_EQ(difference(report, logits, slice(want, 0, done, end)), "") << schedule;
      done = end;
    }
  }
}

// Scores scaled by the width of the model made the weights too even. The scale is 1 /
// sqrt(head_dim). Heads are consecutive slices, and with the identity as values the result is the
// map of weights (BR-25).
TEST(AttentionCases, Br25ScaleOfTheHeadNotTheModel) {
  const json report = test::bug_report("BR-25");
  GRADWALK_SKIP_WITHOUT(report);
  for (const DType dtype : kFloats) {
    const Tensor x = test::tensor_from(report["inputs"]["x"], dtype);  // [T, D]
    const Tensor heads = permute(reshape(x, {2, 2, 2}), {1, 0, 2});    // [H, T, Dh]
    const Tensor eye = expand(matrix({{1, 0}, {0, 1}}, dtype), {2, 2, 2});
    const Tensor want = test::tensor_from(report["expected"]["weights_per_head"], dtype);
    EXPECT_EQ(difference(report, attention(heads, heads, eye), want), "");
  }
}

}  // namespace
}  // namespace gradwalk
