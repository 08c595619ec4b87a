#pragma once

#include <string>
#include <vector>

namespace gradwalk::course {

/// One decimal scale for many numbers: each is printed as value / 10^exponent with `decimals`
/// digits after the point.
struct NumberScale {
  int decimals = 0;
  int exponent = 0;

  std::string format(double value) const;
  std::string factor() const;  ///< "x 1e-5", or empty
};

/// The scale that shows `significant` digits of the largest finite value, and no more than all the
/// values need.
/// @param decimals  digits after the point, if the caller wants them so; -1: choose
NumberScale scale_for(const std::vector<double>& values, int significant = 4, int decimals = -1);

/// One number by itself: 4 significant digits, or `decimals` after the point; an exponent for the
/// very small and large.
std::string format_number(double value, int decimals = -1);

/// A value with as few digits as tell it from its neighbours, at most `significant`: "0.5",
/// "1e-06", "0.36716541".
std::string format_exact(double value, int significant = 9);

/// Two numbers of one scale: "-1.2..3.4", "0.0..2.5 x 1e-5".
std::string format_range(double low, double high);

/// Texts of numbers, filled up with blanks so that their decimal points stand in one column.
std::vector<std::string> align_points(const std::vector<std::string>& numbers);

/// Round numbers that divide [low, high] into at most `most` parts, all inside it.
std::vector<double> nice_ticks(double low, double high, int most);

}  // namespace gradwalk::course
