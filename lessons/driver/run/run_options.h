#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lessons/course/engine/lesson.h"
#include "lessons/course/engine/record.h"
#include "lessons/course/text/text.h"
#include "lessons/driver/run/context.h"
#include "lessons/driver/run/sweep.h"

namespace gradwalk::commands {

/// What `run` was asked for.
struct RunOptions {
  std::vector<course::LessonFactory> lessons;
  std::string selection;  ///< as it was written: "4", "1-4", "all"
  course::Settings settings;
  std::set<std::string> claims;  ///< empty: all
  bool step = false;
  bool predict = false;
  std::size_t from = 1;          ///< the first step that is shown, from 1
  int seeds = 1;                 ///< how many runs, with the seeds from settings.seed on
  std::optional<Sweep> sweep;    ///< a run for each value
  std::string json;              ///< a file, "-", or empty
  std::filesystem::path models;  ///< the folder that trained models are kept in, or empty
  course::Display display;
  std::string resume;                      ///< the file of an interrupted run, or empty
  std::vector<course::RunRecord> earlier;  ///< what is in it
  bool help = false;

  /// Several with --seeds or --sweep.
  std::size_t runs_per_lesson() const {
    return sweep ? sweep->values.size() : static_cast<std::size_t>(seeds);
  }
  /// Does the run change what is measured, so that the ledger must not see it?
  bool changed() const { return !settings.breaks.empty() || !settings.set.empty() || sweep; }
};

const std::vector<OptionSpec>& run_option_specs();

/// @throws UsageError that says what was expected, what came, and the nearest name where there is
/// one; course::InputError if the file of --resume does not do
RunOptions parse_run_options(const Context& context, const std::vector<std::string>& words);

/// The same without a look at the file of --resume.
RunOptions parse_new_run(const Context& context, const std::vector<std::string>& words);

/// The lessons that "4", "4,5", "1-4" or "all" name.
/// @throws UsageError if there is none
std::vector<course::LessonFactory> select_lessons(const std::vector<course::LessonFactory>& lessons,
                                                  const std::string& selection);

/// `run N --help`: usage, options, and the lesson's parameters, breaks and tensors.
course::Lines run_help(const Context& context, const RunOptions& options);

}  // namespace gradwalk::commands
