#include "lessons/course/text/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "lessons/course/text/text.h"

namespace gradwalk::course {
namespace {

constexpr double kQuiet = 1;  // shorter work says nothing
constexpr double kTerminalPause = 0.1;
constexpr double kPause = 10;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string short_number(double value) {
  if (value >= 1e6) return fmt::format("{:.1f}M", value / 1e6);
  if (value >= 1e3) return fmt::format("{:.1f}k", value / 1e3);
  return fmt::format("{:.1f}", value);
}

std::string time_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole >= 3600) {
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

Progress::Progress(const Console& console, Work work) : Progress(console, std::move(work), now) {}

Progress::Progress(const Console& console, Work work, Clock clock)
    : console_(console),
      work_(std::move(work)),
      clock_(std::move(clock)),
      began_(clock_()),
      last_(began_),
      tenths_(work_.total > 0 ? 10 * work_.done / work_.total : 0) {}

void Progress::show(std::int64_t done, const std::string& about) {
  const double at = clock_();
  if (at - began_ < kQuiet) return;
  if (console_.err_is_terminal) {
    if (at - last_ < kTerminalPause) return;
    std::string text = line(done, about, at - began_);
    const int width = std::max(console_.terminal_width, 20) - 1;
    if (display_width(text) > width) text.resize(static_cast<std::size_t>(width));  // it is 7-bit
    console_.err("\r" + pad_right(text, shown_));
    shown_ = display_width(text);
  } else {
    const std::int64_t tenths = 10 * done / work_.total;
    if (tenths == tenths_ && at - last_ < kPause) return;
    tenths_ = tenths;
    console_.err(line(done, about, at - began_) + "\n");
  }
  last_ = at;
}

void Progress::clear() {
  if (shown_ == 0) return;
  console_.err("\r" + std::string(static_cast<std::size_t>(shown_), ' ') + "\r");
  shown_ = 0;
}

std::string Progress::line(std::int64_t done, const std::string& about, double seconds) const {
  const double steps = static_cast<double>(done - work_.done) / seconds;  // a second
  std::string text = fmt::format("{}  {:>{}}/{}", work_.name, done,
                                 fmt::formatted_size("{}", work_.total), work_.total);
  if (!about.empty()) text += "  " + about;
  text += fmt::format("  {} {}/s", short_number(steps * work_.units_per_step), work_.unit);
  if (steps > 0) text += "  eta " + time_text(static_cast<double>(work_.total - done) / steps);
  return text;
}

}  // namespace gradwalk::course
