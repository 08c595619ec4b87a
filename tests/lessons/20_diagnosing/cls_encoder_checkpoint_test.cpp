#include "lessons/20_diagnosing/cls_encoder_checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lessons/driver/probe/probe_fixture.h"

namespace gradwalk::lesson_20 {
namespace {

class SaveClsEncoder : public test::ProbeTest {};

TEST_F(SaveClsEncoder, IsReadByProbeAndGivesWhatItsModelGives) {
  ClsEncoderOptions options;
  options.updates = 3;
  const auto encoder = trained_cls_encoder(options, 5);
  save_cls_encoder(*encoder, 5, folder_ / "two");
  EXPECT_EQ(call({"probe", "--threads=1", "two", "--expect=two/expected.safetensors",
                  "--classes=two/classes.txt"}),
            0)
      << err_;
  EXPECT_THAT(out_, testing::ContainsRegex("cls: largest difference (0|[0-9.]+e-0[5-9]) over 640"));
}

}  // namespace
}  // namespace gradwalk::lesson_20
