#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "autograd/variable.h"

namespace gradwalk::test {

/// Holds the backward rule of an op to central differences (grad_check: float64, every entry,
/// random upstream) and fails the test where they differ. What was compared goes into a table of
/// ops, entries and worst errors, which the test program prints at its end.
void expect_gradient(std::string_view op,
                     const std::function<Variable(const std::vector<Variable>&)>& f,
                     const std::vector<Tensor>& inputs);

}  // namespace gradwalk::test
