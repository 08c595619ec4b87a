#include <fmt/format.h>

#include <cmath>

#include "lessons/course/pictures/matrix.h"
#include "lessons/course/text/number_format.h"

namespace gradwalk::course {
namespace {

// Over the entries that are finite and not masked.
struct Statistics {
  std::int64_t count = 0;
  double sum = 0;
  double squares = 0;
  double low = INFINITY;
  double high = -INFINITY;
  std::int64_t nan = 0;
  std::int64_t inf = 0;
  std::int64_t masked = 0;
};

Statistics statistics_of(const TensorRecord& tensor) {
  Statistics s;
  for (std::size_t i = 0; i < tensor.values.size(); ++i) {
    const double value = tensor.values[i];
    if (!tensor.masked.empty() && tensor.masked[i]) {
      ++s.masked;
    } else if (std::isnan(value)) {
      ++s.nan;
    } else if (std::isinf(value)) {
      ++s.inf;
    } else {
      ++s.count;
      s.sum += value;
      s.squares += value * value;
      s.low = std::min(s.low, value);
      s.high = std::max(s.high, value);
    }
  }
  return s;
}

double deviation(const TensorRecord& tensor, const Statistics& s) {
  const double mean = s.sum / static_cast<double>(s.count);
  double squares = 0;
  for (std::size_t i = 0; i < tensor.values.size(); ++i) {
    const double value = tensor.values[i];
    const bool masked = !tensor.masked.empty() && tensor.masked[i];
    if (!masked && std::isfinite(value)) squares += (value - mean) * (value - mean);
  }
  return std::sqrt(squares / static_cast<double>(s.count));
}

// Two halves, which stand on one line where they fit.
Lines statistics_lines(const TensorRecord& tensor, int width) {
  const Statistics s = statistics_of(tensor);
  std::string text = "no finite entry";
  if (s.count > 0) {
    text = fmt::format("mean {}  std {}  min {}  max {}  norm {}",
                       format_number(s.sum / static_cast<double>(s.count)),
                       format_number(deviation(tensor, s)), format_number(s.low),
                       format_number(s.high), format_number(std::sqrt(s.squares)));
  }
  const std::string counts = fmt::format("NaN {}  Inf {}  masked {}", s.nan, s.inf, s.masked);
  Lines lines;
  if (display_width(text) + 2 + display_width(counts) <= width) {
    lines.emplace_back(text + "  " + counts, styles::kDim);
  } else {
    lines.emplace_back(text, styles::kDim);
    lines.emplace_back(counts, styles::kDim);
  }
  return lines;
}

std::string axes_text(const TensorRecord& tensor) {
  const std::size_t ndim = tensor.axes.size();
  if (ndim == 0) return tensor.shape.empty() ? "a scalar" : "";
  std::string text;
  for (std::size_t axis = 0; axis < ndim; ++axis) {
    const char* where = axis + 1 == ndim ? "column" : axis + 2 == ndim ? "row" : "slice";
    text += fmt::format("{}{} = {}", axis == 0 ? "" : ", ", where, tensor.axes[axis]);
  }
  return text;
}

}  // namespace

std::string short_dtype(const std::string& dtype) {
  if (dtype == "float32") return "f32";
  if (dtype == "float64") return "f64";
  if (dtype == "int64") return "i64";
  return dtype;
}

std::string badge_text(const GradBadge& badge) {
  return fmt::format("entries {}/{}, {}, step {}, {}, max rel {}", badge.compared, badge.total,
                     badge.method, format_exact(badge.step, 2), badge.dtype,
                     format_exact(badge.worst, 2));
}

Lines draw_tensor(const TensorRecord& tensor, int width, const Display& display, bool all) {
  const int inner = width - 2;
  const NumberScale scale = scale_for(tensor.values);
  std::string head =
      fmt::format("{} {}  {}", tensor.name, tensor.shape_text(), short_dtype(tensor.dtype));
  if (tensor.gradient) head += "  gradient of the loss";
  const std::string axes = axes_text(tensor);
  if (!axes.empty()) head += "  " + axes;
  if (scale.exponent != 0) head += "  values " + scale.factor();
  Lines lines;
  for (const std::string& part : wrap(head, inner)) lines.emplace_back(part, styles::kTitle);
  for (Line& line : draw_matrix(tensor, inner, display, all)) lines.push_back(std::move(line));
  for (Line& line : statistics_lines(tensor, inner)) lines.push_back(std::move(line));
  if (tensor.gradient) {
    const std::string text =
        tensor.badge ? badge_text(*tensor.badge) + (tensor.badge->ok() ? "" : "  DIFFERS")
                     : "not compared with a difference quotient in this step";
    for (const std::string& part : wrap("check " + text, inner)) {
      lines.emplace_back(part, tensor.badge && !tensor.badge->ok() ? styles::kBad : styles::kDim);
    }
  }
  Lines indented;
  for (const Line& line : lines) {
    Line shifted;
    shifted.add("  ").add(line);
    indented.push_back(std::move(shifted));
  }
  return indented;
}

}  // namespace gradwalk::course
