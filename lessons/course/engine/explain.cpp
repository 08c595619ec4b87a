#include "lessons/course/engine/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "lessons/course/engine/contraction.h"
#include "lessons/course/engine/record.h"

namespace gradwalk::course {
namespace {

// The logit, the maximum and the sum stand in `lines`; that logit is the level below.
Explanation explain_softmax(const std::string& logits, const Index& index,
                            const Operands& operands) {
  const TensorRecord& z = operands.tensor(logits);
  if (z.shape.empty() || index.size() != z.shape.size()) {
    throw std::logic_error(
        fmt::format("softmax(\"{}\"): the recorded logits have shape {}, the result {} axes",
                    logits, z.shape_text(), index.size()));
  }
  const std::int64_t size = z.shape.back();
  Index other = index;
  double maximum = -std::numeric_limits<double>::infinity();
  std::string at_maximum;
  for (other.back() = 0; other.back() < size; ++other.back()) {
    if (z.at(other) > maximum) {
      maximum = z.at(other);
      at_maximum = element_text(logits, other);
    }
  }
  double sum = 0;
  double lowest = 0;
  for (other.back() = 0; other.back() < size; ++other.back()) {
    const double shifted = z.at(other) - maximum;
    if (std::isfinite(shifted)) lowest = std::min(lowest, shifted);
    sum += std::exp(shifted);
  }
  const double own = std::exp(z.at(index) - maximum);
  const std::string logit = element_text(logits, index);
  Explanation explanation;
  other.back() = 0;
  std::string row = logits;
  if (other.size() > 1) {
    row = fmt::format("{}[{},j]", logits, fmt::join(index.begin(), index.end() - 1, ","));
  } else {
    row += "[j]";
  }
  explanation.formula = fmt::format("exp({} - m) / sum_j exp({} - m)", logit, row);
  explanation.lines = {fmt::format("m = {} = {:.6g}, the largest of {}", at_maximum, maximum, size),
                       fmt::format("exp({:.6g} - {:.6g}) / {:.6g} = {:.6g} / {:.6g}", z.at(index),
                                   maximum, sum, own, sum)};
  explanation.value = own / sum;
  explanation.magnitude = (1 - lowest) * explanation.value;
  explanation.next = {logit};
  return explanation;
}

Explanation explain_sum(const std::vector<Explain>& parts, const Index& index,
                        const Operands& operands) {
  Explanation whole;
  for (const Explain& part : parts) {
    Explanation one = part.at(index, operands);
    const bool minus = one.formula.starts_with("-");
    if (whole.formula.empty()) {
      whole.formula = one.formula;
    } else {
      whole.formula += minus ? " - " + one.formula.substr(1) : " + " + one.formula;
    }
    whole.magnitude += one.magnitude > 0 ? one.magnitude : std::abs(one.value);
    whole.value += one.value;
    if (one.terms.empty()) one.terms.push_back({one.formula, {}, one.value});
    std::move(one.terms.begin(), one.terms.end(), std::back_inserter(whole.terms));
    std::move(one.next.begin(), one.next.end(), std::back_inserter(whole.next));
  }
  return whole;
}

}  // namespace

std::string element_text(std::string_view tensor, const Index& index) {
  return index.empty() ? std::string(tensor) : fmt::format("{}[{}]", tensor, fmt::join(index, ","));
}

Operands::Operands(Lookup lookup) : lookup_(std::move(lookup)) {}

const TensorRecord& Operands::tensor(std::string_view name) const {
  const TensorRecord* found = lookup_(name);
  if (found == nullptr) {
    throw std::logic_error(
        fmt::format("an explanation reads '{}', which no step has recorded", name));
  }
  return *found;
}

double Operands::operator()(std::string_view name, const Index& index) const {
  return tensor(name).at(index);
}

Explain::Explain(Rule rule) : rule_(std::make_shared<const Rule>(std::move(rule))) {}

Explain Explain::given(std::string text) {
  return Explain([text = std::move(text)](const Index&, const Operands&) {
    Explanation explanation;
    explanation.formula = text;
    explanation.given = true;
    return explanation;
  });
}

Explain Explain::contraction(std::string spec, std::vector<std::string> operands, double scale) {
  return Explain(
      [rule = Contraction(std::move(spec), std::move(operands), scale)](
          const Index& index, const Operands& recorded) { return rule.at(index, recorded); });
}

Explain Explain::sum(std::vector<Explain> parts) {
  return Explain([parts = std::move(parts)](const Index& index, const Operands& operands) {
    return explain_sum(parts, index, operands);
  });
}

Explain Explain::softmax(std::string logits) {
  return Explain([logits = std::move(logits)](const Index& index, const Operands& operands) {
    return explain_softmax(logits, index, operands);
  });
}

Explain Explain::custom(Rule rule) { return Explain(std::move(rule)); }

Explanation Explain::at(const Index& index, const Operands& operands) const {
  if (empty()) throw std::logic_error("a tensor is recorded without an explanation");
  return (*rule_)(index, operands);
}

}  // namespace gradwalk::course
