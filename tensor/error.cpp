#include "tensor/error.h"

#include <fmt/format.h>

namespace gradwalk {

std::string error_text(std::string_view op, std::string_view expected, std::string_view got,
                       std::initializer_list<Operand> operands) {
  std::string text = fmt::format("{}: expected {}, got {}", op, expected, got);
  const char* separator = "; ";
  for (const Operand& operand : operands) {
    text += fmt::format("{}{}={}", separator, operand.name, operand.shape.str());
    separator = " ";
  }
  return text;
}

void throw_shape_error(std::string_view op, std::string_view expected, std::string_view got,
                       std::initializer_list<Operand> operands) {
  throw ShapeError(error_text(op, expected, got, operands));
}

void throw_argument_error(std::string_view op, std::string_view expected, std::string_view got,
                          std::initializer_list<Operand> operands) {
  throw std::invalid_argument(error_text(op, expected, got, operands));
}

}  // namespace gradwalk
