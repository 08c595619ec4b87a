#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gradwalk::course {

struct TensorRecord;

/// One index per axis, counted from 0; empty for a scalar.
using Index = std::vector<std::int64_t>;

/// "k[1,0]"; the name alone for a scalar.
std::string element_text(std::string_view tensor, const Index& index);

/// One summand of an element: the product of its factors.
struct Term {
  std::string text;             ///< what is multiplied, such as "W_K[0,1] h[1,1]"
  std::vector<double> factors;  ///< in the order of the text, a scale other than 1 in front
  double value = 0;
};

/// How one element of a recorded tensor comes about. Its terms add up to `value`; where it is no
/// sum, `lines` say how.
struct Explanation {
  std::string formula;      ///< the right-hand side in letters, such as "sum_j W_K[0,j] h[1,j]"
  std::vector<Term> terms;  ///< every term, in the order of the sum
  std::vector<std::string> lines;  ///< for what is no plain sum: one line per stage
  double value = 0;      ///< what the explanation yields; compared with the recorded element
  double magnitude = 0;  ///< size of what was added; rounding is judged against it. 0: |value|
  bool given = false;    ///< a parameter or an input: nothing is computed, so nothing is compared
  std::vector<std::string>
      next;  ///< elements one level down, such as "z[1]"; the first may be expanded at once
};

/// The recorded tensors that an explanation may read: those of its own step and of earlier ones,
/// the newest of a name first.
class Operands {
 public:
  using Lookup = std::function<const TensorRecord*(std::string_view)>;

  explicit Operands(Lookup lookup);

  /// @throws std::logic_error if no such tensor is recorded
  const TensorRecord& tensor(std::string_view name) const;

  /// The value of one element.
  /// @throws std::logic_error if there is no such tensor, std::out_of_range if there is no such
  /// element
  double operator()(std::string_view name, const Index& index = {}) const;

 private:
  Lookup lookup_;
};

/// The recipe for every element of a tensor, evaluated on recorded tensors when somebody asks.
class Explain {
 public:
  using Rule = std::function<Explanation(const Index&, const Operands&)>;

  /// No recipe. A tensor recorded with it is a std::logic_error at the end of its step.
  Explain() = default;

  /// A parameter or an input: nothing to compute.
  static Explain given(std::string text);

  /// scale * (an einsum over recorded tensors).
  ///
  ///   contraction("ij,tj->ti", {"W_K", "h"})      k[t,i] = sum_j W_K[i,j] h[t,j]
  ///   contraction("i,j->ij", {"dq", "h[0]"})      dW_Q[i,j] = dq[i] h[0,j]
  ///   contraction("i,->i", {"a", "go"}, -1)       -a[i] go, with a scalar
  ///
  /// @param spec      one group of letters per operand, then the letters of the result; other
  /// letters are summed over
  /// @param operands  names of recorded tensors; `name[0]` and `name[:,2]` fix axes
  static Explain contraction(std::string spec, std::vector<std::string> operands, double scale = 1);

  /// The sum of several recipes; signs and factors are in their scales.
  static Explain sum(std::vector<Explain> parts);

  /// exp(z - m) / sum exp(z - m) along the last axis of the recorded logits, which have the shape
  /// of the result.
  static Explain softmax(std::string logits);

  /// Anything else (a logarithm, a cosine, a loss). The rule fills in `value`, and `terms` or
  /// `lines`.
  static Explain custom(Rule rule);

  bool empty() const { return rule_ == nullptr; }

  /// @throws std::logic_error if the recipe does not fit the recorded tensors; the message names it
  /// and their shapes
  Explanation at(const Index& index, const Operands& operands) const;

 private:
  explicit Explain(Rule rule);

  std::shared_ptr<const Rule> rule_;
};

}  // namespace gradwalk::course
