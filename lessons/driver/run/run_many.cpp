#include "lessons/driver/run/run_many.h"

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>

#include "lessons/course/engine/ledger.h"
#include "lessons/course/engine/outcome.h"
#include "lessons/course/engine/session.h"
#include "lessons/course/engine/work_watch.h"
#include "lessons/driver/run/resume.h"
#include "lessons/driver/run/run_output.h"

namespace gradwalk::commands {
namespace {

using course::Exit;
using course::RunRecord;

class Many {
 public:
  Many(const Context& context, RunOptions options)
      : context_(context), options_(std::move(options)), watch_(context.console) {}

  Exit go() {
    options_.settings.watch = std::ref(watch_);
    if (!options_.changed()) course::read_ledger(course::ledger_path());
    try {
      all();
    } catch (const course::Interrupted&) {
    } catch (const std::exception& error) {
      context_.console.err(fmt::format("{}: internal error: {}\n", where_, error.what()));
      code_ = Exit::kInternal;
    }
    watch_.clear();
    for (const RunRecord& run : runs_) {
      const Exit code = course::exit_of(run, context_.catalogue);
      // A sweep is there to see where outcomes change.
      const bool outcome = code == Exit::kChanged || code == Exit::kUndecided;
      if (!options_.sweep || !outcome) code_ = course::worse(code_, code);
    }
    const int signal = context_.console.interrupted();
    cut_ = signal != 0 && !complete_;
    if (cut_) {
      code_ = course::worse(code_, signal == 15 ? Exit::kTerminated : Exit::kInterrupted);
    }
    save();
    summary();
    return code_;
  }

 private:
  course::Settings variation(std::size_t at) const {
    course::Settings settings = options_.settings;
    if (options_.sweep) {
      settings.set.insert_or_assign(options_.sweep->parameter, options_.sweep->values[at]);
    } else {
      settings.seed += at;
    }
    return settings;
  }

  void all() {
    const auto total =
        static_cast<std::int64_t>(options_.lessons.size() * options_.runs_per_lesson());
    for (const course::LessonFactory& factory : options_.lessons) {
      for (std::size_t at = 0; at < options_.runs_per_lesson(); ++at) {
        const course::Settings settings = variation(at);
        where_ = fmt::format("lesson {}, seed {}", factory().number(), settings.seed);
        for (const auto& [name, value] : settings.set)
          where_ += fmt::format(", {} {}", name, value);
        watch_("runs", static_cast<std::int64_t>(runs_.size()) + 1, total);
        course::Session session(factory, context_.catalogue, settings);
        session.ask_only(options_.claims);
        if (options_.sweep) session.without_controls();
        if (runs_.size() < options_.earlier.size()) {
          session.take_over(options_.earlier[runs_.size()]);
        }
        steps(session);
        runs_.push_back(session.record());
      }
    }
    complete_ = true;
  }

  void steps(course::Session& session) {
    try {
      while (!session.done()) {
        if (context_.console.interrupted() != 0) throw course::Interrupted{};
        session.advance();
      }
      session.finish("");
    } catch (const course::Interrupted&) {
      session.finish("interrupted");
      begun_ = session.record();
      throw;
    }
  }

  void save() {
    const course::Environment environment = course::this_environment();
    try {
      if (complete_ && !options_.changed()) update_ledger(environment);
    } catch (const std::runtime_error& error) {
      context_.console.err(fmt::format("{}\n", error.what()));
      code_ = course::worse(code_, Exit::kInput);
    }
    course::SavedRuns saved{complete_, environment, asked(context_, options_), runs_};
    if (begun_) saved.runs.push_back(*begun_);
    code_ = course::worse(code_, write_json(context_, options_, saved));
    if (cut_) resume_ = keep_interrupted(context_, options_, saved);
  }

  void update_ledger(const course::Environment& environment) {
    course::Ledger ledger = course::read_ledger(course::ledger_path());
    if (!ledger.update_over_seeds(runs_, context_.catalogue, environment)) return;
    course::write_ledger(course::ledger_path(), ledger);
    ledger_written_ = true;
  }

  void summary() {
    const course::Display& display = options_.display;
    course::Lines lines;
    if (options_.sweep) {
      lines = sweep_tables(runs_, *options_.sweep, context_.catalogue, display);
    } else {
      lines = seeds_table(runs_, context_.catalogue, display.width);
    }
    std::string text =
        fmt::format("{} of {} runs   exit {}", runs_.size(),
                    options_.lessons.size() * options_.runs_per_lesson(), static_cast<int>(code_));
    if (ledger_written_) text += "   " + course::ledger_path().string();
    add_last_lines(lines, text, again_command(context_, options_, {}), resume_, display.width);
    const auto& write = options_.json == "-" ? context_.console.err : context_.console.out;
    write(course::paint(lines, display));
  }

  const Context& context_;
  RunOptions options_;
  course::WorkWatch watch_;
  std::vector<RunRecord> runs_;
  std::optional<RunRecord> begun_;  // and interrupted
  std::string where_ = "start";
  Exit code_ = Exit::kOk;
  bool complete_ = false;
  bool cut_ = false;    // by a signal, before it was complete
  std::string resume_;  // the command that goes on
  bool ledger_written_ = false;
};

}  // namespace

Exit run_many(const Context& context, RunOptions options) {
  return Many(context, std::move(options)).go();
}

}  // namespace gradwalk::commands
