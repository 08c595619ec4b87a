// A model in several files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nn/checkpoint/files.h"
#include "nn/checkpoint/safetensors.h"
#include "tensor/create.h"

namespace gradwalk::nn {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Pieces : public testing::Test {
 protected:
  void SetUp() override {
    save_safetensors(folder_ / "one.safetensors", {{"a", zeros({2})}, {"b", ones({1})}},
                     {{"format", "pt"}});
    save_safetensors(folder_ / "two.safetensors", {{"c", ones({3})}, {"b", zeros({1})}});
  }
  std::string error_with(std::string_view index) {
    test::write(folder_ / "model.safetensors.index.json", index);
    return test::error_of(
        [&] { const Safetensors file(folder_ / "model.safetensors.index.json"); });
  }

  test::Folder folder_;
};

TEST_F(Pieces, AnIndexSaysWhichFileHasATensor) {
  test::write(
      folder_ / "model.safetensors.index.json",
      R"({"metadata":{"total_size":24},"weight_map":{"a":"one.safetensors","c":"two.safetensors","b":"one.safetensors"}})");
  const Safetensors file(folder_ / "model.safetensors.index.json");
  EXPECT_EQ(file.entries().size(), 3U);
  EXPECT_EQ(file.metadata().at("format"), "pt");
  EXPECT_EQ(file.load("a").to_vector(), (std::vector<double>{0, 0}));
  EXPECT_EQ(file.load("b").to_vector(), (std::vector<double>{1}));
  EXPECT_EQ(file.load("c").to_vector(), (std::vector<double>{1, 1, 1}));
}

TEST_F(Pieces, AnIndexThatIsWrong) {
  EXPECT_THAT(error_with("{"), HasSubstr("expected JSON"));
  EXPECT_THAT(error_with("[]"), HasSubstr("expected an object, got array"));
  EXPECT_THAT(error_with("{}"), HasSubstr("an index with an object weight_map"));
  EXPECT_THAT(
      error_with(R"({"weight_map":{"d":"one.safetensors"}})"),
      HasSubstr("a tensor in \"one.safetensors\", as the index says, got none; tensor \"d\""));
  EXPECT_THAT(error_with(R"({"weight_map":{"a":"three.safetensors"}})"), HasSubstr("No such file"));
  for (const char* file : {"\"../one.safetensors\"", "\"/etc/one.safetensors\"", "\"\"", "7",
                           "\"one.bin\"", "\"one\\u0000.safetensors\""}) {
    EXPECT_THAT(error_with(std::string(R"({"weight_map":{"a":)") + file + "}}"),
                AllOf(HasSubstr("a .safetensors file of the index's own folder"),
                      HasSubstr("tensor \"a\"")));
  }
}

}  // namespace
}  // namespace gradwalk::nn
