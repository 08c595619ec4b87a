#include "lessons/course/pictures/matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "lessons/course/pictures/shade.h"
#include "lessons/course/text/number_format.h"

namespace gradwalk::course {
namespace {

constexpr int kLongestLabel = 14;
constexpr std::int64_t kRowsShown = 12;
constexpr std::int64_t kSlicesShown = 2;

// A tensor seen as a stack of matrices: its last axis across, the one before down.
class MatrixView {
 public:
  MatrixView(const TensorRecord& tensor, int width, const Display& display, bool all,
             int significant)
      : tensor_(tensor), width_(width), display_(display), all_(all), shade_(visible(tensor)) {
    const std::size_t ndim = tensor.shape.size();
    columns_ = ndim > 0 ? tensor.shape[ndim - 1] : 1;
    rows_ = ndim > 1 ? tensor.shape[ndim - 2] : 1;
    slices_ = columns_ * rows_ > 0 ? tensor.numel() / (columns_ * rows_) : 0;
    const std::vector<double> values = visible(tensor);
    number_ = scale_for(values, significant);
    cell_width_ = 2;
    for (const double value : values) {
      cell_width_ = std::max(cell_width_, display_width(number_.format(value)));
    }
    for (std::int64_t column = 0; column < columns_; ++column) {
      cell_width_ =
          std::max(cell_width_, std::min(kLongestLabel, display_width(column_label(column))));
    }
    cell_width_ += 2;  // a blank in front, the mark behind
    for (std::int64_t row = 0; row < rows_; ++row) {
      label_width_ = std::max(label_width_, display_width(row_label(row)));
    }
  }

  Lines lines() const {
    Lines lines;
    const std::int64_t slices = all_ ? slices_ : std::min(slices_, kSlicesShown);
    for (std::int64_t slice = 0; slice < slices; ++slice) {
      if (tensor_.shape.size() > 2) lines.emplace_back(slice_name(slice), styles::kDim);
      block(lines, slice);
    }
    if (slices < slices_) {
      lines.emplace_back(
          fmt::format("... {} more slices: t {} --all", slices_ - slices, tensor_.name),
          styles::kDim);
    }
    return lines;
  }

  std::string range() const {
    const std::vector<double> values = visible(tensor_);
    if (values.empty()) return "no entries";
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    std::string text = fmt::format("range {}..{}", number_.format(*low), number_.format(*high));
    return number_.exponent == 0 ? text : text + " " + number_.factor();
  }

 private:
  static std::vector<double> visible(const TensorRecord& tensor) {
    if (tensor.masked.empty()) return tensor.values;
    std::vector<double> values;
    for (std::size_t i = 0; i < tensor.values.size(); ++i) {
      if (!tensor.masked[i]) values.push_back(tensor.values[i]);
    }
    return values;
  }

  std::string axis_label(std::size_t axis, std::int64_t at) const {
    const bool labelled = axis < tensor_.labels.size() && !tensor_.labels[axis].empty();
    if (!labelled) return std::to_string(at);
    return wrap(tensor_.labels[axis][static_cast<std::size_t>(at)], kLongestLabel)[0];
  }
  std::string column_label(std::int64_t column) const {
    return tensor_.shape.empty() ? "" : axis_label(tensor_.shape.size() - 1, column);
  }
  std::string row_label(std::int64_t row) const {
    return tensor_.shape.size() < 2 ? "" : axis_label(tensor_.shape.size() - 2, row);
  }

  std::string slice_name(std::int64_t slice) const {
    std::string text;
    for (std::size_t axis = tensor_.shape.size() - 2; axis-- > 0;) {
      text = std::to_string(slice % tensor_.shape[axis]) + "," + text;
      slice /= tensor_.shape[axis];
    }
    return fmt::format("{}[{}:,:]", tensor_.name, text);
  }

  // Columns of one block: all that fit, or some, "..." (-1) and the last.
  std::vector<std::vector<std::int64_t>> column_blocks() const {
    const std::int64_t fit = std::max<std::int64_t>(2, (width_ - label_width_) / cell_width_);
    std::vector<std::vector<std::int64_t>> blocks;
    if (columns_ <= fit || all_) {
      for (std::int64_t column = 0; column < columns_; ++column) {
        if (column % fit == 0) blocks.emplace_back();
        blocks.back().push_back(column);
      }
      return blocks;
    }
    blocks.emplace_back();
    for (std::int64_t column = 0; column < fit - 2; ++column) blocks[0].push_back(column);
    blocks[0].push_back(-1);
    blocks[0].push_back(columns_ - 1);
    return blocks;
  }

  void block(Lines& lines, std::int64_t slice) const {
    const std::int64_t rows = all_ || rows_ <= kRowsShown ? rows_ : kRowsShown - 1;
    for (const std::vector<std::int64_t>& columns : column_blocks()) {
      Line head;
      head.pad_to(label_width_);
      for (const std::int64_t column : columns) {
        const std::string label = column < 0 ? "..." : column_label(column);
        head.add(pad_left(label, cell_width_ - 1) + " ", styles::kDim);
      }
      if (!tensor_.shape.empty()) lines.push_back(std::move(head));
      for (std::int64_t row = 0; row < rows; ++row) {
        Line line;
        line.add(pad_right(row_label(row), label_width_), styles::kDim);
        for (const std::int64_t column : columns) cell(line, slice, row, column);
        lines.push_back(std::move(line));
      }
    }
    if (rows < rows_) {
      lines.emplace_back(fmt::format("... {} more rows: t {} --all", rows_ - rows, tensor_.name),
                         styles::kDim);
    }
  }

  void cell(Line& line, std::int64_t slice, std::int64_t row, std::int64_t column) const {
    if (column < 0) {
      line.add(pad_left("...", cell_width_ - 1) + " ", styles::kDim);
      return;
    }
    const auto at = static_cast<std::size_t>((slice * rows_ + row) * columns_ + column);
    if (!tensor_.masked.empty() && tensor_.masked[at]) {
      line.add(pad_left("--", cell_width_ - 1) + " ", styles::kDim);
      return;
    }
    const double value = tensor_.values[at];
    const std::string text = pad_left(number_.format(value), cell_width_ - 1);
    if (display_.color) {
      line.add(text + " ", shade_.style(value));
    } else {
      line.add(text + shade_.mark(value));
    }
  }

  const TensorRecord& tensor_;
  int width_;
  const Display& display_;
  bool all_;
  Shade shade_;
  std::int64_t columns_ = 1;
  std::int64_t rows_ = 1;
  std::int64_t slices_ = 1;
  NumberScale number_;
  int cell_width_ = 0;
  int label_width_ = 0;
};

}  // namespace

Lines draw_matrix(const TensorRecord& tensor, int width, const Display& display, bool all) {
  return MatrixView(tensor, width, display, all, /*significant=*/4).lines();
}

RangedMatrix ranged_matrix(const TensorRecord& tensor, int width, const Display& display) {
  const MatrixView view(tensor, width, display, /*all=*/false, /*significant=*/3);
  return {view.lines(), view.range()};
}

}  // namespace gradwalk::course
