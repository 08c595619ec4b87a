// What must hold for every op, over the cases that the ops' own test files hand in (ops.h).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>

#include "autograd/backward.h"
#include "autograd/gradient_table.h"
#include "ops.h"
#include "support.h"
#include "tensor/allocator.h"
#include "tensor/error.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk {
namespace {

using test::OpCase;
using test::OpCases;

// A failure in f names the op.
void for_each_op(const std::function<void(const OpCase&)>& f) {
  for (const OpCase& op : OpCases::all()) {
    SCOPED_TRACE(op.name + " " + op.how);
    f(op);
  }
}

std::vector<Variable> parameters(const std::vector<Tensor>& values) {
  std::vector<Variable> leaves;
  for (const Tensor& value : values) leaves.push_back(parameter(clone(value)));
  return leaves;
}

Tensor upstream(const Variable& y) {
  Generator generator(9, "upstream");
  return normal(y.shape(), generator, DType::kFloat64);
}

std::vector<Tensor> gradients(const OpCase& op) {
  const std::vector<Variable> leaves = parameters(op.inputs);
  const Variable y = op.f(leaves);
  backward(y, upstream(y));
  std::vector<Tensor> grads;
  for (const Variable& leaf : leaves) grads.push_back(leaf.grad());
  return grads;
}

// The names of the functions that a header declares: `Variable f(`, or whatever it returns.
std::set<std::string> functions_of(const std::filesystem::path& header) {
  static const std::regex kDeclaration("^[A-Z][A-Za-z:<>]* (\\w+)\\(|^std::\\w+<\\w+> (\\w+)\\(");
  std::ifstream file(header);
  std::set<std::string> names;
  for (std::string line; std::getline(file, line);) {
    std::smatch found;
    if (!std::regex_search(line, found, kDeclaration)) continue;
    names.insert(found[1].matched ? found[1] : found[2]);
  }
  return names;
}

// Whoever adds an op and forgets its cases is told here.
TEST(EveryOp, HasACase) {
  std::set<std::string> known;
  for (const OpCase& op : OpCases::all()) known.insert(op.name);
  for (const std::string& name : test::MadeOfOps::all()) known.insert(name);
  const std::set<std::string> engine = {"backward.h", "dot.h",   "grad_check.h",
                                        "record.h",   "trace.h", "variable.h"};
  std::set<std::string> declared;
  const std::filesystem::path folder = std::filesystem::path(GRADWALK_SOURCE_DIR) / "autograd";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != ".h" || engine.count(path.filename()) > 0) continue;
    const std::set<std::string> functions = functions_of(path);
    EXPECT_FALSE(functions.empty()) << path;
    declared.insert(functions.begin(), functions.end());
  }
  EXPECT_EQ(known, declared);
}

TEST(EveryOp, GradientMatchesCentralDifferences) {
  for_each_op([](const OpCase& op) { test::expect_gradient(op.name, op.f, op.inputs); });
}

TEST(EveryOp, GradientOfStridedInputsMatchesCentralDifferences) {
  for_each_op([](const OpCase& op) {
    std::vector<Tensor> inputs;
    for (const Tensor& input : op.inputs) {
      inputs.push_back(test::strided(input));
      ASSERT_EQ(test::difference(inputs.back(), input, 0), "");
    }
    test::expect_gradient(op.name, op.f, inputs);
  });
}

TEST(EveryOp, NodeHasTheOpsName) {
  for_each_op([](const OpCase& op) {
    const Variable y = op.f(parameters(op.inputs));
    EXPECT_EQ(y.op(), op.name);
    EXPECT_TRUE(y.requires_grad());
  });
}

TEST(EveryOp, GradientsOfTwoInputsShareNoBuffer) {
  for_each_op([](const OpCase& op) {
    const std::vector<Tensor> grads = gradients(op);
    for (const Tensor& grad : grads) {
      EXPECT_TRUE(grad.is_contiguous());
      EXPECT_TRUE(grad.numel() == 0 || grad.storage()->bytes() == grad.numel() * 8);
      EXPECT_NO_THROW(mul_into(grad, 2));
    }
    for (std::size_t i = 1; i < grads.size(); ++i) {
      EXPECT_NE(grads[i].storage().get(), grads[i - 1].storage().get());
    }
  });
}

TEST(EveryOp, ConstantInputsGetNoGradientAndTheOthersTheSame) {
  for_each_op([](const OpCase& op) {
    if (op.inputs.size() < 2) return;
    const std::vector<Tensor> want = gradients(op);
    for (std::size_t which = 0; which < op.inputs.size(); ++which) {
      std::vector<Variable> leaves(op.inputs.begin(), op.inputs.end());
      leaves[which] = parameter(clone(op.inputs[which]));
      const Variable y = op.f(leaves);
      backward(y, upstream(y));
      EXPECT_EQ(test::difference(leaves[which].grad(), want[which], 0), "");
      for (std::size_t other = 0; other < leaves.size(); ++other) {
        EXPECT_EQ(leaves[other].grad().defined(), other == which);
      }
    }
  });
}

TEST(EveryOp, WithoutGradientsNothingIsRecorded) {
  for_each_op([](const OpCase& op) {
    const std::vector<Variable> leaves = parameters(op.inputs);
    const NoGrad guard;
    const Variable y = op.f(leaves);
    EXPECT_FALSE(y.requires_grad());
    EXPECT_STREQ(y.op(), "leaf");
  });
}

TEST(EveryOp, LeavesNothingBehind) {
  for_each_op([](const OpCase& op) {
    const std::int64_t live = memory_stats().used_blocks;
    gradients(op);
    EXPECT_EQ(memory_stats().used_blocks, live);
    op.f(parameters(op.inputs));  // and without backward
    EXPECT_EQ(memory_stats().used_blocks, live);
  });
}

enum class Way { kDirect, kThroughView, kNoGrad };

// False for what cannot be written to: an expanded view, or nothing.
bool spoil(const Tensor& x, Way way) {
  if (x.numel() == 0) return false;
  try {
    std::optional<NoGrad> guard;
    if (way == Way::kNoGrad) guard.emplace();
    if (way == Way::kThroughView) {
      Tensor view = x;
      while (view.ndim() > 0) view = select(view, 0, 0);
      add_into(view, 3);
    } else {
      add_into(x, 3);
    }
  } catch (const ShapeError&) {
    return false;
  }
  return true;
}

// A saved value that was written to gave a gradient of the new values without a word. For every op,
// after a write to an input or to the output, through whichever view, backward gives the right
// gradient or says that it cannot (BR-09).
TEST(EveryOp, StaleValueIsNoticedOrDoesNotMatter) {
  for_each_op([](const OpCase& op) {
    const std::vector<Tensor> want = gradients(op);
    int noticed = 0;
    for (const Way way : {Way::kDirect, Way::kThroughView, Way::kNoGrad}) {
      for (std::size_t target = 0; target <= op.inputs.size(); ++target) {
        const std::vector<Variable> leaves = parameters(op.inputs);
        const Variable y = op.f(leaves);
        const Tensor dy = upstream(y);
        if (!spoil(target < leaves.size() ? leaves[target].value() : y.value(), way)) continue;
        try {
          backward(y, dy);
          for (std::size_t i = 0; i < leaves.size(); ++i) {
            EXPECT_EQ(test::difference(leaves[i].grad(), want[i], 0), "") << "target " << target;
          }
        } catch (const std::logic_error& error) {
          ++noticed;
          EXPECT_THAT(error.what(), testing::StartsWith(
                                        op.name + ": expected the value saved for backward "
                                                  "unchanged, got 1 in-place write since; saved="));
          for (const Variable& leaf : leaves) EXPECT_FALSE(leaf.grad().defined());
        }
      }
    }
    EXPECT_EQ(noticed > 0, op.saves);
  });
}

}  // namespace
}  // namespace gradwalk
