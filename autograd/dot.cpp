#include "autograd/dot.h"

#include <fmt/format.h>

namespace gradwalk {
namespace {

// Inside a quoted string DOT knows two special characters.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return result + "\"";
}

}  // namespace

std::size_t GraphPicture::place(const Variable& variable) {
  const auto [found, added] = places_.try_emplace(variable.node(), entries_.size());
  if (added) entries_.push_back({variable, "", "", {}});
  return found->second;
}

void GraphPicture::on_forward(const ForwardStep& step) {
  std::vector<std::size_t> inputs;
  for (const Variable& input : step.inputs) inputs.push_back(place(input));
  Entry& made = entries_[place(step.output)];
  made.op = step.op;
  made.inputs = std::move(inputs);
}

void GraphPicture::name(const Variable& variable, std::string name) {
  const auto found = places_.find(variable.node());
  if (found != places_.end()) entries_[found->second].name = std::move(name);
}

std::string GraphPicture::dot() const {
  std::string text = "digraph gradwalk {\n  rankdir=LR;\n";
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    const bool needs_grad = entry.variable.requires_grad();
    const std::string what = !entry.op.empty() ? entry.op : needs_grad ? "parameter" : "constant";
    std::string label = entry.name;
    if (label.empty() || !entry.op.empty()) label += (label.empty() ? "" : "\n") + what;
    label += "\n" + entry.variable.shape().str();
    const char* style = !entry.op.empty() ? "shape=box"
                        : needs_grad      ? "shape=ellipse"
                                          : "shape=ellipse, style=dashed";
    text += fmt::format("  n{} [label={}, {}];\n", i, quoted(label), style);
    for (const std::size_t input : entry.inputs) text += fmt::format("  n{} -> n{};\n", input, i);
  }
  return text + "}\n";
}

}  // namespace gradwalk
