#include "lessons/course/engine/contraction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "lessons/course/engine/record.h"
#include "lessons/course/text/parse.h"

namespace gradwalk::course {
namespace {

constexpr std::size_t kLetters = 26;

std::size_t slot(char letter) { return static_cast<std::size_t>(letter - 'a'); }

std::string named(const std::string& tensor, const std::vector<std::string>& index) {
  return index.empty() ? tensor : fmt::format("{}[{}]", tensor, fmt::join(index, ","));
}

}  // namespace

Contraction::Contraction(std::string spec, std::vector<std::string> operands, double scale)
    : spec_(std::move(spec)), scale_(scale) {
  const std::size_t arrow = spec_.find("->");
  if (arrow == std::string::npos) fail("expected letters -> letters");
  result_ = spec_.substr(arrow + 2);
  const std::vector<std::string> groups = split(std::string_view(spec_).substr(0, arrow), ',');
  if (groups.size() != operands.size()) {
    fail(fmt::format("expected {} operands, got {}", groups.size(), operands.size()));
  }
  for (const char c : spec_) {
    if ((c < 'a' || c > 'z') && c != ',' && c != '-' && c != '>') fail("expected letters a to z");
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    operands_.push_back(parse_operand(operands[i], groups[i]));
    for (const char letter : groups[i]) {
      if (result_.find(letter) == std::string::npos && summed_.find(letter) == std::string::npos) {
        summed_ += letter;
      }
    }
  }
  for (const char letter : result_) {
    if (spec_.substr(0, arrow).find(letter) == std::string::npos) {
      fail(fmt::format("letter {} of the result stands in no operand", letter));
    }
  }
}

void Contraction::fail(const std::string& what) const {
  throw std::logic_error(fmt::format("contraction(\"{}\"): {}", spec_, what));
}

Contraction::Operand Contraction::parse_operand(const std::string& text,
                                                std::string letters) const {
  const std::size_t bracket = text.find('[');
  Operand operand{text.substr(0, bracket), {}, std::move(letters)};
  if (bracket == std::string::npos) return operand;
  if (text.back() != ']') fail(fmt::format("expected name[index], got '{}'", text));
  const std::string inside = text.substr(bracket + 1, text.size() - bracket - 2);
  for (const std::string& part : split(inside, ',')) {
    std::int64_t at = kFree;
    if (part != ":") {
      const std::int64_t number = parse_whole(part).value_or(-1);
      if (number < 0) {
        fail(fmt::format("expected an index or ':' in '{}'", text));
      }
      at = number;
    }
    operand.fixed.push_back(at);
  }
  return operand;
}

std::vector<std::int64_t> Contraction::letter_sizes(const Index& index,
                                                    const Operands& operands) const {
  std::vector<std::int64_t> sizes(kLetters, 0);
  std::string shapes;
  for (const Operand& operand : operands_) {
    shapes += fmt::format(" {}={}", operand.tensor, operands.tensor(operand.tensor).shape_text());
  }
  for (const Operand& operand : operands_) {
    const TensorRecord& tensor = operands.tensor(operand.tensor);
    std::size_t letter = 0;
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
      if (axis < operand.fixed.size() && operand.fixed[axis] != kFree) continue;
      if (letter == operand.letters.size()) fail("an operand has more axes than letters;" + shapes);
      std::int64_t& size = sizes[slot(operand.letters[letter++])];
      if (size != 0 && size != tensor.shape[axis]) fail("sizes of a letter differ;" + shapes);
      size = tensor.shape[axis];
    }
    if (letter != operand.letters.size() || operand.fixed.size() > tensor.shape.size()) {
      fail("an operand has fewer axes than letters;" + shapes);
    }
  }
  if (index.size() != result_.size()) {
    fail(fmt::format("the result has {} axes, the recorded tensor {}", result_.size(),
                     index.size()));
  }
  return sizes;
}

Index Contraction::element(const Operand& operand, const TensorRecord& tensor,
                           const std::vector<std::int64_t>& at) const {
  Index element;
  std::size_t letter = 0;
  for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    const bool fixed = axis < operand.fixed.size() && operand.fixed[axis] != kFree;
    element.push_back(fixed ? operand.fixed[axis] : at[slot(operand.letters[letter++])]);
  }
  return element;
}

std::string Contraction::formula(const Index& index, const Operands& operands) const {
  std::array<std::string, kLetters> texts;
  for (std::size_t i = 0; i < kLetters; ++i) texts[i] = std::string(1, static_cast<char>('a' + i));
  for (std::size_t i = 0; i < index.size(); ++i) texts[slot(result_[i])] = std::to_string(index[i]);
  std::string text;
  if (scale_ == -1) {
    text = "-";
  } else if (scale_ != 1) {
    text = fmt::format("{:.6g} ", scale_);
  }
  if (!summed_.empty()) text += fmt::format("sum_{} ", summed_);
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    const Operand& operand = operands_[i];
    std::vector<std::string> parts;
    std::size_t letter = 0;
    for (std::size_t axis = 0; axis < operands.tensor(operand.tensor).shape.size(); ++axis) {
      const bool fixed = axis < operand.fixed.size() && operand.fixed[axis] != kFree;
      parts.push_back(fixed ? std::to_string(operand.fixed[axis])
                            : texts[slot(operand.letters[letter++])]);
    }
    if (i > 0) text += ' ';
    text += named(operand.tensor, parts);
  }
  return text;
}

Explanation Contraction::at(const Index& index, const Operands& operands) const {
  const std::vector<std::int64_t> sizes = letter_sizes(index, operands);
  std::vector<std::int64_t> at(kLetters, 0);
  for (std::size_t i = 0; i < index.size(); ++i) at[slot(result_[i])] = index[i];

  Explanation explanation;
  explanation.formula = formula(index, operands);
  for (const char letter : summed_) {
    if (sizes[slot(letter)] == 0) return explanation;
  }
  for (bool more = true; more;) {
    Term term;
    term.value = scale_;
    if (scale_ != 1) term.factors.push_back(scale_);
    for (const Operand& operand : operands_) {
      const TensorRecord& tensor = operands.tensor(operand.tensor);
      const Index element = this->element(operand, tensor, at);
      std::vector<std::string> texts;
      for (const std::int64_t i : element) texts.push_back(std::to_string(i));
      const std::string text = named(operand.tensor, texts);
      const double value = tensor.at(element);
      if (!term.text.empty()) term.text += ' ';
      term.text += text;
      term.factors.push_back(value);
      term.value *= value;
      explanation.next.push_back(text);
    }
    explanation.value += term.value;
    explanation.magnitude += std::abs(term.value);
    explanation.terms.push_back(std::move(term));

    more = false;
    for (std::size_t i = summed_.size(); i-- > 0 && !more;) {
      std::int64_t& digit = at[slot(summed_[i])];
      more = ++digit < sizes[slot(summed_[i])];
      if (!more) digit = 0;
    }
  }
  return explanation;
}

}  // namespace gradwalk::course
