#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/record.h"

namespace gradwalk {
class Generator;
class Tensor;
}  // namespace gradwalk

namespace gradwalk::course {

class Lesson;
struct Settings;

/// Fills in a recorded tensor. Handles stay valid while their step runs.
class TensorEntry {
 public:
  TensorEntry(StepRecord* step, std::size_t at) : step_(step), at_(at) {}

  /// What each axis is, such as .axes("token", "head dimension").
  template <class... Names>
  TensorEntry& axes(Names&&... names) {
    return set_axes({std::string(std::forward<Names>(names))...});
  }

  TensorEntry& rows(std::vector<std::string> labels);     ///< labels along the first axis
  TensorEntry& columns(std::vector<std::string> labels);  ///< labels along the last axis
  TensorEntry& explain(Explain explain);                  ///< required
  TensorEntry& badge(GradBadge badge);                    ///< how a gradient was checked
  TensorEntry& masked(
      const Tensor& mask);          ///< bool, the tensor's shape, true where an entry is hidden
  TensorEntry& may_be_nonfinite();  ///< NaN or Inf belong here (they are exit 5 elsewhere)

 private:
  TensorEntry& set_axes(std::vector<std::string> names);
  TensorRecord& record();

  StepRecord* step_;
  std::size_t at_;
};

class TableEntry {
 public:
  TableEntry(StepRecord* step, std::size_t at) : step_(step), at_(at) {}

  /// One value per column; the note stands behind them.
  TableEntry& row(std::string label, std::vector<double> values, std::string note = "");
  TableEntry& row(std::string label, const Tensor& values, std::string note = "");
  TableEntry& digits(int after_the_point);
  /// One for each column, where they hold different things; -1: as many as each number needs.
  TableEntry& digits(std::vector<int> after_the_point);

 private:
  StepRecord* step_;
  std::size_t at_;
};

/// What a lesson writes a step into: formula, numbers, picture, check, why, try.
class Step {
 public:
  /// `record` outlives the step.
  Step(const Lesson& lesson, const Settings& settings, StepRecord* record);

  /// The value of a declared parameter in this run. Reads are remembered: a change reruns from the
  /// first step that read.
  /// @throws std::logic_error if the lesson declares no such parameter
  double parameter(std::string_view name);

  /// The same of a parameter that is declared whole.
  std::int64_t whole(std::string_view name) { return static_cast<std::int64_t>(parameter(name)); }

  /// Is this named break on? Remembered likewise.
  /// @throws std::logic_error if the lesson declares no such break
  bool broken(std::string_view name);

  bool quick() const;
  std::uint64_t seed() const;

  /// Says how far a piece of long work is; to be called after each update of a training.
  /// @throws Interrupted if the learner asked to stop
  void progress(std::string_view what, std::int64_t done, std::int64_t total) const;

  /// What a training calls after each update, where it is one of several of the same length: run
  /// `run` (from 0) of `runs`, shown as one piece of work. The step outlives it.
  std::function<void(int)> training_progress(std::int64_t run, std::int64_t runs,
                                             int updates) const;

  /// Offers a trained model: `write` puts it into a folder of this name if the run keeps models
  /// (run --models=DIR) and no break is on.
  /// @throws std::logic_error unless the lesson says that it keeps models
  void keep_model(std::string_view name,
                  const std::function<void(const std::filesystem::path& folder)>& write) const;

  /// The random stream (seed, lesson, name): the same numbers whatever other steps draw.
  Generator generator(std::string_view name) const;

  Step& formula(std::string text);

  /// What --predict asks before it shows the numbers. The right choice comes from what was
  /// measured.
  /// @throws std::logic_error unless there are 2 to 9 choices and `right` is one of them, from 0
  Step& predict(std::string question, std::vector<std::string> choices, std::size_t right);

  Step& number(std::string name, double value, std::string note = "", int digits = -1);
  TableEntry table(std::string caption, std::vector<std::string> columns);

  /// Records values that t and c can show. A name stands once per step; a later step may record it
  /// anew.
  TensorEntry tensor(std::string name, const Tensor& values);

  /// Records dL/d`of` under the name "d" + `of`.
  TensorEntry gradient(std::string of, const Tensor& values);

  /// Adds a picture and gives it back to be filled in: step.picture(Bars("weights", {"head 0"})).
  /// The kinds are in lessons/course/pictures/.
  template <class Kind>
  Kind& picture(Kind picture) {
    const auto added = std::make_shared<Kind>(std::move(picture));
    record_->pictures.push_back(added);
    return *added;
  }

  /// A check that is no claim; a failed one makes exit 1.
  Step& check(std::string what, bool ok, std::string note = "");

  /// A claim of the catalogue, with the number of cases that were examined.
  Claim claim(std::string id, Evidence evidence, std::int64_t cases);

  /// One sentence of at most 160 characters.
  /// @throws std::logic_error if it is longer
  Step& why(std::string sentence);

  /// Commands that work when pasted, one or two.
  Step& try_next(std::vector<std::string> commands);

 private:
  const Lesson& lesson_;
  const Settings& settings_;
  StepRecord* record_;
};

}  // namespace gradwalk::course
