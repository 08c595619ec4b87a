#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tensor/shape.h"

namespace gradwalk {

/// Shapes that do not fit the op.
class ShapeError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// An operand as an error names it: the parameter's name and its shape.
struct Operand {
  std::string_view name;
  Shape shape;
};

/// "op: expected E, got G; a=[2, 3] b=[4, 5]", the one form of our errors.
std::string error_text(std::string_view op, std::string_view expected, std::string_view got,
                       std::initializer_list<Operand> operands = {});

[[noreturn]] void throw_shape_error(std::string_view op, std::string_view expected,
                                    std::string_view got,
                                    std::initializer_list<Operand> operands = {});

/// For settings and dtypes.
[[noreturn]] void throw_argument_error(std::string_view op, std::string_view expected,
                                       std::string_view got,
                                       std::initializer_list<Operand> operands = {});

}  // namespace gradwalk
