#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lessons/course/engine/lesson.h"
#include "lessons/course/text/console.h"
#include "lessons/course/text/progress.h"

namespace gradwalk::course {

/// Watches the long work of steps, one piece after another: shows how far each is, and ends it when
/// the learner asks to stop. A piece is new when its name or its total changes, or its count begins
/// anew.
class WorkWatch {
 public:
  /// The console outlives it. @param clock  the process's own if empty
  explicit WorkWatch(const Console& console, Progress::Clock clock = {});

  /// @throws Interrupted if the console is
  void operator()(std::string_view what, std::int64_t done, std::int64_t total);

  /// Takes the line away, so that other text can be written.
  void clear();

 private:
  const Console& console_;
  Progress::Clock clock_;
  std::optional<Progress> progress_;
  std::string what_;
  std::int64_t done_ = 0;
  std::int64_t total_ = 0;
};

}  // namespace gradwalk::course
