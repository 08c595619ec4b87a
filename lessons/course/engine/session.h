#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "lessons/course/engine/catalogue.h"
#include "lessons/course/engine/lesson.h"
#include "lessons/course/engine/record.h"

namespace gradwalk::course {

/// One run of a lesson, step by step, with the controls of its claims. Everything lands in a
/// RunRecord.
class Session {
 public:
  /// @param catalogue  outlives the session
  /// @throws std::logic_error if the lesson's breaks and the catalogue's for it are not the same
  Session(LessonFactory factory, const Catalogue& catalogue, Settings settings);

  /// Asks for these claims only: others are SKIPPED, their controls do not run, and the run is over
  /// after the last.
  void ask_only(std::set<std::string> claims);

  /// Steps before this one (from 0) run only if later ones stand on them; their claims are SKIPPED,
  /// and their controls do not run.
  void start_at(std::size_t step) { start_ = step; }

  /// Leaves controls out: no verdict depends on them then.
  void without_controls() { controls_ = false; }

  /// Puts the steps of an earlier run with these settings in front, with their claims and guesses;
  /// nothing is computed.
  /// @throws std::invalid_argument if they are not this lesson's first steps
  void take_over(const RunRecord& earlier);

  const Lesson& lesson() const { return state_.lesson; }
  const Settings& settings() const { return settings_; }
  const RunRecord& record() const { return state_.record; }
  std::size_t steps_run() const { return state_.record.steps.size(); }
  bool done() const;

  /// Is the newest step to be shown: not before the start, and with a claim that was asked for if
  /// only some were?
  bool wanted() const;

  /// Runs the next step, and the control of each claim in it. A step that stands alone and was not
  /// asked for is skipped.
  const StepRecord& advance();

  /// The learner's choice, from 0, for the prediction of a step that ran. A rerun forgets those of
  /// the steps that it may change.
  void guess(std::size_t step, std::size_t choice);

  /// What a change leads to.
  struct Rerun {
    std::optional<std::size_t> from;  ///< the first step so far that depends on it
  };

  /// Changes a parameter, or toggles a break, and reruns the steps so far. If a step throws,
  /// nothing has changed.
  /// @throws std::invalid_argument if there is no such parameter or break, or the value is out of
  /// its range
  Rerun change(std::string_view parameter, double value);
  Rerun toggle(std::string_view name);

  /// Ends the run. Claims that were not reached are SKIPPED with `reason`, or VACUOUS where the
  /// lesson ran to its end.
  void finish(const std::string& reason, bool left = false);

 private:
  struct Control {
    Lesson lesson;
    std::map<std::size_t, StepRecord> steps;
  };
  struct State {
    Lesson lesson;
    RunRecord record;
    std::map<std::string, Control> controls;  ///< by break
    std::size_t next_body = 0;  ///< the first step whose body has not run or been skipped
  };

  bool skips(const Lesson& lesson, std::size_t step) const;
  State fresh(const Settings& settings) const;
  void advance(State& state, const Settings& settings) const;
  void judge(State& state, const Settings& settings, ClaimRecord& claim) const;
  const StepRecord& control_step(State& state, const Settings& settings, const std::string& name,
                                 std::size_t at) const;
  /// Is the claim announced by a step before the start?
  bool before_start(const std::string& claim) const;
  std::string start_reason() const;
  void rerun(Settings settings, std::optional<std::size_t> from);

  LessonFactory factory_;
  const Catalogue& catalogue_;
  Settings settings_;
  std::set<std::string> asked_;
  std::size_t start_ = 0;
  bool controls_ = true;
  State state_;
};

}  // namespace gradwalk::course
