#include "lessons/driver/run/run_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "lessons/course/engine/session.h"
#include "lessons/course/text/parse.h"
#include "lessons/course/text/suggest.h"
#include "lessons/driver/run/option_values.h"
#include "lessons/driver/run/parameter_option.h"
#include "lessons/driver/run/resume.h"

namespace gradwalk::commands {
namespace {

using course::Lesson;
using course::LessonFactory;

std::vector<int> numbers_of(const std::vector<LessonFactory>& lessons) {
  std::vector<int> numbers;
  for (const LessonFactory& factory : lessons) numbers.push_back(factory().number());
  return numbers;
}

Lesson only_lesson(const char* option, const std::vector<LessonFactory>& lessons) {
  if (lessons.size() == 1) return lessons[0]();
  throw UsageError(fmt::format("--{}: expected one lesson, got {}", option, lessons.size()));
}

std::size_t from_option(const Arguments& arguments, const std::vector<LessonFactory>& lessons) {
  if (!arguments.has("from")) return 1;
  const auto steps = static_cast<std::int64_t>(only_lesson("from", lessons).step_count());
  return static_cast<std::size_t>(whole_option(arguments, "from", 1, /*least=*/1, steps));
}

// What runs several times shows tables, no steps.
void require_one_way(const Arguments& arguments) {
  if (arguments.has("seeds") && arguments.has("sweep")) {
    throw UsageError("--seeds and --sweep exclude each other");
  }
  for (const char* many : {"seeds", "sweep"}) {
    for (const char* one : {"step", "predict", "from", "models"}) {
      if (arguments.has(many) && arguments.has(one)) {
        throw UsageError(fmt::format("--{} shows no steps, so --{} has no place", many, one));
      }
    }
  }
}

void add_parameters(const std::string& text, const Lesson& lesson, course::Settings& settings) {
  for (const std::string& part : course::split(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string name = course::trimmed(part.substr(0, equals));
    if (equals == std::string::npos || name.empty()) {
      throw UsageError(fmt::format("--set: expected --set=NAME=NUMBER, got '{}'", part));
    }
    const course::Parameter& parameter = parameter_named("set", name, lesson);
    const auto value = course::parse_number(part.substr(equals + 1));
    if (!value) {
      throw UsageError(
          fmt::format("--set={}: expected a number, got '{}'", name, part.substr(equals + 1)));
    }
    require_value("set", parameter, *value);
    settings.set.insert_or_assign(name, *value);
  }
}

// Some selected lesson must have models to keep, as they are without a sabotage.
void require_models(const Context& context, const Arguments& arguments,
                    const std::vector<LessonFactory>& lessons) {
  const auto keeps = [](const LessonFactory& factory) { return factory().does_keep_models(); };
  if (arguments.has("break")) throw UsageError("--models keeps what was trained without a --break");
  if (std::any_of(lessons.begin(), lessons.end(), keeps)) return;
  std::vector<LessonFactory> all;
  std::copy_if(context.lessons.begin(), context.lessons.end(), std::back_inserter(all), keeps);
  throw UsageError(
      fmt::format("--models: no lesson of these keeps models; there is {}",
                  all.empty() ? "none" : fmt::format("{}", fmt::join(numbers_of(all), ", "))));
}

void require_break(const std::string& name, const Lesson& lesson) {
  if (lesson.find_break(name) != nullptr) return;
  std::vector<std::string> names;
  for (const course::Break& one : lesson.breaks()) names.push_back(one.name);
  throw UsageError(fmt::format("--break: lesson {}: {}", lesson.number(),
                               course::unknown("break", name, names)));
}

// The asked claims, and of the selected lessons those that treat one.
void apply_claims(const Context& context, const std::string& text, RunOptions& options) {
  const std::vector<int> selected = numbers_of(options.lessons);
  std::set<int> needed;
  for (const std::string& id : course::split(text, ',')) {
    const course::CatalogueClaim* claim = context.catalogue.find(id);
    if (claim == nullptr) {
      std::vector<std::string> ids;
      for (const auto& one : context.catalogue.claims) ids.push_back(one.id);
      throw UsageError("--claim: " + course::unknown("claim", id, ids));
    }
    if (std::find(selected.begin(), selected.end(), claim->lesson) == selected.end()) {
      throw UsageError(fmt::format("--claim: {} belongs to lesson {}, which was not asked for", id,
                                   claim->lesson));
    }
    needed.insert(claim->lesson);
    options.claims.insert(id);
  }
  std::erase_if(options.lessons,
                [&](const LessonFactory& factory) { return !needed.contains(factory().number()); });
}

}  // namespace

const std::vector<OptionSpec>& run_option_specs() {
  static const std::vector<OptionSpec> specs = with_look_options({
      {"step", "", "pause after each step: keys from a terminal, command lines from a pipe", false},
      {"predict", "", "ask for a guess before a measured number is shown", false},
      {"from", "K", "show and judge from step K on; earlier ones are computed", false},
      {"quick", "", "small sizes; tolerances widen by their formula", false},
      {"full", "", "full sizes (the default)", false},
      {"seed", "S", "base seed (1)", false},
      {"seeds", "K", "run with K seeds from --seed on and count how often each claim holds", false},
      {"sweep", "NAME=LOW:HIGH:xF", "a run for each value, in factors xF or steps +D, in a table",
       false},
      {"set", "NAME=VALUE", "change a parameter; may be given several times", true},
      {"break", "NAME", "sabotage: exit 0 only if exactly the claims listed for it flip", false},
      {"claim", "ID", "only the steps that this claim needs; several with commas", false},
      {"json", "FILE|-", "write the record; with - stdout is JSON alone", false},
      {"models", "DIR", "keep trained models there, for probe", false},
      {"resume", "FILE", "go on with an interrupted run, with the options that it has", false},
      {"threads", "T", "threads (1); results do not depend on T", false},
  });
  return specs;
}

std::vector<LessonFactory> select_lessons(const std::vector<LessonFactory>& lessons,
                                          const std::string& selection) {
  const std::vector<int> numbers = numbers_of(lessons);
  const auto have = fmt::format("{}", fmt::join(numbers, ", "));
  std::set<std::int64_t> wanted;
  for (const std::string& part : course::split(selection, ',')) {
    const std::size_t dash = part.find('-');
    if (part == "all") {
      wanted.insert(numbers.begin(), numbers.end());
      continue;
    }
    const auto first = course::parse_whole(part.substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : course::parse_whole(part.substr(dash + 1));
    if (!first || !last || *first > *last) {
      throw UsageError(fmt::format(
          "expected lessons such as 4, 4,5, 1-4 or all, got '{}'; there is {}", part, have));
    }
    const std::size_t before = wanted.size();
    bool any = false;
    for (const int number : numbers) {
      if (number < *first || number > *last) continue;
      wanted.insert(number);
      any = true;
    }
    if (!any && wanted.size() == before) {
      throw UsageError(fmt::format("no lesson {} here; there is {}", part, have));
    }
  }
  std::vector<LessonFactory> selected;
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    if (wanted.contains(numbers[i])) selected.push_back(lessons[i]);
  }
  if (selected.empty()) throw UsageError("this executable holds no lesson");
  return selected;
}

RunOptions parse_run_options(const Context& context, const std::vector<std::string>& words) {
  RunOptions options = parse_new_run(context, words);
  return options.resume.empty() || options.help ? options : resumed(context, options, words);
}

RunOptions parse_new_run(const Context& context, const std::vector<std::string>& words) {
  const Arguments arguments("run", run_option_specs(), words);
  RunOptions options;
  options.help = arguments.has("help");
  options.json = arguments.value("json");
  options.models = arguments.value("models");
  options.resume = arguments.value("resume");
  const bool to_terminal =
      options.json == "-" ? context.console.err_is_terminal : context.console.out_is_terminal;
  options.display = display_from(arguments, context.console, to_terminal);
  options.step = arguments.has("step");
  if (context.single) {
    if (!arguments.rest().empty()) {
      throw UsageError(fmt::format("expected options only, got '{}'", arguments.rest()[0]));
    }
    options.selection = std::to_string(context.lessons[0]().number());
    options.lessons = context.lessons;
  } else if (arguments.rest().size() == 1) {
    options.selection = arguments.rest()[0];
    options.lessons = select_lessons(context.lessons, options.selection);
  } else if (options.help && arguments.rest().empty()) {
    return options;
  } else {
    throw UsageError(fmt::format(
        "expected one selection of lessons such as 4, 1-4 or all, got {}",
        arguments.rest().empty() ? "none" : fmt::format("'{}'", fmt::join(arguments.rest(), " "))));
  }
  if (arguments.has("quick") && arguments.has("full")) {
    throw UsageError("--quick and --full exclude each other");
  }
  options.settings.quick = arguments.has("quick");
  constexpr std::int64_t kMostSeeds = 1000;
  options.settings.seed = seed_option(arguments);
  options.seeds = static_cast<int>(whole_option(arguments, "seeds", 1, /*least=*/1, kMostSeeds));
  // A lesson's models are small: a second thread gains little, and where other programs run it
  // waits for its turn at every layer.
  apply_threads(arguments, /*otherwise=*/1);
  if (arguments.has("claim")) apply_claims(context, arguments.value("claim"), options);
  for (const LessonFactory& factory : options.lessons) {
    const Lesson lesson = factory();
    for (const std::string& text : arguments.values("set")) {
      add_parameters(text, lesson, options.settings);
    }
    if (arguments.has("break")) require_break(arguments.value("break"), lesson);
  }
  if (arguments.has("break")) options.settings.breaks.insert(arguments.value("break"));
  options.predict = arguments.has("predict");
  options.from = from_option(arguments, options.lessons);
  if (arguments.has("sweep")) {
    options.sweep = parse_sweep(arguments.value("sweep"), only_lesson("sweep", options.lessons));
    if (options.settings.set.contains(options.sweep->parameter)) {
      throw UsageError(fmt::format("--sweep and --set both say {}", options.sweep->parameter));
    }
  }
  require_one_way(arguments);
  if (arguments.has("models")) require_models(context, arguments, options.lessons);
  return options;
}

}  // namespace gradwalk::commands
