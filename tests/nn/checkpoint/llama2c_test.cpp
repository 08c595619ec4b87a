// The binary format of llama2.c.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "nn/checkpoint/files.h"
#include "nn/checkpoint/load_model.h"

namespace gradwalk::nn {
namespace {

using testing::HasSubstr;

// llama2.c's header and, as weights, 0.01, 0.02, ...
std::string llama2c(std::initializer_list<std::int32_t> header, int floats) {
  std::string bytes;
  for (const std::int32_t value : header) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  for (int i = 0; i < floats; ++i) {
    const float value = 0.01F * static_cast<float>(i + 1);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  return bytes;
}

TEST(Llama2c, SizesOrderAndFaults) {
  test::Folder folder;
  // d_model 4, d_hidden 3, 1 layer, 2 heads, 1 kv head, 5 tokens, 6 positions.
  const int weights = 5 * 4 + 4 + 16 + 8 + 8 + 16 + 4 + 12 + 12 + 12 + 4;
  const int tables = 6 * 2;
  const auto path = folder / "model.bin";
  test::write(path, llama2c({4, 3, 1, 2, 1, 5, 6}, weights + tables));
  const auto tied = load_model(path);
  EXPECT_EQ(tied->num_parameters(), weights);
  EXPECT_EQ(tied->options().max_positions, 6);
  const StateDict state = tied->state_dict();
  EXPECT_EQ(state.back().first, "norm.weight");
  EXPECT_FLOAT_EQ(static_cast<float>(state.back().second.at({3})), 0.01F * weights);

  test::write(path, llama2c({4, 3, 1, 2, 1, -5, 6}, weights + tables + 20));
  const auto untied = load_model(path);
  EXPECT_EQ(untied->num_parameters(), weights + 20);
  EXPECT_FLOAT_EQ(static_cast<float>(untied->state_dict().back().second.at({0, 0})),
                  0.01F * (weights + tables + 1));

  test::write(folder / "tok5.bin", "a tokenizer");
  test::write(folder / "pytorch_model.bin", "another format");
  EXPECT_EQ(load_model(folder.path())->num_parameters(), weights + 20);
  test::write(folder / "model2.bin", "");
  EXPECT_THAT(test::error_of([&] { load_model(folder.path()); }),
              HasSubstr("one .bin file of llama2.c, got model.bin and model2.bin"));

  const auto error_with_bytes = [&](const std::string& bytes) {
    test::write(path, bytes);
    return test::error_of([&] { load_model(path); });
  };
  EXPECT_THAT(error_with_bytes("short"), HasSubstr("a header of 28 bytes, got a file of 5"));
  EXPECT_THAT(error_with_bytes(llama2c({4, 3, 1, 2, 1, 5, 6}, weights)),
              HasSubstr("bytes, by the sizes in the header"));
  EXPECT_THAT(error_with_bytes(llama2c({4, 3, 0, 2, 1, 5, 6}, weights + tables)),
              HasSubstr("sizes in [1, 524288] in the header, got 0 as number 2"));
  EXPECT_THAT(error_with_bytes(llama2c({4, 3, 1, 2, 1, INT32_MIN, 6}, weights + tables)),
              HasSubstr("got -2147483648 as number 5"));
  EXPECT_THAT(error_with_bytes(llama2c({4, 3, 1, 3, 1, 5, 6}, weights + tables)),
              HasSubstr("heads that divide d_model"));
  EXPECT_THAT(error_with_bytes(llama2c({1 << 19, 1 << 19, 1 << 19, 1, 1, 1 << 19, 1 << 19}, 9)),
              HasSubstr("bytes, by the sizes in the header"));
}

}  // namespace
}  // namespace gradwalk::nn
