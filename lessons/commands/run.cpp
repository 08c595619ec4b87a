#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "lessons/commands/run_options.h"
#include "lessons/course/interactive.h"
#include "lessons/course/json_record.h"
#include "lessons/course/ledger.h"
#include "lessons/course/render_claims.h"
#include "lessons/course/render_step.h"
#include "lessons/course/session.h"
#include "nn/checkpoint/atomic_file.h"

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
        write_(options_.json == "-" ? context.console.err : context.console.out) {}

  Exit go() {
    // A broken ledger is better met before the work than after it.
    if (!options_.changed()) course::read_ledger(course::ledger_path());
    for (const course::LessonFactory& factory : options_.lessons) {
      if (stopped_) break;
      one_lesson(factory);
    }
    for (const RunRecord& run : runs_) {
      code_ = course::worse(code_, course::exit_of(run, context_.catalogue));
    }
    if (const int signal = context_.console.interrupted()) {
      code_ = course::worse(code_, signal == 15 ? Exit::kTerminated : Exit::kInterrupted);
    }
    save();
    summary();
    return code_;
  }

 private:
  void one_lesson(const course::LessonFactory& factory) {
    std::optional<Session> session;
    try {
      session.emplace(factory, context_.catalogue, options_.settings);
      session->ask_only(options_.claims);
      steps(*session);
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
      if (!session.wanted(session.advance())) {
        ++hidden;
        continue;
      }
      if (hidden > 0) {
        write_(
            fmt::format("{} computed, not shown\n\n",
                        hidden == 1 ? "1 earlier step" : fmt::format("{} earlier steps", hidden)));
      }
      hidden = 0;
      if (options_.step) {
        stopped_ = !interactive.after_step();
      } else {
        show(session);
      }
    }
  }

  void show(const Session& session) {
    const RunRecord& record = session.record();
    write_(course::paint(
        course::render_step(record, record.steps.size() - 1, context_.catalogue, options_.display),
        options_.display));
    write_("\n");
  }

  /// Files go first, so that what the summary says is already on the disk.
  void save() {
    const course::Environment environment = course::this_environment();
    try {
      if (!options_.changed()) update_ledger(environment);
    } catch (const std::runtime_error& error) {
      context_.console.err(fmt::format("{}\n", error.what()));
      code_ = course::worse(code_, Exit::kInput);
    }
    if (options_.json.empty()) return;
    const std::string json = course::run_json(runs_, complete(), context_.catalogue, environment);
    try {
      if (options_.json == "-") {
        context_.console.out(json);
      } else {
        nn::write_file_atomically(options_.json, json);
      }
    } catch (const std::runtime_error& error) {
      context_.console.err(fmt::format("--json: {}\n", error.what()));
      code_ = course::worse(code_, Exit::kInput);
    }
  }

  /// What the learner changed in --step is no measurement of the course.
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
    if (ledger_written_) text += "   " + course::ledger_path().string();
    // The command stays in one piece, to be pasted.
    const std::string command = "again: " + again();
    const int width = options_.display.width;
    if (course::display_width(text) + 3 + course::display_width(command) <= width) {
      lines.emplace_back(text + "   " + command);
    } else {
      lines.emplace_back(text);
      for (const std::string& part : course::wrap(command, width)) lines.emplace_back(part);
    }
    write_(course::paint(lines, options_.display));
  }

  std::string again() const {
    std::string text =
        context_.single ? context_.lessons[0]().executable() : "gradwalk run " + options_.selection;
    for (const std::string& id : options_.claims) {
      text += (id == *options_.claims.begin() ? " --claim=" : ",") + id;
    }
    RunRecord record;
    record.seed = options_.settings.seed;
    record.quick = options_.settings.quick;
    if (runs_.size() == 1) {
      record = runs_[0];
    } else {
      record.set.assign(options_.settings.set.begin(), options_.settings.set.end());
      record.breaks.assign(options_.settings.breaks.begin(), options_.settings.breaks.end());
    }
    return text + course::repeat_options(record);
  }

  const Context& context_;
  RunOptions options_;
  course::Console::Write write_;
  std::vector<RunRecord> runs_;
  Exit code_ = Exit::kOk;
  bool stopped_ = false;
  bool failed_ = false;
  bool ledger_written_ = false;
};

}  // namespace

Exit run(const Context& context, const std::vector<std::string>& words) {
  RunOptions options = parse_run_options(context, words);
  if (options.help) {
    context.console.out(course::paint(run_help(context, options), options.display));
    return Exit::kOk;
  }
  return Run(context, std::move(options)).go();
}

}  // namespace gradwalk::commands
