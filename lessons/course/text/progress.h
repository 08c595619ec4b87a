#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "lessons/course/text/console.h"

namespace gradwalk::course {

/// How far work is, on stderr, once it has taken a second:
///
///   train   412/2000  loss 2.310  19.8k tokens/s  eta 0:31
///
/// On a terminal it is one line, drawn at most 10 times a second; else a line per 10 % or 10 s.
class Progress {
 public:
  using Clock = std::function<double()>;  ///< seconds from some moment on

  struct Work {
    std::string name;
    std::int64_t done = 0;  ///< before it began
    std::int64_t total = 0;
    double units_per_step = 1;  ///< in which the speed is told
    std::string unit = "steps";
  };

  Progress(const Console& console, Work work);
  Progress(const Console& console, Work work, Clock clock);

  /// @param about  what else the line says
  void show(std::int64_t done, const std::string& about);
  /// Takes the line away from the terminal, so that other text can be written.
  void clear();

 private:
  std::string line(std::int64_t done, const std::string& about, double seconds) const;

  const Console& console_;
  Work work_;
  Clock clock_;
  double began_, last_;
  std::int64_t tenths_;  // those that a line has told
  int shown_ = 0;        // columns on the terminal
};

}  // namespace gradwalk::course
