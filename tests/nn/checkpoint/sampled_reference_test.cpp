// The texts that reference.json of stories260K has sampled, with the random source that it defines.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "nn/checkpoint/files.h"
#include "nn/checkpoint/load_model.h"
#include "nn/checkpoint/references.h"
#include "nn/sampling.h"
#include "nn/tokenizer/tokenizer.h"
#include "tensor/layout.h"

namespace gradwalk::nn {
namespace {

using nlohmann::json;
using Ids = std::vector<std::int64_t>;

// xorshift64* (Vigna 2016), its high 24 bits as a number in [0, 1).
class XorShift {
 public:
  explicit XorShift(std::uint64_t seed) : state_(seed) {}

  double uniform() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<double>((state_ * 0x2545F4914F6CDD1DULL) >> 40) * 0x1p-24;
  }

 private:
  std::uint64_t state_;
};

// The file also drops tokens below (1 - p) / (n - 1) first. All n - 1 tokens of that kind have less
// than 1 - p together, so none of them is among the fewest that reach p.
TEST(Sampled, TextsOfTheReference) {
  const std::string folder = "models/stories260K/";
  const json all = test::data_json(folder + "reference.json");
  GRADWALK_SKIP_WITHOUT_DATA(all);
  const auto model = load_model(test::data(folder));
  const Tokenizer tokenizer = load_tokenizer(test::data(folder));
  ASSERT_EQ(all.at("sampled").size(), 2U);
  for (const json& run : all["sampled"]) {
    const Ids want = run.at("ids");
    Ids ids = tokenizer.encode(run["prompt"].get<std::string>());
    XorShift source(run["seed"].get<std::uint64_t>());
    SamplingOptions options;
    options.temperature = run["temperature"].get<double>();
    options.top_p = run["top_p"].get<double>();
    KvCache cache = model->make_cache(/*batch=*/1, static_cast<std::int64_t>(want.size()));
    CausalLmContext context;
    context.cache = &cache;
    const NoGrad guard;
    for (std::size_t seen = 0; ids.size() < want.size();) {
      const Ids fresh(ids.begin() + static_cast<std::ptrdiff_t>(seen), ids.end());
      seen = ids.size();
      const Tensor logits = (*model)(test::ids_of(fresh), context).value();
      ids.push_back(
          pick(candidates(select(select(logits, 0, 0), 0, -1), options), source.uniform()));
    }
    EXPECT_EQ(ids, want);
    EXPECT_EQ(tokenizer.decode(ids), run["text"].get<std::string>());
  }
}

}  // namespace
}  // namespace gradwalk::nn
