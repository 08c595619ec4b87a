#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "autograd/variable.h"

namespace gradwalk::test {

/// Cases that tests of every op run over, handed in by the ops' own test files:
///
///   const OpCases kCases([](std::vector<OpCase>& ops) { ops.push_back({...}); });
///
/// The cases are made when a test asks for them, not while the program starts.
template <class Case>
class Registered {
 public:
  using Add = void (*)(std::vector<Case>&);
  explicit Registered(Add add) { added().push_back(add); }

  static std::vector<Case> all() {
    std::vector<Case> cases;
    for (const Add add : added()) add(cases);
    return cases;
  }

 private:
  static std::vector<Add>& added() {
    static std::vector<Add> functions;
    return functions;
  }
};

using OpInputs = const std::vector<Variable>&;

/// A differentiable op in one way that it can be called: every_op_test.cpp holds it to all that
/// must hold for every op. A list has broadcasting, axes, sizes of 1 and a shared input where the
/// op has them.
struct OpCase {
  std::string name;  ///< of the op, as the graph knows it
  std::string how;   ///< what is particular about the call
  std::function<Variable(OpInputs)> f;
  std::vector<Tensor> inputs;  ///< float64, contiguous
  bool saves;                  ///< its rule keeps a value that an in-place write could spoil
};
using OpCases = Registered<OpCase>;

/// Names of functions in autograd/ that call ops and record nothing themselves.
using MadeOfOps = Registered<std::string>;

/// An op at a size where its kernels split their work: same_bits_test.cpp runs it in 1, 2 and 3
/// threads.
struct ThreadCase {
  std::string name;  ///< letters, digits, underscores
  std::vector<Shape> shapes;
  std::function<Variable(OpInputs)> f;
};
using ThreadCases = Registered<ThreadCase>;
void PrintTo(const ThreadCase& work, std::ostream* out);  ///< for gtest: the name

/// The shape of most of them.
Shape wide();
/// int64 in [0, below).
Tensor drawn_ids(const Shape& shape, std::int64_t below);

/// Normal, and uniform in [0.5, 2): for log, sqrt and divisors. float64; the shape is the seed.
Tensor random(const Shape& shape);
Tensor positive(const Shape& shape);

/// The same values in a layout that is not contiguous (for a 0-d tensor: with an offset).
Tensor strided(const Tensor& x);

}  // namespace gradwalk::test
