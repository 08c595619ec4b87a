#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lessons/course/engine/explain.h"

namespace gradwalk::course {

/// scale * einsum over recorded tensors, one element at a time. Explain::contraction describes the
/// notation.
class Contraction {
 public:
  /// @throws std::logic_error if the spec is malformed or does not name one group of letters per
  /// operand
  Contraction(std::string spec, std::vector<std::string> operands, double scale);

  /// @throws std::logic_error if the operands' shapes do not fit the spec
  Explanation at(const Index& index, const Operands& operands) const;

 private:
  static constexpr std::int64_t kFree = -1;

  struct Operand {
    std::string tensor;
    std::vector<std::int64_t> fixed;  ///< per leading axis: an index, or kFree
    std::string letters;
  };

  [[noreturn]] void fail(const std::string& what) const;
  Operand parse_operand(const std::string& text, std::string letters) const;
  std::vector<std::int64_t> letter_sizes(const Index& index, const Operands& operands) const;
  Index element(const Operand& operand, const TensorRecord& tensor,
                const std::vector<std::int64_t>& at) const;
  std::string formula(const Index& index, const Operands& operands) const;

  std::string spec_;
  double scale_;
  std::vector<Operand> operands_;
  std::string result_;
  std::string summed_;
};

}  // namespace gradwalk::course
