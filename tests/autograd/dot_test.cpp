#include "autograd/dot.h"

#include <gmock/gmock.h>

#include "autograd/elementwise.h"
#include "autograd/matmul.h"
#include "autograd/reduce.h"
#include "tensor/create.h"

namespace gradwalk {
namespace {

TEST(GraphPicture, HasOneNodeAVariableAndOneArrowAnInput) {
  const Variable w = parameter(ones({2, 3}));
  const Variable x = Variable(ones({3}));
  GraphPicture picture;
  Variable loss;
  {
    const TraceScope scope(picture);
    const Variable y = matmul(w, x);
    loss = sum(y * y);
  }
  picture.name(w, "the \"weight\"");
  picture.name(loss, "loss");
  EXPECT_EQ(picture.dot(),
            "digraph gradwalk {\n"
            "  rankdir=LR;\n"
            "  n0 [label=\"the \\\"weight\\\"\\n[2, 3]\", shape=ellipse];\n"
            "  n1 [label=\"constant\\n[3]\", shape=ellipse, style=dashed];\n"
            "  n2 [label=\"matmul\\n[2]\", shape=box];\n"
            "  n0 -> n2;\n"
            "  n1 -> n2;\n"
            "  n3 [label=\"mul\\n[2]\", shape=box];\n"
            "  n2 -> n3;\n"
            "  n2 -> n3;\n"
            "  n4 [label=\"loss\\nsum\\n[]\", shape=box];\n"
            "  n3 -> n4;\n"
            "}\n");
}

TEST(GraphPicture, KnowsOnlyWhatItsScopeComputed) {
  const Variable w = parameter(ones({2}));
  GraphPicture picture;
  const Variable before = w * w;
  { const TraceScope scope(picture); }
  picture.name(before, "before");
  EXPECT_EQ(picture.dot(), "digraph gradwalk {\n  rankdir=LR;\n}\n");
}

TEST(GraphPicture, OpsUnderNoGradAreConstantsWithInputs) {
  const Variable w = parameter(ones({2}));
  GraphPicture picture;
  {
    const TraceScope scope(picture);
    const NoGrad guard;
    sum(w);
  }
  EXPECT_THAT(picture.dot(), testing::HasSubstr("n0 -> n1"));
}

}  // namespace
}  // namespace gradwalk
