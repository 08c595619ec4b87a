#pragma once

#include <string>
#include <vector>

#include "lessons/course/text/text.h"

namespace gradwalk::course {

/// Maps the values of one tensor to shades: background colours and, without colour, marks.
class Shade {
 public:
  explicit Shade(const std::vector<double>& values);

  bool is_signed() const { return low_ < 0; }
  Style style(double value) const;       ///< background and a foreground that reads on it
  std::string mark(double value) const;  ///< one of " .:=+*%#@", by size
  static std::string legend();           ///< says which mark stands for more

 private:
  /// 0 to 1 for values >= 0; -1 to 1 for signed ones.
  double position(double value) const;

  double low_ = 0;
  double high_ = 0;
};

}  // namespace gradwalk::course
