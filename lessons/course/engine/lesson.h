#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lessons/course/engine/step.h"

namespace gradwalk::course {

/// A number that a learner may change with --set=name=value.
struct Parameter {
  std::string name = "";
  double value = 0;                            ///< in full mode
  std::optional<double> quick = std::nullopt;  ///< under --quick; the same if absent
  double min = 0;
  double max = 0;
  bool whole = false;     ///< whole numbers only
  std::string what = "";  ///< what it is, with its unit
};

/// Is `value` one that the parameter may have?
/// @throws std::invalid_argument that says the range
void require_in_range(const Parameter& parameter, double value);

/// A named sabotage: with it on, the claims that the catalogue lists for it come out otherwise.
struct Break {
  std::string name;
  std::string what;
};

/// Is told how far a piece of long work is, such as "train", 412 of 2000. Throws Interrupted to end
/// it.
using Watch = std::function<void(std::string_view what, std::int64_t done, std::int64_t total)>;

/// The learner asked to stop in the middle of a step.
struct Interrupted {};

/// Is given a trained model's name, such as "lesson_17_alignment/update_400", and what writes it
/// into a folder.
using KeepModel = std::function<void(
    std::string_view name, const std::function<void(const std::filesystem::path& folder)>& write)>;

/// What a run is asked for.
struct Settings {
  std::uint64_t seed = 1;
  bool quick = false;
  /// Parameters by name; the others have their declared value.
  std::map<std::string, double, std::less<>> set = {};
  std::set<std::string, std::less<>> breaks = {};  ///< those that are on
  Watch watch = {};                                ///< may be empty
  KeepModel keep_model = {};                       ///< empty: models are not kept
};

/// A lesson: parameters, named breaks, and steps that run in order. A factory makes it anew for
/// each run, each control and each rerun, so what its steps share never leaks from one to the next.
class Lesson {
 public:
  using Body = std::function<void(Step&)>;

  Lesson(int number, std::string name, std::string title);

  Lesson& parameter(Parameter parameter);
  /// The parameter `seeds`, whole and at least 1: how often a lesson repeats what it measures.
  Lesson& seeds(int full, int quick, std::string what = "random repetitions of each measurement");
  Lesson& sabotage(std::string name, std::string what);
  /// @param claims  those that the step states; needed where steps stand alone
  Lesson& step(std::string title, Body body, std::vector<std::string> claims = {});
  /// Says that a step offers trained models to Step::keep_model.
  Lesson& keeps_models();
  /// Promises that no step uses what another left. Then a control runs its own step alone, and
  /// steps that were not asked for do not run.
  Lesson& steps_stand_alone();

  int number() const { return number_; }
  const std::string& name() const { return name_; }
  const std::string& title() const { return title_; }
  std::string executable() const;  ///< "lesson_04_gradient_walk"

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Break>& breaks() const { return breaks_; }
  const Parameter* find_parameter(std::string_view name) const;
  const Break* find_break(std::string_view name) const;

  std::size_t step_count() const { return steps_.size(); }
  bool does_keep_models() const { return keeps_models_; }
  bool do_steps_stand_alone() const { return stand_alone_; }
  const std::string& step_title(std::size_t at) const { return steps_[at].title; }
  const std::vector<std::string>& step_claims(std::size_t at) const { return steps_[at].claims; }

  /// Runs step `at` (from 0) and checks its record: a tensor without explanation, a claim without
  /// its two predicates, a missing formula, why or try is a std::logic_error, and where steps stand
  /// alone a claim that was not announced, or the other way round.
  StepRecord run_step(std::size_t at, const Settings& settings) const;

 private:
  struct NamedStep {
    std::string title;
    Body body;
    std::vector<std::string> claims;
  };

  int number_;
  std::string name_;
  std::string title_;
  std::vector<Parameter> parameters_;
  std::vector<Break> breaks_;
  std::vector<NamedStep> steps_;
  bool keeps_models_ = false;
  bool stand_alone_ = false;
};

using LessonFactory = std::function<Lesson()>;

}  // namespace gradwalk::course
