#include "lessons/driver/run/options.h"

#include <fmt/format.h>

#include <algorithm>

// With std::regex a newline ends an option, and a long value the stack.
#define CXXOPTS_NO_REGEX true
#include <cxxopts.hpp>

#include "lessons/course/text/suggest.h"

namespace gradwalk::commands {
namespace {

const OptionSpec* find(const std::vector<OptionSpec>& specs, const std::string& name) {
  const auto found = std::find_if(specs.begin(), specs.end(),
                                  [&](const OptionSpec& spec) { return spec.name == name; });
  return found == specs.end() ? nullptr : &*found;
}

// cxxopts would take the next word for the value of "--seed"; the messages of ours say what is
// missing.
void require_values(const std::vector<OptionSpec>& specs, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--") || words[i] == "--") continue;
    const std::size_t equals = words[i].find('=');
    const std::string name = words[i].substr(2, equals - 2);
    const OptionSpec* spec = find(specs, name);
    if (spec == nullptr) {
      std::vector<std::string> names;
      for (const OptionSpec& one : specs) names.push_back("--" + one.name);
      throw UsageError(course::unknown("option", "--" + name, names));
    }
    const bool has_value =
        equals != std::string::npos && (equals + 1 < words[i].size() || spec->may_be_empty);
    if (spec->value.empty() && equals != std::string::npos) {
      throw UsageError(fmt::format("--{} takes no value, got '{}'", name, words[i]));
    }
    if (!spec->value.empty() && !has_value) {
      throw UsageError(fmt::format("--{} needs a value: --{}={}", name, name, spec->value));
    }
  }
}

}  // namespace

Arguments::Arguments(const std::string& program, const std::vector<OptionSpec>& specs,
                     const std::vector<std::string>& words) {
  require_values(specs, words);
  cxxopts::Options options(program);
  options.allow_unrecognised_options();
  for (const OptionSpec& spec : specs) {
    const std::string name = spec.name == "help" ? "h,help" : spec.name;
    if (spec.value.empty()) {
      options.add_options()(name, spec.what);
    } else {
      options.add_options()(name, spec.what, cxxopts::value<std::string>(), spec.value);
    }
  }
  std::vector<const char*> argv = {program.c_str()};
  for (const std::string& word : words) argv.push_back(word.c_str());
  try {
    const auto result = options.parse(static_cast<int>(argv.size()), argv.data());
    for (const auto& pair : result.arguments()) values_[pair.key()].push_back(pair.value());
    rest_ = result.unmatched();
  } catch (const cxxopts::exceptions::exception& error) {
    throw UsageError(error.what());
  }
  for (const auto& [name, given] : values_) {
    const OptionSpec* spec = find(specs, name);
    if (given.size() > 1 && (spec == nullptr || !spec->repeats)) {
      throw UsageError(fmt::format("--{} is given {} times", name, given.size()));
    }
  }
  for (const std::string& word : rest_) {
    if (word.starts_with("-")) throw UsageError(fmt::format("unknown option '{}'", word));
  }
}

std::string Arguments::value(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? "" : found->second.front();
}

std::vector<std::string> Arguments::values(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

course::Lines option_help(const std::vector<OptionSpec>& specs, int width) {
  constexpr int kColumn = 34;
  course::Lines lines;
  for (const OptionSpec& spec : specs) {
    const std::string name = "  --" + spec.name + (spec.value.empty() ? "" : "=" + spec.value);
    const std::vector<std::string> parts = course::wrap(spec.what, width - kColumn);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      course::Line line;
      line.add(i == 0 ? name : "", course::styles::kCommand).pad_to(kColumn);
      lines.push_back(line.add(parts[i]));
    }
  }
  return lines;
}

std::vector<OptionSpec> with_look_options(std::vector<OptionSpec> specs) {
  specs.push_back(
      {"color", "auto|always|never", "colours (auto: on a terminal, see NO_COLOR)", false});
  specs.push_back({"ascii", "", "7-bit output", false});
  specs.push_back({"width", "W", "columns, 60 to 160 (the terminal's, or 80)", false});
  specs.push_back({"help", "", "this page", false});
  return specs;
}

}  // namespace gradwalk::commands
