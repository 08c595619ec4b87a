#include "lessons/driver/run/sweep.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

#include "lessons/course/text/parse.h"
#include "lessons/driver/run/options.h"
#include "lessons/driver/run/parameter_option.h"

namespace gradwalk::commands {
namespace {

// LOW, LOW x F, ... or LOW, LOW + D, ... up to HIGH.
std::vector<double> range(double low, double high, double by, bool by_factor) {
  constexpr std::size_t kMost = 64;
  const double slack = 1e-9 * (std::abs(high) + (by_factor ? 0 : by));
  std::vector<double> values;
  for (int at = 0;; ++at) {
    const double value = by_factor ? low * std::pow(by, at) : low + by * at;
    if (value > high + slack) return values;
    values.push_back(value);
    if (values.size() > kMost) {
      throw UsageError(fmt::format("--sweep: more than {} values from {} to {}", kMost, low, high));
    }
  }
}

}  // namespace

Sweep parse_sweep(const std::string& text, const course::Lesson& lesson) {
  const std::size_t equals = text.find('=');
  const auto parts = course::split(equals == std::string::npos ? "" : text.substr(equals + 1), ':');
  const auto refuse = [&] {
    throw UsageError(
        fmt::format("--sweep: expected --sweep=NAME=LOW:HIGH:xFACTOR, factor > 1, or "
                    "NAME=LOW:HIGH:+STEP, got '{}'",
                    text));
  };
  if (parts.size() != 3 || parts[2].size() < 2) refuse();
  const auto low = course::parse_number(parts[0]);
  const auto high = course::parse_number(parts[1]);
  const auto by = course::parse_number(parts[2].substr(1));
  Sweep sweep;
  sweep.text = text;
  sweep.by_factor = parts[2][0] == 'x';
  if (!low || !high || !by || (!sweep.by_factor && parts[2][0] != '+')) refuse();
  if (*low > *high || (sweep.by_factor ? *by <= 1 || *low <= 0 : *by <= 0)) refuse();
  sweep.parameter = course::trimmed(text.substr(0, equals));
  const course::Parameter& parameter = parameter_named("sweep", sweep.parameter, lesson);
  sweep.values = range(*low, *high, *by, sweep.by_factor);
  for (const double value : sweep.values) require_value("sweep", parameter, value);
  return sweep;
}

}  // namespace gradwalk::commands
