#include "nn/files/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "nn/checkpoint/files.h"

namespace gradwalk::nn {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(ReadJsonObject, NamesTheFault) {
  const test::Folder folder;
  const auto error = [&](std::string_view text) {
    test::write(folder / "a.json", text);
    return test::error_of(
        [&] { read_json_object("load_config", folder / "a.json", /*longest=*/100); });
  };
  EXPECT_THAT(error("{\"a\": }"),
              StartsWith("load_config: expected JSON, got an error at byte 7; in "));
  EXPECT_THAT(error("[1]"), HasSubstr("expected an object, got array"));
  EXPECT_THAT(error(std::string(101, ' ')), HasSubstr("expected at most 100 bytes, got 101"));
  EXPECT_THAT(error("{\"a\": 1, \"b\": {\"a\": 2}, \"a\": 1}"),
              HasSubstr("expected each key once, got \"a\" twice; in "));
  EXPECT_EQ(error(std::string("{\"a\": ") + std::string(90, '[')),
            error(std::string("{\"a\": ") + std::string(91, '[')));
  EXPECT_THAT(error("{\"a\": " + std::string(64, '[')), HasSubstr("expected at most 64 levels"));
  // The parser has an exception of its own for this one.
  EXPECT_THAT(error("{\"a\": 1e999}"), HasSubstr("expected JSON, got a number out of range; in "));
}

}  // namespace
}  // namespace gradwalk::nn
