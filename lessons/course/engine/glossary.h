#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gradwalk::course {

/// A word of the field as the course uses it.
struct GlossaryWord {
  std::string word;
  std::vector<std::string> also;  ///< other names of it
  std::string text;
  std::string formula;  ///< may be empty
  std::vector<std::string> related;
  int lesson = 0;  ///< where it is seen; 0 if in none
};

/// Reads a glossary; the words come in the order of the file.
/// @throws std::logic_error that names the fault: a missing field, a name twice, a related word
/// that
///         is none
std::vector<GlossaryWord> parse_glossary(std::string_view json);

/// The text of lessons/glossary.json, which is built in.
std::string_view glossary_json();

/// The word with this name; case, plural, brackets, and a hyphen for a blank do not matter. Null if
/// there is none.
const GlossaryWord* find_word(const std::vector<GlossaryWord>& words, std::string_view name);

/// All names that find_word knows.
std::vector<std::string> glossary_names(const std::vector<GlossaryWord>& words);

/// The glossary as a page of Markdown.
std::string glossary_page(const std::vector<GlossaryWord>& words);

}  // namespace gradwalk::course
