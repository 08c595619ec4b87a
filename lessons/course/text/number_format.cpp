#include "lessons/course/text/number_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "lessons/course/text/text.h"

namespace gradwalk::course {
namespace {

constexpr int kMostDecimals = 9;

std::string nonfinite(double value) {
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

// "-0.000" says a sign that the digits do not show.
std::string without_negative_zero(std::string text) {
  const bool zero = text.find_first_not_of("-0.") == std::string::npos;
  return zero && text[0] == '-' ? text.substr(1) : text;
}

int order_of(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-12)); }

// Do the values end within this many digits after the point?
bool suffices(const std::vector<double>& values, int decimals, double largest) {
  const double factor = std::pow(10.0, decimals);
  return std::all_of(values.begin(), values.end(), [&](double value) {
    const double scaled = value * factor;
    return !std::isfinite(value) ||
           std::abs(scaled - std::round(scaled)) <= 1e-9 * largest * factor + 1e-12;
  });
}

}  // namespace

std::string NumberScale::format(double value) const {
  if (!std::isfinite(value)) return nonfinite(value);
  return without_negative_zero(fmt::format("{:.{}f}", value / std::pow(10.0, exponent), decimals));
}

std::string NumberScale::factor() const {
  return exponent == 0 ? "" : fmt::format("x 1e{}", exponent);
}

NumberScale scale_for(const std::vector<double>& values, int significant, int decimals) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  NumberScale scale;
  if (decimals >= 0) {
    scale.decimals = decimals;
    return scale;
  }
  if (largest == 0) return scale;
  const int order = order_of(largest);
  if (order < -3 || order > 6) scale.exponent = order;
  const int most = std::clamp(significant - 1 - (order - scale.exponent), 0, kMostDecimals);
  std::vector<double> scaled = values;
  for (double& value : scaled) value /= std::pow(10.0, scale.exponent);
  while (scale.decimals < most &&
         !suffices(scaled, scale.decimals, largest / std::pow(10.0, scale.exponent))) {
    ++scale.decimals;
  }
  return scale;
}

std::string format_number(double value, int decimals) {
  if (!std::isfinite(value)) return nonfinite(value);
  if (decimals >= 0) return without_negative_zero(fmt::format("{:.{}f}", value, decimals));
  const double size = std::abs(value);
  if (size != 0 && (size < 1e-3 || size >= 1e6)) return fmt::format("{:.2g}", value);
  return scale_for({value}).format(value);
}

std::string format_exact(double value, int significant) {
  if (!std::isfinite(value)) return nonfinite(value);
  return without_negative_zero(fmt::format("{:.{}g}", value, significant));
}

std::string format_range(double low, double high) {
  const NumberScale number = scale_for({low, high}, 2);
  return fmt::format("{}..{}{}{}", number.format(low), number.format(high),
                     number.exponent == 0 ? "" : " ", number.factor());
}

std::vector<std::string> align_points(const std::vector<std::string>& numbers) {
  const auto before = [](const std::string& text) {
    return static_cast<int>(std::min(text.find_first_of(".e"), text.size()));
  };
  int left = 0;
  int right = 0;
  for (const std::string& text : numbers) {
    left = std::max(left, before(text));
    right = std::max(right, static_cast<int>(text.size()) - before(text));
  }
  std::vector<std::string> aligned;
  for (const std::string& text : numbers) {
    const std::string shifted =
        std::string(static_cast<std::size_t>(left - before(text)), ' ') + text;
    aligned.push_back(pad_right(shifted, left + right));
  }
  return aligned;
}

std::vector<double> nice_ticks(double low, double high, int most) {
  std::vector<double> ticks;
  if (!(high > low) || !std::isfinite(high - low) || most < 1) return {low};
  const double rough = (high - low) / most;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) {
      step = factor * power;
      break;
    }
  }
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) {
    ticks.push_back(k * step);
  }
  return ticks;
}

}  // namespace gradwalk::course
