#pragma once

#include <string>
#include <vector>

#include "lessons/driver/run/context.h"

namespace gradwalk::commands {

/// `help words`: all words of the glossary, or with --page the glossary as Markdown.
course::Exit help_words(const Context& context, const std::vector<std::string>& words);

/// `help NAME`: what the glossary says of it.
/// @throws UsageError with the nearest names if it is neither a word nor a verb
course::Exit help_word(const Context& context, const std::string& name,
                       const std::vector<std::string>& verbs);

}  // namespace gradwalk::commands
