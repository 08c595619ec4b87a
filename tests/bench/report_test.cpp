#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bench/json.h"
#include "bench/table.h"

namespace gradwalk::bench {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Row gemm_row() {
  Row row{"gemm.nn.4x4x4", 2, kGflops, {}, {}, {}, {}, {}, {}};
  row.ours = 6;
  row.naive = 0.2;
  row.peers = {{"openblas", 5}, {"libtorch", 1}, {"libtorch-out", 4}};
  row.limit = 24;
  return row;
}

Row failed_row() {
  Row row{"softmax.fwd", 1, kMicroseconds, {}, {}, {}, {}, {}, {}};
  row.error = "libtorch: results differ";
  return row;
}

TEST(Json, HasTheFieldsOfTheSchemaAndNoOthers) {
  Row disturbed = gemm_row();
  disturbed.unclean = {"openblas"};
  const Machine machine{"a cpu", 2, "a compiler", "AVX2", {"Eigen 3"}, {{1, {100, 10, 20}}}};
  const json got = json::parse(to_json(machine, {disturbed, failed_row()}));
  const json want = json::parse(R"({
    "schema": 1,
    "machine": {"cpu": "a cpu", "cores": 2, "compiler": "a compiler", "simd": "AVX2", "peers": ["Eigen 3"],
      "limits": {"1": {"fma_gflops": 100.0, "copy_gbs": 10.0, "read_gbs": 20.0}},
      "notes": ["gemm.nn.4x4x4, threads 2: disturbed: openblas", "softmax.fwd, threads 1: libtorch: results differ"]},
    "rows": [
      {"workload": "gemm.nn.4x4x4", "threads": 2, "unit": "GFLOP/s", "better": "higher", "ours": 6.0, "naive": 0.2,
       "peers": {"openblas": 5.0, "libtorch": 1.0, "libtorch-out": 4.0}, "limit": 24.0, "ratio_best_peer": 1.2,
       "of_limit": 0.25},
      {"workload": "softmax.fwd", "threads": 1, "unit": "us", "better": "lower", "ours": null, "naive": null,
       "peers": {}, "limit": null, "ratio_best_peer": null, "of_limit": null}]})");
  EXPECT_EQ(got, want);
}

TEST(Table, ShowsEachPeersBestWay) {
  EXPECT_EQ(render_table({gemm_row()}),
            "\n"
            "gemm, GFLOP/s, more is better\n"
            "              T naive ours libtorch openblas ratio limit\n"
            "gemm.nn.4x4x4 2   0.2    6        4        5 1.20x   25%\n");
}

TEST(Table, MarksWhatWasDisturbed) {
  Row row = gemm_row();
  row.unclean = {"ours", "libtorch-out"};
  const std::string text = render_table({row});
  EXPECT_THAT(text, HasSubstr(" 6~ "));
  EXPECT_THAT(text, HasSubstr(" 4~ "));
}

TEST(Table, SaysWhichResultsDiffer) {
  EXPECT_THAT(render_table({failed_row()}),
              HasSubstr("softmax.fwd 1  ERROR libtorch: results differ\n"));
}

TEST(Table, OfTheWidestFamilyFitsEightyColumns) {
  Row row = gemm_row();
  row.workload = "gemm.nt.256x256x64.b24";
  row.peers = {{"openblas", 123.4}, {"onednn", 123.4}, {"eigen", 123.4}, {"libtorch", 123.4}};
  const std::string text = render_table({row});
  EXPECT_LE(text.find('\n', text.find("gemm.nt")) - text.find("gemm.nt"), 80U);
}

TEST(ShortNumber, HasThreeDigits) {
  EXPECT_EQ(short_number(0.8341), "0.834");
  EXPECT_EQ(short_number(24.06), "24.1");
  EXPECT_EQ(short_number(999.4), "999");
  EXPECT_EQ(short_number(999.6), "1.00k");
  EXPECT_EQ(short_number(13812), "13.8k");
  EXPECT_EQ(short_number(123456), "123k");
  EXPECT_EQ(short_number(1619360), "1.62M");
}

}  // namespace
}  // namespace gradwalk::bench
