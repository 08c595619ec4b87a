#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "autograd/variable.h"

namespace gradwalk::test {

/// A differentiable op in one way that it can be called.
struct OpCase {
  std::string name;  ///< of the op, as the graph knows it
  std::string how;   ///< what is particular about the call
  std::function<Variable(const std::vector<Variable>&)> f;
  std::vector<Tensor> inputs;  ///< float64, contiguous
  bool saves;                  ///< its rule keeps a value that an in-place write could spoil
};

/// Ops with broadcasting, axes, sizes of 1 and a shared input where they have them.
struct OpList {
  std::vector<OpCase> ops;
};
void PrintTo(const OpList& list, std::ostream* out);  ///< for gtest: the number of ops

/// The tests that must hold for every op. A new op joins one of the lists that ops.cpp and
/// ops_model.cpp instantiate them with.
class EveryOp : public testing::TestWithParam<OpList> {
 protected:
  /// Calls f for each op of the list; a failure names it.
  void for_each_op(const std::function<void(const OpCase&)>& f) const;
};

/// Normal, and uniform in [0.5, 2): for log, sqrt and divisors. float64; the shape is the seed.
Tensor random(const Shape& shape);
Tensor positive(const Shape& shape);

/// The same values in a layout that is not contiguous (for a 0-d tensor: with an offset).
Tensor strided(const Tensor& x);

}  // namespace gradwalk::test
