#include "lessons/driver/probe/inputs.h"

#include <gmock/gmock.h>

#include "lessons/driver/probe/probe_fixture.h"
#include "nn/checkpoint/safetensors.h"
#include "tensor/create.h"
#include "tensor/layout.h"

namespace gradwalk::probe {
namespace {

using test::runtime_error_of;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

class ProbeInputs : public test::ProbeTest {
 protected:
  std::string text_error(const std::string& text) {
    write("ids.txt", text);
    return runtime_error_of([] { read_texts("ids.txt"); });
  }
  std::string class_error(const std::string& text) {
    write("classes.txt", text);
    return runtime_error_of([] { read_classes("classes.txt", 20); });
  }
};

TEST_F(ProbeInputs, TextsAreLinesOfIds) {
  write("ids.txt", "0 3 5\n\n  0,4,\t7 \r\n9");
  EXPECT_THAT(read_texts("ids.txt"), ElementsAre(Ids{0, 3, 5}, Ids{0, 4, 7}, Ids{9}));
  EXPECT_EQ(text_error("0 1\n2 x\n"), "ids.txt:2: expected token ids, whole numbers >= 0, got 'x'");
  EXPECT_EQ(text_error("0 -1\n"), "ids.txt:1: expected token ids, whole numbers >= 0, got '-1'");
  EXPECT_EQ(text_error(" \n"), "ids.txt: expected token ids, got none");
  EXPECT_EQ(text_error("0 \x1b[31m" + std::string(90, 'x')),
            "ids.txt:1: expected token ids, whole numbers >= 0, got '?[31m" + std::string(55, 'x') +
                "...'");
  EXPECT_EQ(runtime_error_of([] { read_texts("/dev/zero"); }),
            "/dev/zero: expected at most 67108864 bytes, got more");
  EXPECT_EQ(runtime_error_of([] { read_texts("absent"); }), "absent: cannot be read");
  EXPECT_EQ(runtime_error_of([] { read_texts("."); }), ".: cannot be read");
}

TEST_F(ProbeInputs, ClassesAreLabelsWithIdsAndRanges) {
  write("classes.txt", "# of a task\nnumber: 3 1 5-7  # all\n\nnoun:10,11\n");
  const std::vector<TokenClass> classes = read_classes("classes.txt", 20);
  ASSERT_EQ(classes.size(), 2U);
  EXPECT_EQ(classes[0].label, "number");
  EXPECT_THAT(classes[0].tokens, ElementsAre(1, 3, 5, 6, 7));
  EXPECT_TRUE(classes[0].has(6));
  EXPECT_FALSE(classes[0].has(4));
  EXPECT_THAT(classes[1].tokens, ElementsAre(10, 11));
}

TEST_F(ProbeInputs, ClassesThatAreNone) {
  EXPECT_THAT(class_error("number 1 2\n"),
              EndsWith(":1: expected LABEL: ID ID FIRST-LAST ..., got 'number 1 2'"));
  EXPECT_THAT(class_error("a: 1\na: 2\n"), EndsWith(":2: expected each label once, got 'a'"));
  EXPECT_THAT(class_error("a: 1-3\nb: 2\n"),
              EndsWith(":2: expected each token in one class; 2 is in a, got '2'"));
  EXPECT_THAT(class_error("a: 20\n"),
              EndsWith("expected ids or FIRST-LAST from 0 to 19, got '20'"));
  EXPECT_THAT(class_error("a: 5-3\n"), HasSubstr("got '5-3'"));
  EXPECT_THAT(class_error("a: 1-x\n"), HasSubstr("got '1-x'"));
  EXPECT_THAT(class_error("\x1b[31ma: 1\n"), HasSubstr("expected LABEL: ID ID"));
  EXPECT_THAT(class_error("a:\n"), EndsWith("expected at least one token, got 'a:'"));
  EXPECT_EQ(class_error("# none\n"), "classes.txt: expected classes, got none");
}

TEST_F(ProbeInputs, ExpectedTensorsByNameAndShape) {
  const Tensor ids = from_vector({1, 2, 3, 4}, {2, 2}, DType::kInt64);
  nn::save_safetensors("e.safetensors",
                       {{"cls", ones({2, 5})}, {"ids", ids}, {"other", ones({1})}});
  Expected expected = read_expected("e.safetensors", /*is_causal=*/false);
  EXPECT_EQ(expected.name, "cls");
  EXPECT_EQ(expected.values.size(), 2U);
  EXPECT_EQ(expected.values[0].shape(), (Shape{5}));
  EXPECT_THAT(expected.texts, ElementsAre(Ids{1, 2}, Ids{3, 4}));
  EXPECT_EQ(runtime_error_of([] { read_expected("e.safetensors", /*is_causal=*/true); }),
            "probe: expected logits to compare with, got no such tensor; e.safetensors");

  nn::save_safetensors("e.safetensors", {{"logits", ones({2, 5})}});
  expected = read_expected("e.safetensors", /*is_causal=*/true);
  EXPECT_EQ(expected.values[0].shape(), (Shape{2, 5}));
  EXPECT_TRUE(expected.texts.empty());
  nn::save_safetensors("e.safetensors", {{"logits", ones({5})}});
  EXPECT_EQ(runtime_error_of([] { read_expected("e.safetensors", true); }),
            "probe: expected logits of 2 or 3 axes, got [5]; e.safetensors");
  const auto refused = [](const Tensor& logits, const Tensor& tokens) {
    nn::save_safetensors("e.safetensors", {{"logits", logits}, {"ids", tokens}});
    return runtime_error_of([] { read_expected("e.safetensors", true); });
  };
  Tensor nan = ones({2, 5});
  fill(select(nan, 0, 1), NAN);
  EXPECT_EQ(refused(nan, ids), "probe: expected finite numbers in logits, got nan; e.safetensors");
  EXPECT_EQ(refused(ones({2, 2, 5}), ones({2, 2})),
            "probe: expected ids of an integer type, got F32; e.safetensors");
  EXPECT_EQ(refused(ones({2, 2, 5}), zeros({std::int64_t{1} << 40, 0}, DType::kInt64)),
            "probe: expected numbers in ids, got [1099511627776, 0]; e.safetensors");
  nn::save_safetensors("e.safetensors", {{"logits", ones({3, 2, 5})}, {"ids", ids}});
  EXPECT_EQ(runtime_error_of([] { read_expected("e.safetensors", true); }),
            "probe: expected ids of 3 texts, as logits has, got 2; e.safetensors");
}

}  // namespace
}  // namespace gradwalk::probe
