#include "bench/decode.h"

#include <gtest/gtest.h>

#include "bench/workload.h"

namespace gradwalk::bench {
namespace {

const DecodeConfig kTiny{"tiny",          /*d_model=*/8,      /*d_hidden=*/12,  /*num_layers=*/2,
                         /*num_heads=*/4, /*num_kv_heads=*/2, /*vocab_size=*/11};

TEST(Decode, CountsBytesAsThePeersDo) {
  // d = 4, one of two heads for keys, hidden 3: table 5 x 4, in a layer q and o 2 x 16, k and v
  // 2 x 4 x 2, MLP 3 x 4 x 3, and 2 x 2 numbers for each of 128 positions.
  EXPECT_EQ(decode_bytes({"", 4, 3, 1, 2, 1, 5}), 4 * (20 + 32 + 16 + 36 + 4 * 128));
}

TEST(Decode, TheCacheChangesNoLogit) {
  Decoding decoding(kTiny);
  const Tensors logits = decoding.decode();
  ASSERT_EQ(logits.size(), static_cast<std::size_t>(kDecodeTokens));
  EXPECT_EQ(logits[0].shape(), Shape{11});
  EXPECT_EQ(difference(logits, decoding.decode_without_cache(kDecodeTokens), 1e-5), "");
}

TEST(Decode, StartsAtTheSamePositionEachTime) {
  Decoding decoding(kTiny);
  const Tensors first = decoding.decode();
  EXPECT_EQ(difference(decoding.decode(), first, /*tolerance=*/0), "");
}

}  // namespace
}  // namespace gradwalk::bench
