#include "tensor/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

#include "tensor/layout.h"

namespace gradwalk {
namespace {

// Positions along an axis that are shown; -1 stands for the gap.
std::vector<std::int64_t> shown(std::int64_t size, std::int64_t edge) {
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < size; ++i) {
    if (size > 2 * edge && i == edge) {
      positions.push_back(-1);
      i = size - edge;
      if (i == size) break;
    }
    positions.push_back(i);
  }
  return positions;
}

// Writes every element in one style, chosen from all elements that are finite.
class Writer {
 public:
  Writer(const Tensor& x, int digits) : dtype_(x.dtype()), digits_(digits) {
    double largest = 0;
    for (const double value : x.to_vector()) {
      const double size = std::abs(value);
      if (!std::isfinite(size) || size == 0) continue;
      largest = std::max(largest, size);
    }
    scientific_ = largest >= 1e6 || (largest > 0 && largest < std::pow(10.0, -digits + 1));
  }

  std::string operator()(double value) const {
    if (dtype_ == DType::kBool) return value != 0 ? "true" : "false";
    if (dtype_ == DType::kInt64) return fmt::format("{:.0f}", value);
    return scientific_ ? fmt::format("{:.{}e}", value, digits_)
                       : fmt::format("{:.{}f}", value, digits_);
  }

 private:
  DType dtype_;
  int digits_;
  bool scientific_ = false;
};

void write_matrix(std::string& text, const Tensor& x, const Writer& write,
                  const PrintOptions& options) {
  const auto rows = shown(x.shape()[0], options.edge);
  const auto columns = shown(x.shape()[1], options.edge);
  std::size_t width = 3;
  std::vector<std::vector<std::string>> cells;
  for (const std::int64_t row : rows) {
    std::vector<std::string>& line = cells.emplace_back();
    for (const std::int64_t column : columns) {
      line.push_back(row < 0 || column < 0 ? "..." : write(x.at({row, column})));
      width = std::max(width, line.back().size());
    }
  }
  for (const auto& line : cells) {
    text += '\n';
    for (const std::string& cell : line) text += fmt::format("  {:>{}}", cell, width);
  }
}

void write_blocks(std::string& text, const Tensor& x, const Writer& write,
                  const PrintOptions& options, const std::string& index) {
  if (x.ndim() == 2) {
    if (!index.empty()) text += fmt::format("\n[{}:, :]", index);
    write_matrix(text, x, write, options);
    return;
  }
  for (const std::int64_t i : shown(x.shape()[0], options.edge)) {
    if (i < 0) {
      text += "\n...";
    } else {
      write_blocks(text, select(x, 0, i), write, options, fmt::format("{}{}, ", index, i));
    }
  }
}

}  // namespace

std::string to_string(const Tensor& x, const PrintOptions& options) {
  if (!x.defined()) return "undefined tensor";
  std::string text = fmt::format("{} {}", x.shape().str(), name(x.dtype()));
  if (x.numel() == 0) return text;
  const Writer write(x, options.digits);
  Tensor matrix = x;
  while (matrix.ndim() < 2) matrix = unsqueeze(matrix, 0);
  write_blocks(text, matrix, write, options, "");
  return text;
}

std::ostream& operator<<(std::ostream& out, const Tensor& x) { return out << to_string(x); }

}  // namespace gradwalk
