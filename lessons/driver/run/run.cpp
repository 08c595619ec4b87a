#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <stdexcept>

#include "lessons/course/engine/ledger.h"
#include "lessons/course/engine/session.h"
#include "lessons/course/engine/work_watch.h"
#include "lessons/course/terminal/interactive.h"
#include "lessons/course/terminal/render_claims.h"
#include "lessons/course/terminal/render_step.h"
#include "lessons/driver/run/resume.h"
#include "lessons/driver/run/run_many.h"
#include "lessons/driver/run/run_options.h"
#include "lessons/driver/run/run_output.h"

namespace gradwalk::commands {
namespace {

using course::Exit;
using course::RunRecord;
using course::Session;

class Run {
 public:
  Run(const Context& context, RunOptions options)
      : context_(context),
        options_(std::move(options)),
        watch_(context.console),
        write_(options_.json == "-" ? context.console.err : context.console.out) {}

  Exit go() {
    options_.settings.watch = std::ref(watch_);
    if (!options_.models.empty()) {
      options_.settings.keep_model = [this](std::string_view name, const auto& write) {
        keep(options_.models / name, write);
      };
    }
    // A broken ledger is better met before the work than after it.
    if (!options_.changed()) course::read_ledger(course::ledger_path());
    for (const course::LessonFactory& factory : options_.lessons) {
      if (stopped_) break;
      one_lesson(factory);
    }
    watch_.clear();
    for (const RunRecord& run : runs_) {
      code_ = course::worse(code_, course::exit_of(run, context_.catalogue));
    }
    const int signal = context_.console.interrupted();
    cut_ = signal != 0 && !complete();
    if (cut_) {
      code_ = course::worse(code_, signal == 15 ? Exit::kTerminated : Exit::kInterrupted);
    }
    save();
    summary();
    return code_;
  }

 private:
  void one_lesson(const course::LessonFactory& factory) {
    std::optional<Session> session;
    const RunRecord* earlier =
        runs_.size() < options_.earlier.size() ? &options_.earlier[runs_.size()] : nullptr;
    try {
      session.emplace(factory, context_.catalogue, settings(earlier));
      session->ask_only(options_.claims);
      session->start_at(options_.from - 1);
      if (earlier != nullptr) take_over(*session, *earlier);
      steps(*session);
    } catch (const course::Interrupted&) {
      stopped_ = true;
    } catch (const course::InputError& error) {
      context_.console.err(fmt::format("{}\n", error.what()));
      code_ = course::worse(code_, Exit::kInput);
      stopped_ = failed_ = true;
    } catch (const std::exception& error) {
      const std::string where =
          session ? fmt::format(", step {}", session->steps_run() + 1) : std::string();
      context_.console.err(fmt::format("lesson {}{}: internal error: {}\n", factory().number(),
                                       where, error.what()));
      code_ = course::worse(code_, Exit::kInternal);
      stopped_ = failed_ = true;
    }
    if (!session) return;
    const bool interrupted = context_.console.interrupted() != 0;
    const char* reason = failed_ ? "an error" : interrupted ? "interrupted" : "left with q";
    session->finish(reason, stopped_ && !interrupted && !failed_);
    runs_.push_back(session->record());
  }

  void keep(const std::filesystem::path& folder,
            const std::function<void(const std::filesystem::path&)>& write) {
    try {
      write(folder);
    } catch (const std::runtime_error& error) {
      throw course::InputError(fmt::format("--models: {}", error.what()));
    }
    if (std::find(kept_.begin(), kept_.end(), folder) == kept_.end()) kept_.push_back(folder);
  }

  // In --step the learner may have changed them.
  course::Settings settings(const RunRecord* earlier) const {
    course::Settings settings = options_.settings;
    if (earlier == nullptr) return settings;
    settings.set = {earlier->set.begin(), earlier->set.end()};
    settings.breaks = {earlier->breaks.begin(), earlier->breaks.end()};
    return settings;
  }

  void take_over(Session& session, const RunRecord& earlier) {
    session.take_over(earlier);
    if (session.steps_run() == 0) return;
    const std::size_t count = session.lesson().step_count();
    write_(fmt::format("Lesson {}: {} taken over from {}\n\n", earlier.lesson,
                       session.steps_run() == count
                           ? fmt::format("all {} steps are", count)
                           : fmt::format("{} of {} steps are", session.steps_run(), count),
                       options_.resume));
  }

  void steps(Session& session) {
    const bool shown_on_terminal =
        options_.json == "-" ? context_.console.err_is_terminal : context_.console.out_is_terminal;
    course::Interactive interactive(session, context_.catalogue, context_.console, write_,
                                    options_.display,
                                    context_.console.in_is_terminal && shown_on_terminal);
    std::size_t hidden = 0;
    while (!session.done() && !stopped_) {
      if (context_.console.interrupted() != 0) {
        stopped_ = true;
        return;
      }
      session.advance();
      watch_.clear();
      if (!session.wanted()) {
        if (!session.record().steps.back()->skipped) ++hidden;
        continue;
      }
      if (hidden > 0) {
        write_(
            fmt::format("{} computed, not shown\n\n",
                        hidden == 1 ? "1 earlier step" : fmt::format("{} earlier steps", hidden)));
      }
      hidden = 0;
      if (options_.predict) stopped_ = !interactive.predict();
      if (options_.step && !stopped_) stopped_ = !interactive.after_step(options_.predict);
      if (!options_.step && !options_.predict) show(session);
    }
  }

  void show(const Session& session) {
    const RunRecord& record = session.record();
    write_(course::paint(
        course::render_step(record, record.steps.size() - 1, context_.catalogue, options_.display),
        options_.display));
    write_("\n");
  }

  // Files go first, so that what the summary says is already on the disk.
  void save() {
    const course::Environment environment = course::this_environment();
    try {
      if (!options_.changed()) update_ledger(environment);
    } catch (const std::runtime_error& error) {
      context_.console.err(fmt::format("{}\n", error.what()));
      code_ = course::worse(code_, Exit::kInput);
    }
    const course::SavedRuns saved{complete(), environment, asked(context_, options_), runs_};
    code_ = course::worse(code_, write_json(context_, options_, saved));
    if (cut_) resume_ = keep_interrupted(context_, options_, saved);
  }

  // What the learner changed in --step is no measurement of the course.
  void update_ledger(const course::Environment& environment) {
    course::Ledger ledger = course::read_ledger(course::ledger_path());
    bool any = false;
    for (const RunRecord& run : runs_) {
      if (!run.breaks.empty() || !run.set.empty()) continue;
      any = ledger.update(run, context_.catalogue, environment) || any;
    }
    if (!any) return;
    course::write_ledger(course::ledger_path(), ledger);
    ledger_written_ = true;
  }

  bool complete() const {
    return runs_.size() == options_.lessons.size() &&
           std::all_of(runs_.begin(), runs_.end(),
                       [](const RunRecord& run) { return run.complete; });
  }

  void summary() {
    std::vector<course::LedgerRow> rows;
    for (const RunRecord& run : runs_) {
      for (const course::ClaimRecord* claim : course::claims_of(run)) {
        if (claim->skip_reason != "not asked for") rows.push_back({claim, &run});
      }
    }
    course::Lines lines;
    if (!rows.empty()) lines = render_ledger(rows, context_.catalogue, options_.display.width);
    std::string text = fmt::format("{} of {} decided   exit {}", course::decided(rows), rows.size(),
                                   static_cast<int>(code_));
    for (const std::filesystem::path& folder : kept_) {
      lines.emplace_back(fmt::format("kept {}", folder.string()));
    }
    if (!options_.models.empty() && kept_.empty()) {
      lines.emplace_back("no model was kept: the steps that ran have none");
    }
    if (ledger_written_) text += "   " + course::ledger_path().string();
    text += guesses();
    add_last_lines(lines, text, again_command(context_, options_, runs_), resume_,
                   options_.display.width);
    write_(course::paint(lines, options_.display));
  }

  std::string guesses() const {
    int made = 0;
    int right = 0;
    for (const RunRecord& run : runs_) {
      for (const auto& [step, choice] : run.guesses) {
        ++made;
        if (run.steps[step]->prediction->right == choice) ++right;
      }
    }
    return made == 0 ? "" : fmt::format("   {} of {} guesses right", right, made);
  }

  const Context& context_;
  RunOptions options_;
  course::WorkWatch watch_;
  course::Console::Write write_;
  std::vector<RunRecord> runs_;
  std::vector<std::filesystem::path> kept_;  // models of this run
  Exit code_ = Exit::kOk;
  bool stopped_ = false;
  bool failed_ = false;
  bool cut_ = false;    // by a signal, before it was complete
  std::string resume_;  // the command that goes on
  bool ledger_written_ = false;
};

}  // namespace

Exit run(const Context& context, const std::vector<std::string>& words) {
  RunOptions options = parse_run_options(context, words);
  if (options.help) {
    context.console.out(course::paint(run_help(context, options), options.display));
    return Exit::kOk;
  }
  if (options.seeds > 1 || options.sweep) return run_many(context, std::move(options));
  return Run(context, std::move(options)).go();
}

}  // namespace gradwalk::commands
