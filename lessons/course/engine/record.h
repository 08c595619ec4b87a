#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/picture.h"

namespace gradwalk::course {

/// Says how a gradient was checked. Printed with the gradient; one that does not hold makes exit 1.
struct GradBadge {
  std::int64_t compared = 0;
  std::int64_t total = 0;
  std::string method = "central difference";
  double step = 0;
  std::string dtype = "f64";
  double worst = 0;     ///< largest relative error
  double bound = 1e-6;  ///< what `worst` must stay below

  bool ok() const { return compared == total && total > 0 && worst < bound; }
};

/// A tensor or a gradient as a step left it: what t, g and c look at.
struct TensorRecord {
  std::string name;  ///< a gradient of X is called dX
  std::vector<std::int64_t> shape;
  std::string dtype;                             ///< as tensor/dtype.h names it
  std::vector<double> values;                    ///< row-major
  std::vector<std::string> axes;                 ///< what each axis is; empty or one per axis
  std::vector<std::vector<std::string>> labels;  ///< per axis; an empty list where indices do
  std::vector<bool> masked;                      ///< empty, or true where a mask hides the entry
  bool gradient = false;
  bool may_be_nonfinite = false;
  std::optional<GradBadge> badge;
  Explain explain;

  std::int64_t numel() const { return static_cast<std::int64_t>(values.size()); }

  /// Position of an element in `values`.
  /// @throws std::out_of_range that says the index and the shape
  std::size_t offset(const Index& index) const;
  double at(const Index& index) const { return values[offset(index)]; }
  std::string shape_text() const;  ///< "[2,3]"
};

struct NumberRecord {
  std::string name;
  double value = 0;
  std::string note;
  int digits = -1;  ///< after the point; -1: as many as the value needs
};

struct TableRow {
  std::string label;
  std::vector<double> values;
  std::string note;
};

struct TableRecord {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<TableRow> rows;
  int digits = -1;  ///< after the point, for the whole table; -1: as many as the values need
  /// If not empty: after the point, for each column; -1: as many as each number needs by itself.
  std::vector<int> column_digits = {};
};

using NumbersItem = std::variant<NumberRecord, TableRecord>;

/// A question that --predict asks before the numbers are shown.
struct PredictionRecord {
  std::string question;
  std::vector<std::string> choices;
  std::size_t right = 0;  ///< which choice was measured, from 0
};

struct CheckRecord {
  std::string what;
  bool ok = false;
  std::string note;
};

/// One step: the six parts and what can be looked at. Every renderer draws from it; nothing is
/// computed again.
struct StepRecord {
  std::string title;
  bool skipped = false;  ///< it did not run, and all below is empty
  std::vector<std::string> formulas;
  std::optional<PredictionRecord> prediction;
  std::vector<NumbersItem> numbers;
  std::vector<TensorRecord> tensors;
  std::vector<std::shared_ptr<const Picture>> pictures;
  std::vector<CheckRecord> checks;
  std::vector<ClaimRecord> claims;
  std::string why;
  std::vector<std::string> tries;

  std::set<std::string> parameters_read;
  std::set<std::string> breaks_read;
  std::vector<std::string> nonfinite;  ///< where an unexpected NaN or Inf was found
  double seconds = 0;
};

/// One run of one lesson.
struct RunRecord {
  int lesson = 0;
  std::string name;
  std::string title;
  std::vector<std::string> step_titles;  ///< of all steps, also those that did not run
  std::uint64_t seed = 1;
  bool quick = false;
  std::vector<std::pair<std::string, double>> set;  ///< parameters changed by --set
  std::vector<std::string> breaks;
  std::vector<std::shared_ptr<const StepRecord>> steps;  ///< those that ran, in order
  std::map<std::size_t, std::size_t> guesses;  ///< by step: the choice that the learner made
  std::vector<ClaimRecord> not_run;  ///< claims that no step stated: vacuous, or skipped with q
  bool complete = false;
  bool left = false;  ///< with q
  double seconds = 0;

  /// The newest step up to `step` (from 0) that recorded a tensor called `name`.
  std::optional<std::size_t> step_of_tensor(std::string_view name, std::size_t step) const;

  /// The tensor of that step; null if there is none.
  const TensorRecord* find_tensor(std::string_view name, std::size_t step) const;

  /// What an explanation of step `step` may read.
  Operands operands(std::size_t step) const;
};

/// Explains every element of every recorded tensor and gradient and compares the result with the
/// record.
/// @return one message per tensor that disagrees or cannot be explained; empty when all is well
std::vector<std::string> verify_explanations(const RunRecord& run);

/// How far an explanation may be off from a recorded element: rounding in the record's dtype, over
/// what was added, and what underflows to 0 in it.
double explanation_tolerance(const TensorRecord& tensor, const Explanation& explanation);

}  // namespace gradwalk::course
