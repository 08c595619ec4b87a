#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "lessons/course/text/text.h"

namespace gradwalk::commands {

/// The command line is wrong: exit 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One option of a verb.
struct OptionSpec {
  std::string name;
  std::string value;  ///< what stands behind "=", such as "S"; empty for a flag
  std::string what;
  bool repeats = false;       ///< may be given several times
  bool may_be_empty = false;  ///< "--name=" is a value too
};

/// The words behind a verb, sorted into options and the rest.
class Arguments {
 public:
  /// @throws UsageError for an unknown option (with the nearest name), an option twice, a value
  /// missing or too many
  Arguments(const std::string& program, const std::vector<OptionSpec>& specs,
            const std::vector<std::string>& words);

  bool has(const std::string& name) const { return values_.contains(name); }
  /// The value of an option; empty if it was not given.
  std::string value(const std::string& name) const;
  std::vector<std::string> values(const std::string& name) const;
  const std::vector<std::string>& rest() const { return rest_; }

 private:
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> rest_;
};

/// "  --seed=S      base seed" and so on, wrapped.
course::Lines option_help(const std::vector<OptionSpec>& specs, int width);

/// The options that every verb which prints has: --color, --ascii, --width, --help.
std::vector<OptionSpec> with_look_options(std::vector<OptionSpec> specs);

}  // namespace gradwalk::commands
