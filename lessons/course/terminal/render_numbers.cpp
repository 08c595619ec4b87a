#include <fmt/format.h>

#include <algorithm>

#include "lessons/course/pictures/matrix.h"
#include "lessons/course/terminal/render_step.h"
#include "lessons/course/text/number_format.h"

namespace gradwalk::course {
namespace {

constexpr int kLongestName = 30;
constexpr int kGap = 2;

// Appends a note behind `line` where it fits, else on lines of its own.
void add_note(Lines& lines, Line line, const std::string& note, int width) {
  const int room = width - line.width() - 2 * kGap;
  if (note.empty()) {
    lines.push_back(std::move(line));
  } else if (display_width(note) <= room) {
    line.add(std::string(2 * kGap, ' ')).add(note, styles::kDim);
    lines.push_back(std::move(line));
  } else {
    lines.push_back(std::move(line));
    for (const std::string& part : wrap(note, width - 2 * kGap)) {
      Line below;
      below.pad_to(2 * kGap).add(part, styles::kDim);
      lines.push_back(std::move(below));
    }
  }
}

// Starts a row with its name in a column; a name that is longer gets lines of its own.
Line named_line(Lines& lines, const std::string& name, int column, int width, Style style) {
  Line line;
  if (display_width(name) <= column) return line.add(name, style).pad_to(column);
  for (const std::string& part : wrap(name, width)) lines.emplace_back(part, style);
  return line.pad_to(column);
}

Lines number_block(const std::vector<const NumberRecord*>& numbers, int width) {
  int column = 0;
  std::vector<std::string> values;
  for (const NumberRecord* number : numbers) {
    column = std::max(column, std::min(kLongestName, display_width(number->name)));
    values.push_back(format_number(number->value, number->digits));
  }
  values = align_points(values);
  Lines lines;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    Line line = named_line(lines, numbers[i]->name, column, width, styles::kPlain);
    add_note(lines, line.add("  ").add(values[i]), numbers[i]->note, width);
  }
  return lines;
}

// Which columns of a table fit: the first `head`, and the last behind "..." if some do not.
struct Columns {
  std::vector<int> widths;
  std::size_t head = 0;

  template <class TextOf>
  Line cells(Line line, TextOf text_of, Style style) const {
    for (std::size_t column = 0; column < head; ++column) {
      line.add(pad_left(text_of(column), widths[column]), style);
    }
    if (head < widths.size()) {
      line.add(kOmitted, styles::kDim);
      line.add(pad_left(text_of(widths.size() - 1), widths.back()), style);
    }
    return line;
  }

  static constexpr const char* kOmitted = "  ...";
};

std::string cell_text(const TableRecord& table, const NumberScale& scale, const TableRow& row,
                      std::size_t column) {
  const double value = row.values[column];
  if (table.column_digits.empty()) return scale.format(value);
  return format_number(value, table.column_digits[column]);
}

Columns columns_of(const TableRecord& table, const NumberScale& scale, int room) {
  Columns columns;
  int used = 0;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    int wide = display_width(table.columns[column]);
    for (const TableRow& row : table.rows) {
      wide = std::max(wide, display_width(cell_text(table, scale, row, column)));
    }
    columns.widths.push_back(wide + kGap);
    used += wide + kGap;
  }
  columns.head = columns.widths.size();
  if (used <= room) return columns;
  used += display_width(Columns::kOmitted);
  columns.head -= 1;
  while (columns.head > 0 && used > room) used -= columns.widths[--columns.head];
  return columns;
}

Lines table_block(const TableRecord& table, int width) {
  std::vector<double> all;
  for (const TableRow& row : table.rows) {
    all.insert(all.end(), row.values.begin(), row.values.end());
  }
  const NumberScale scale = scale_for(all, 4, table.digits);
  std::string caption = table.caption;
  if (scale.exponent != 0 && table.column_digits.empty())
    caption += fmt::format(" ({})", scale.factor());
  int names = 0;
  for (const TableRow& row : table.rows) {
    names = std::max(names, std::min(kLongestName, display_width(row.label)));
  }
  if (display_width(caption) <= kLongestName) names = std::max(names, display_width(caption));
  const Columns columns = columns_of(table, scale, width - names);

  Lines lines;
  const Line top = named_line(lines, caption, names, width, styles::kDim);
  lines.push_back(columns.cells(
      top, [&](std::size_t column) { return table.columns[column]; }, styles::kDim));
  for (const TableRow& row : table.rows) {
    const Line start = named_line(lines, row.label, names, width, styles::kPlain);
    const Line line = columns.cells(
        start, [&](std::size_t column) { return cell_text(table, scale, row, column); }, {});
    add_note(lines, line, row.note, width);
  }
  return lines;
}

// "h[3,4]  q[4]  dW_Q[4,4] f64": what t, g and c take, with shapes.
Lines tensor_list(const StepRecord& step, int width) {
  std::string text;
  std::string dtype;
  for (std::size_t i = 0; i < step.tensors.size(); ++i) {
    const TensorRecord& tensor = step.tensors[i];
    if (i > 0) text += "  ";
    text += tensor.name;
    if (!tensor.shape.empty()) text += tensor.shape_text();
    const bool last = i + 1 == step.tensors.size();
    if (last || step.tensors[i + 1].dtype != tensor.dtype) {
      text += fmt::format(" {}", short_dtype(tensor.dtype));
    }
  }
  Lines lines;
  for (const std::string& part : wrap(text, width)) lines.emplace_back(part, styles::kDim);
  return lines;
}

}  // namespace

Lines render_numbers(const StepRecord& step, int width) {
  Lines lines;
  const auto append = [&](Lines more) {
    for (Line& line : more) lines.push_back(std::move(line));
  };
  std::vector<const NumberRecord*> pending;
  const auto flush = [&] {
    if (!pending.empty()) append(number_block(pending, width));
    pending.clear();
  };
  for (const NumbersItem& item : step.numbers) {
    if (const auto* number = std::get_if<NumberRecord>(&item)) {
      pending.push_back(number);
    } else {
      flush();
      append(table_block(std::get<TableRecord>(item), width));
    }
  }
  flush();
  if (!step.tensors.empty()) append(tensor_list(step, width));
  return lines;
}

}  // namespace gradwalk::course
