#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/course/engine/catalogue.h"
#include "lessons/course/engine/session.h"
#include "lessons/course/text/console.h"
#include "lessons/course/text/text.h"

namespace gradwalk::course {

/// The pauses of --step: shows steps, reads command lines, looks at records, reruns after changes.
/// From a terminal there are a key line and a prompt; from a pipe each command is echoed, and the
/// end of the input means: go on.
class Interactive {
 public:
  /// All references outlive it. `write` gets what the learner sees.
  Interactive(Session& session, const Catalogue& catalogue, const Console& console,
              Console::Write write, Display display, bool prompt);

  /// Asks for the prediction of the newest step, if it has one: shows the formula and the question,
  /// takes a choice or an empty line, and shows the rest.
  /// @return false if the learner left with q, or the run was interrupted
  bool predict();

  /// Pauses after the newest step until the learner goes on past it.
  /// @param shown  by predict, or by nobody yet
  /// @return as predict
  bool after_step(bool shown = false);

 private:
  enum class Next { kStay, kForward, kLeave };

  /// The next line of input, echoed off a terminal; none at the end of the input.
  std::optional<std::string> read_line(const std::string& keys);
  Next command(const std::string& line);
  void show(std::size_t step);
  void write(const Lines& lines);
  void say(const std::string& text);
  void look(const std::string& argument, bool gradient);
  void trace(const std::string& argument);
  void back();
  /// Shows the next step that ran, behind the one that is shown.
  void forward();
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
