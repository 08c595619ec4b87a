// Checkpoints of others fed through a cache, and with their grouped heads taken apart.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "nn/checkpoint/files.h"
#include "nn/checkpoint/load_model.h"
#include "nn/checkpoint/references.h"
#include "tensor/create.h"
#include "tensor/gather.h"
#include "tensor/join.h"
#include "tensor/layout.h"

namespace gradwalk::nn {
namespace {

using nlohmann::json;
using Ids = std::vector<std::int64_t>;

class Cached : public testing::TestWithParam<const char*> {
 protected:
  Cached() : reference_(test::data_json("models/" + std::string(GetParam()) + "/reference.json")) {}

  std::unique_ptr<CausalLm> model(DType dtype = DType::kFloat32) const {
    return load_model(test::data("models/" + std::string(GetParam())), dtype);
  }
  Ids ids() const {
    const json& greedy = reference_.at("greedy");
    return greedy.is_array() ? greedy[0].at("ids") : greedy.at("ids");
  }

  json reference_;
};

// Logits [T, V] of ids that are fed in pieces of these lengths.
Tensor logits_in_pieces(CausalLm& model, const Ids& ids, const std::vector<std::size_t>& pieces,
                        KvCache& cache) {
  CausalLmContext context;
  context.cache = &cache;
  const NoGrad guard;
  std::vector<Tensor> parts;
  auto at = ids.begin();
  for (const std::size_t count : pieces) {
    const auto end = at + static_cast<std::ptrdiff_t>(count);
    parts.push_back(select(model(test::ids_of(Ids(at, end)), context).value(), 0, 0));
    at = end;
  }
  return concat(parts, /*axis=*/0);
}

// Kernels add in another order for one position than for many, so the logits, which are up to 20,
// differ in the last bits: by 2e-5 at most in float32.
void expect_equal(const Tensor& got, const Tensor& want) {
  const bool single = want.dtype() == DType::kFloat32;
  const double size = test::largest_difference(want, zeros(want.shape(), want.dtype()));
  EXPECT_LE(test::largest_difference(got, want), (single ? 1e-5 : 1e-13) * size);
}

// A cached step has to give what one pass over all positions does, however the text is cut up: here
// on real weights, five positions in each of the 16 ways. (BR-23)
TEST_P(Cached, FivePositionsInAnyPieces) {
  GRADWALK_SKIP_WITHOUT_DATA(reference_);
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const auto model = this->model(dtype);
    Ids five = ids();
    five.resize(5);
    const Tensor want = test::logits_of(*model, five);
    KvCache cache = model->make_cache(/*batch=*/1, /*capacity=*/5);
    for (unsigned cuts = 0; cuts < 16; ++cuts) {
      std::vector<std::size_t> pieces = {1};
      for (unsigned i = 0; i < 4; ++i) {
        if (cuts >> i & 1) pieces.push_back(0);
        ++pieces.back();
      }
      cache.truncate(0);
      SCOPED_TRACE(cuts);
      expect_equal(logits_in_pieces(*model, five, pieces, cache), want);
    }
  }
}

TEST_P(Cached, LogitsOfAWholeTextOneByOneEqualThoseAtOnce) {
  GRADWALK_SKIP_WITHOUT_DATA(reference_);
  const auto model = this->model();
  const Ids text = ids();
  KvCache cache = model->make_cache(/*batch=*/1, static_cast<std::int64_t>(text.size()));
  expect_equal(logits_in_pieces(*model, text, std::vector<std::size_t>(text.size(), 1), cache),
               test::logits_of(*model, text));
}

using Grouped = Cached;

// Each key and value head repeated in place, as often as query heads share it.
TEST_P(Grouped, HeadsEqualAHeadForEachQuery) {
  GRADWALK_SKIP_WITHOUT_DATA(reference_);
  const auto grouped = model();
  CausalLmOptions options = grouped->options();
  MultiHeadAttentionOptions& attention = options.block.attention;
  const std::int64_t groups = attention.num_kv_heads;
  const std::int64_t shared = attention.num_heads / groups;
  const std::int64_t width = options.d_model / attention.num_heads;
  ASSERT_GT(shared, 1);
  Tensor rows("rows", {options.d_model}, DType::kInt64);
  for (std::int64_t i = 0; i < options.d_model; ++i) {
    rows.mutable_data<std::int64_t>()[i] = i / width / shared * width + i % width;
  }
  StateDict state;
  for (const auto& [name, value] : grouped->state_dict()) {
    const bool repeats =
        name.find("k_proj") != std::string::npos || name.find("v_proj") != std::string::npos;
    state.emplace_back(name, repeats ? index_select(value, /*axis=*/0, rows) : value);
  }
  attention.num_kv_heads = attention.num_heads;
  CausalLm full(options, Seed(1));
  full.load_state_dict(state);
  full.eval();
  EXPECT_LE(
      test::largest_difference(test::logits_of(*grouped, ids()), test::logits_of(full, ids())),
      1e-6);
}

std::string label(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Models, Cached,
                         testing::Values("stories260K", "tinystories-656k", "tiny-gpt2"), label);
INSTANTIATE_TEST_SUITE_P(Models, Grouped, testing::Values("stories260K", "tinystories-656k"),
                         label);

}  // namespace
}  // namespace gradwalk::nn
