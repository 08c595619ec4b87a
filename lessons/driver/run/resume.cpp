#include "lessons/driver/run/resume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "lessons/course/engine/environment.h"
#include "lessons/course/engine/ledger.h"
#include "lessons/course/engine/session.h"
#include "lessons/course/json/record.h"

namespace gradwalk::commands {
namespace {

using course::InputError;

constexpr std::array kOptions = {"seed", "mode", "set", "break", "claim", "from", "seeds", "sweep"};

std::string word(const std::string& option, const std::string& value) {
  if (value.empty()) return "no --" + option;
  return option == "mode" ? "--" + value : fmt::format("--{}={}", option, value);
}

bool is_given(const Arguments& arguments, const std::string& option) {
  return option == "mode" ? arguments.has("quick") || arguments.has("full") : arguments.has(option);
}

std::string short_id(const std::string& build_id) { return build_id.substr(0, 12); }

[[noreturn]] void refuse(const RunOptions& options, const std::string& what) {
  throw InputError(fmt::format("{}: {}", options.resume, what));
}

course::SavedRuns saved_runs(const RunOptions& given) {
  course::SavedRuns saved = course::read_run_json(given.resume);
  const std::string here = course::this_environment().build_id;
  if (saved.environment.build_id != here) {
    refuse(given, fmt::format("its run is of build {}, this is build {}: start anew, without "
                              "--resume",
                              short_id(saved.environment.build_id), short_id(here)));
  }
  if (saved.complete) refuse(given, "its run is complete, nothing is left to do");
  return saved;
}

void require_fitting_steps(const Context& context, const RunOptions& options) {
  const std::size_t each = options.runs_per_lesson();
  for (std::size_t i = 0; i < options.earlier.size(); ++i) {
    if (i == options.lessons.size() * each) refuse(options, "it has more runs than were asked for");
    try {
      course::Session(options.lessons[i / each], context.catalogue, {})
          .take_over(options.earlier[i]);
    } catch (const std::invalid_argument& error) {
      refuse(options, error.what());
    }
  }
}

}  // namespace

std::map<std::string, std::string> asked(const Context& context, const RunOptions& options) {
  std::vector<int> numbers;
  for (const course::LessonFactory& factory : select_lessons(context.lessons, options.selection)) {
    numbers.push_back(factory().number());
  }
  std::vector<std::string> set;
  for (const auto& [name, value] : options.settings.set) {
    set.push_back(fmt::format("{}={}", name, value));
  }
  return {{"lessons", fmt::format("{}", fmt::join(numbers, ","))},
          {"seed", fmt::format("{}", options.settings.seed)},
          {"mode", options.settings.quick ? "quick" : "full"},
          {"set", fmt::format("{}", fmt::join(set, ","))},
          {"break", fmt::format("{}", fmt::join(options.settings.breaks, ","))},
          {"claim", fmt::format("{}", fmt::join(options.claims, ","))},
          {"from", fmt::format("{}", options.from)},
          {"seeds", fmt::format("{}", options.seeds)},
          {"sweep", options.sweep ? options.sweep->text : ""}};
}

std::filesystem::path interrupted_path(const RunOptions& options) {
  return course::ledger_path().parent_path() /
         fmt::format("interrupted-{}.json", options.selection);
}

RunOptions resumed(const Context& context, const RunOptions& given,
                   const std::vector<std::string>& words) {
  course::SavedRuns saved = saved_runs(given);
  const std::string lessons = asked(context, given).at("lessons");
  if (saved.asked["lessons"] != lessons) {
    refuse(given, fmt::format("its run is of lessons {}, not {}", saved.asked["lessons"], lessons));
  }
  const Arguments arguments("run", run_option_specs(), words);
  std::vector<std::string> all = words;
  for (const char* option : kOptions) {
    // One seed and the first step are what an option that is not given says.
    const std::string& value = saved.asked[option];
    const bool counts = std::string_view(option) == "from" || std::string_view(option) == "seeds";
    if (!is_given(arguments, option) && !value.empty() && !(counts && value == "1")) {
      all.push_back(word(option, value));
    }
  }
  RunOptions options = parse_new_run(context, all);
  for (const auto& [option, value] : asked(context, options)) {
    if (value == saved.asked[option]) continue;
    refuse(given, fmt::format("its run has {}, not {}", word(option, saved.asked[option]),
                              word(option, value)));
  }
  options.earlier = std::move(saved.runs);
  require_fitting_steps(context, options);
  return options;
}

}  // namespace gradwalk::commands
