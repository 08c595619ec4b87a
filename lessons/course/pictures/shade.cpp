#include "lessons/course/pictures/shade.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace gradwalk::course {
namespace {

struct Tone {
  int background;
  int foreground;
};

constexpr int kLight = 231;
constexpr int kDark = 16;

// Near cividis, and blue-white-orange, in the 256-colour palette.
constexpr std::array<Tone, 8> kSequential = {{{17, kLight},
                                              {18, kLight},
                                              {60, kLight},
                                              {66, kLight},
                                              {108, kDark},
                                              {144, kDark},
                                              {185, kDark},
                                              {227, kDark}}};
constexpr std::array<Tone, 9> kTwoSided = {{{25, kLight},
                                            {32, kLight},
                                            {74, kDark},
                                            {153, kDark},
                                            {255, kDark},
                                            {223, kDark},
                                            {215, kDark},
                                            {208, kDark},
                                            {166, kLight}}};
constexpr std::string_view kMarks = " .:=+*%#@";

template <std::size_t N>
const Tone& tone(const std::array<Tone, N>& ramp, double position) {
  const double at = std::clamp(position, 0.0, 1.0) * (N - 1);
  return ramp[static_cast<std::size_t>(std::lround(at))];
}

}  // namespace

Shade::Shade(const std::vector<double>& values) {
  bool first = true;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low_ = first ? value : std::min(low_, value);
    high_ = first ? value : std::max(high_, value);
    first = false;
  }
}

double Shade::position(double value) const {
  if (is_signed()) {
    const double size = std::max(-low_, std::abs(high_));
    return size > 0 ? value / size : 0;
  }
  return high_ > 0 ? value / high_ : 0;
}

Style Shade::style(double value) const {
  if (!std::isfinite(value)) return {kLight, 88, true};
  const double at = position(value);
  const Tone& one = is_signed() ? tone(kTwoSided, (at + 1) / 2) : tone(kSequential, at);
  return {one.foreground, one.background, false};
}

std::string Shade::mark(double value) const {
  if (!std::isfinite(value)) return "!";
  const double at = std::clamp(std::abs(position(value)), 0.0, 1.0);
  return std::string(1, kMarks[static_cast<std::size_t>(std::lround(at * (kMarks.size() - 1)))]);
}

std::string Shade::legend() { return "marks grow with the size: " + std::string(kMarks.substr(1)); }

}  // namespace gradwalk::course
