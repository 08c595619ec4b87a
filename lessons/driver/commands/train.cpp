#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#include "lessons/course/engine/ledger.h"
#include "lessons/course/text/shell_word.h"
#include "lessons/driver/commands/train_run.h"
#include "lessons/driver/run/context.h"
#include "lessons/driver/run/option_values.h"
#include "tensor/threads.h"

namespace gradwalk::commands {
namespace {

namespace fs = std::filesystem;
using course::Exit;
using course::InputError;

const std::vector<OptionSpec>& train_option_specs() {
  static const std::vector<OptionSpec> all = [] {
    std::vector<OptionSpec> options = {{"out", "DIR", "folder of the model and its checkpoints"}};
    for (const TrainSetting& one : train_setting_table()) {
      options.push_back(
          {one.name, one.letter, fmt::format("{} ({})", one.what, one.text(TrainSettings()))});
    }
    options.push_back({"threads", "T", "threads; results do not depend on T"});
    options.push_back({"resume", "", "go on with the run in DIR, with the settings that it has"});
    options.push_back({"help", "", "this page"});
    return options;
  }();
  return all;
}

struct TrainOptions {
  fs::path text;
  fs::path out;
  TrainSettings settings;
  std::set<std::string> given;  // which of them the command line names
  bool resume = false;
};

TrainOptions parse(const Arguments& arguments) {
  TrainOptions options;
  if (arguments.rest().size() != 1) {
    throw UsageError(fmt::format(
        "expected one text file, got {}",
        arguments.rest().empty() ? "none" : fmt::format("'{}'", fmt::join(arguments.rest(), " "))));
  }
  if (!arguments.has("out")) throw UsageError("expected a folder: --out=DIR");
  options.text = arguments.rest()[0];
  options.out = arguments.value("out");
  options.resume = arguments.has("resume");
  for (const TrainSetting& one : train_setting_table()) {
    if (!arguments.has(one.name)) continue;
    if (!one.set(options.settings, arguments.value(one.name))) {
      throw UsageError(fmt::format("--{}: expected {}, got '{}'", one.name, one.expected(),
                                   arguments.value(one.name)));
    }
    options.given.insert(one.name);
  }
  const TrainSettings& wanted = options.settings;
  if (!options.resume && wanted.d_model % wanted.heads != 0) {
    throw UsageError(fmt::format("--d-model: expected a multiple of --heads={}, got {}",
                                 wanted.heads, wanted.d_model));
  }
  apply_threads(arguments, num_threads());
  return options;
}

// The settings of a run stay what they are; one that changes no result may be given anew.
TrainSettings resumed(const TrainOptions& options, TrainSettings stored) {
  for (const TrainSetting& one : train_setting_table()) {
    if (!options.given.contains(one.name)) continue;
    const std::string wanted = one.text(options.settings);
    if (!one.changes_result) {
      one.set(stored, wanted);
    } else if (wanted != one.text(stored)) {
      throw UsageError(fmt::format("--{}={}: the run in {} has {}, and --resume keeps it", one.name,
                                   wanted, options.out.string(), one.text(stored)));
    }
  }
  return stored;
}

std::string resume_command(const TrainOptions& options) {
  return course::launcher_command(fmt::format("train {} {} --resume",
                                              course::shell_word(options.text.string()),
                                              course::shell_word("--out=" + options.out.string())));
}

// Held while a run works in a folder, and gone with the process.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : handle_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (handle_ >= 0 && ::flock(handle_, LOCK_EX | LOCK_NB) == 0) return;
    const int reason = errno;
    if (handle_ >= 0) ::close(handle_);
    throw InputError(reason == EWOULDBLOCK
                         ? fmt::format("{}: another process trains here", folder.string())
                         : fmt::format("{}: {}", folder.string(), std::strerror(reason)));
  }
  ~FolderLock() { ::close(handle_); }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int handle_;
};

// A folder that is not there, is empty, or has no more than what a run left that was stopped before
// its first checkpoint stood.
void require_free(const TrainOptions& options) {
  std::error_code error;
  if (!fs::exists(options.out, error)) return;
  if (!fs::is_directory(options.out, error)) {
    throw UsageError(fmt::format("--out={}: expected a folder", options.out.string()));
  }
  if (fs::exists(train_record_path(options.out))) {
    throw UsageError(fmt::format(
        "--out={}: a run is there; add --resume to go on with it, or name another folder",
        options.out.string()));
  }
  const std::string left_over = train_record_path("").string() + ".tmp";
  for (const auto& entry : fs::directory_iterator(options.out)) {
    if (entry.path().filename() == left_over) continue;
    throw UsageError(fmt::format("--out={}: expected a new or an empty folder, got one with {}",
                                 options.out.string(), entry.path().filename().string()));
  }
}

TrainRecord stored_run(const TrainOptions& options) {
  const fs::path path = train_record_path(options.out);
  if (!fs::exists(path)) {
    throw UsageError(
        fmt::format("--resume: no run in {}: there is no {}", options.out.string(), path.string()));
  }
  try {
    return read_train_record(path);
  } catch (const std::runtime_error& error) {
    throw InputError(error.what());
  }
}

Exit begin(const Context& context, const TrainOptions& options) {
  require_free(options);
  TrainText text = read_train_text(options.text, options.settings.context);
  TrainRun run(context.console, std::move(text), options.settings, options.out);
  std::error_code error;
  fs::create_directories(options.out, error);
  if (error) {
    throw InputError(
        fmt::format("--out={}: cannot make the folder: {}", options.out.string(), error.message()));
  }
  const FolderLock lock(options.out);
  return run.go();
}

Exit resume(const Context& context, const TrainOptions& options) {
  TrainRecord record = stored_run(options);
  const FolderLock lock(options.out);
  record = stored_run(options);  // as it is now that nobody else writes
  const TrainSettings settings = resumed(options, record.settings);
  TrainText text = read_train_text(options.text, settings.context);
  if (text.identity != record.text) {
    throw InputError(fmt::format("{}: expected the text of the run in {} ({}), got {}",
                                 options.text.string(), options.out.string(), record.text,
                                 text.identity));
  }
  TrainRun run(context.console, std::move(text), settings, options.out);
  run.restore(record);
  context.console.out(fmt::format("resume at step {} of {}\n", run.step(), settings.steps));
  return run.go();
}

}  // namespace

Exit train(const Context& context, const std::vector<std::string>& words) {
  const Arguments arguments("train", train_option_specs(), words);
  const course::Console& console = context.console;
  if (arguments.has("help")) {
    const course::Display display = display_from(arguments, console, console.out_is_terminal);
    console.out(course::launcher_command("train TEXT --out=DIR [OPTIONS]") +
                ": a small GPT learns the characters of a text\n");
    console.out(course::paint(option_help(train_option_specs(), display.width), display));
    return Exit::kOk;
  }
  const TrainOptions options = parse(arguments);
  const Exit code = options.resume ? resume(context, options) : begin(context, options);
  if (code == Exit::kInterrupted || code == Exit::kTerminated) {
    console.err(fmt::format("stopped, with a checkpoint; to go on: {}\n", resume_command(options)));
  }
  return code;
}

}  // namespace gradwalk::commands
