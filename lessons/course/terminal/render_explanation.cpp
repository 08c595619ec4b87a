#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "lessons/course/terminal/render_step.h"
#include "lessons/course/text/number_format.h"

namespace gradwalk::course {
namespace {

constexpr std::size_t kTermsShown = 8;
constexpr int kDigits = 8;

std::string product_text(const Term& term) {
  if (term.factors.size() < 2) return "";
  std::string text;
  for (std::size_t i = 0; i < term.factors.size(); ++i) {
    const std::string factor = format_exact(term.factors[i], kDigits);
    text += i == 0 ? factor : " * " + (factor[0] == '-' ? "(" + factor + ")" : factor);
  }
  return text;
}

std::string signed_text(double value) {
  const std::string text = format_exact(value, kDigits);
  return text[0] == '-' ? text : "+" + text;
}

class Writer {
 public:
  Writer(Lines& lines, int width) : lines_(lines), width_(width) {}

  void text(const std::string& text, int indent, Style style = {}) {
    for (const std::string& part : wrap(text, width_ - indent)) {
      Line line;
      lines_.push_back(line.pad_to(indent).add(part, style));
    }
  }

  void terms(const Explanation& explanation, int indent) {
    std::vector<std::size_t> order(explanation.terms.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::abs(explanation.terms[a].value) > std::abs(explanation.terms[b].value);
    });
    const std::size_t shown =
        order.size() <= kTermsShown + 1 ? order.size() : kTermsShown;  // never "1 more"
    std::vector<std::string> values;
    int name_width = 3;
    int product_width = 0;
    for (std::size_t i = 0; i < shown; ++i) {
      const Term& term = explanation.terms[order[i]];
      values.push_back(signed_text(term.value));
      name_width = std::max(name_width, display_width(term.text));
      product_width = std::max(product_width, display_width(product_text(term)));
    }
    double rest = 0;
    for (std::size_t i = shown; i < order.size(); ++i) rest += explanation.terms[order[i]].value;
    const std::string more = fmt::format("{} more", order.size() - shown);
    if (shown < order.size()) values.push_back(signed_text(rest));
    const bool several = order.size() > 1;
    if (several) values.push_back(signed_text(explanation.value));
    values = align_points(values);
    const bool one_line =
        indent + name_width + product_width + 8 + display_width(values[0]) <= width_;
    for (std::size_t i = 0; i < shown; ++i) {
      const Term& term = explanation.terms[order[i]];
      const std::string product = product_text(term);
      if (one_line) {
        row(indent, name_width, term.text, product, product_width, values[i]);
      } else {
        text(term.text, indent);
        text(product + (product.empty() ? "" : " ") + "= " + values[i], indent + 2);
      }
    }
    if (!one_line) product_width = 0;
    if (!one_line) name_width = std::max(3, display_width(more));
    if (shown < order.size()) row(indent, name_width, more, "", product_width, values[shown]);
    if (several) row(indent, name_width, "sum", "", product_width, values.back());
  }

 private:
  void row(int indent, int name_width, const std::string& name, const std::string& product,
           int product_width, const std::string& value) {
    Line line;
    line.pad_to(indent).add(pad_right(name, name_width) + "  " + pad_right(product, product_width));
    lines_.push_back(line.add("  = " + value));
  }

  Lines& lines_;
  int width_;
};

void write(Writer& writer, const TensorRecord& tensor, const Index& index,
           const Explanation& explanation) {
  const std::string element = element_text(tensor.name, index);
  const double recorded = tensor.at(index);
  if (explanation.given) {
    writer.text(
        fmt::format("{} = {}   {}", element, format_exact(recorded, kDigits), explanation.formula),
        2);
    return;
  }
  writer.text(fmt::format("{} = {}", element, explanation.formula), 2);
  for (const std::string& line : explanation.lines) writer.text(line, 4);
  if (!explanation.terms.empty()) writer.terms(explanation, 4);
  const double difference = std::abs(recorded - explanation.value);
  const bool same = recorded == explanation.value ||
                    difference <= explanation_tolerance(tensor, explanation) ||
                    (std::isnan(recorded) && std::isnan(explanation.value));
  if (same) {
    writer.text(fmt::format("recorded {}, difference {}", format_exact(recorded, kDigits),
                            format_exact(difference, 2)),
                4, styles::kDim);
  } else {
    writer.text(fmt::format("DISAGREES: recorded {}, explained {}", format_exact(recorded, 17),
                            format_exact(explanation.value, 17)),
                4, styles::kBad);
  }
}

// "z[1]" as a tensor and an index.
bool read_term(const std::string& text, std::string& name, Index& index) {
  const std::size_t bracket = text.find('[');
  name = text.substr(0, bracket);
  index.clear();
  if (bracket == std::string::npos) return true;
  std::string number;
  for (std::size_t i = bracket + 1; i < text.size(); ++i) {
    if (text[i] >= '0' && text[i] <= '9') {
      number += text[i];
    } else if (!number.empty()) {
      index.push_back(std::stoll(number));
      number.clear();
    }
  }
  return !index.empty();
}

// One element with its recipe, as the step that recorded it has them.
struct Element {
  const TensorRecord* tensor = nullptr;
  Index index;
  Explanation explanation;
};

std::optional<Element> find_element(const RunRecord& run, std::size_t step,
                                    const std::string& text) {
  std::string name;
  Element element;
  if (!read_term(text, name, element.index)) return std::nullopt;
  const auto at = run.step_of_tensor(name, step);
  if (!at) return std::nullopt;
  element.tensor = run.find_tensor(name, *at);
  element.explanation = element.tensor->explain.at(element.index, run.operands(*at));
  return element;
}

// What to look at below an element: what is computed, each once.
std::vector<std::string> next_elements(const Explanation& explanation, const RunRecord& run,
                                       std::size_t step) {
  std::vector<std::string> next;
  for (const std::string& text : explanation.next) {
    if (std::find(next.begin(), next.end(), text) != next.end()) continue;
    const auto element = find_element(run, step, text);
    if (element && !element->explanation.given) next.push_back(text);
  }
  return next;
}

}  // namespace

Lines render_explanation(const RunRecord& run, std::size_t step, const std::string& tensor,
                         const Index& index, const Display& display) {
  constexpr std::size_t kNextShown = 4;
  const auto at = run.step_of_tensor(tensor, step);
  if (!at) throw std::out_of_range("no tensor " + tensor);
  const TensorRecord& record = *run.find_tensor(tensor, *at);
  record.offset(index);  // says so if there is no such element
  Lines lines;
  Writer writer(lines, display.width);
  Explanation explanation = record.explain.at(index, run.operands(*at));
  write(writer, record, index, explanation);
  std::vector<std::string> next = next_elements(explanation, run, *at);
  // Where there are no terms (a softmax), the level below has them.
  if (!explanation.given && explanation.terms.empty() && !next.empty()) {
    const auto below = find_element(run, *at, next[0]);
    write(writer, *below->tensor, below->index, below->explanation);
    next = next_elements(below->explanation, run, *at);
  }
  std::string text;
  for (std::size_t i = 0; i < next.size() && i < kNextShown; ++i) text += "   c " + next[i];
  if (!text.empty()) writer.text("deeper" + text, 2, styles::kDim);
  return lines;
}

}  // namespace gradwalk::course
