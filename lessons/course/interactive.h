#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/course/catalogue.h"
#include "lessons/course/console.h"
#include "lessons/course/session.h"
#include "lessons/course/text.h"

namespace gradwalk::course {

/// The pauses of --step: shows steps, reads command lines, looks at records, reruns after changes.
/// From a terminal there are a key line and a prompt; from a pipe each command is echoed, and the
/// end of the input means: go on.
class Interactive {
 public:
  /// All references outlive it. `write` gets what the learner sees.
  Interactive(Session& session, const Catalogue& catalogue, const Console& console,
              Console::Write write, Display display, bool prompt);

  /// Shows the newest step and pauses until the learner goes on past it.
  /// @return false if the learner left with q, or the run was interrupted
  bool after_step();

 private:
  enum class Next { kStay, kForward, kLeave };

  Next command(const std::string& line);
  void show(std::size_t step);
  void write(const Lines& lines);
  void say(const std::string& text);
  void look(const std::string& argument, bool gradient);
  void trace(const std::string& argument);
  void back();
  void set(const std::string& argument);
  void toggle(const std::string& argument);
  void rerun(const std::string& change, const std::string& name, Session::Rerun rerun);
  void help();
  const TensorRecord* find(const std::string& name);
  std::vector<std::string> names(bool gradients_only) const;

  Session& session_;
  const Catalogue& catalogue_;
  const Console& console_;
  Console::Write write_;
  Display display_;
  bool prompt_;
  bool input_ended_ = false;
  std::size_t at_ = 0;  ///< the step that is shown
};

/// A list with its items separated by blanks, or "none".
std::string joined(const std::vector<std::string>& items);

}  // namespace gradwalk::course
