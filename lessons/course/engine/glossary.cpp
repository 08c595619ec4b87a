#include "lessons/course/engine/glossary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace gradwalk::course {
namespace {

// What does not matter about a name is taken away.
std::string folded(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '[' || c == ']') continue;
    text +=
        c == '-' || c == '_' ? ' ' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return text;
}

// The name itself, and what it may be the plural of.
std::vector<std::string> singulars(const std::string& name) {
  std::vector<std::string> all = {name};
  if (name.ends_with("ies")) all.push_back(name.substr(0, name.size() - 3) + "y");
  if (name.ends_with("es")) all.push_back(name.substr(0, name.size() - 2));
  if (name.ends_with("s")) all.push_back(name.substr(0, name.size() - 1));
  return all;
}

template <class F>
void for_each_name(const GlossaryWord& word, F f) {
  f(word.word);
  for (const std::string& name : word.also) f(name);
}

void require_sound(const std::vector<GlossaryWord>& words) {
  std::set<std::string> names;
  for (const GlossaryWord& word : words) {
    for_each_name(word, [&](const std::string& name) {
      if (!names.insert(folded(name)).second) {
        throw std::logic_error(fmt::format("glossary: '{}' stands there twice", name));
      }
    });
  }
  for (const GlossaryWord& word : words) {
    for (const std::string& name : word.related) {
      const bool is_word = std::any_of(words.begin(), words.end(), [&](const GlossaryWord& other) {
        return other.word == name;
      });
      if (!is_word) {
        throw std::logic_error(
            fmt::format("glossary: '{}' is related to '{}', which is no word", word.word, name));
      }
    }
  }
}

}  // namespace

std::vector<GlossaryWord> parse_glossary(std::string_view json) {
  std::vector<GlossaryWord> words;
  try {
    const nlohmann::json file = nlohmann::json::parse(json);
    for (const auto& entry : file.at("words")) {
      words.push_back({entry.at("word"), entry.value("also", std::vector<std::string>{}),
                       entry.at("text"), entry.value("formula", ""),
                       entry.value("related", std::vector<std::string>{}),
                       entry.value("lesson", 0)});
    }
  } catch (const nlohmann::json::exception& error) {
    throw std::logic_error(fmt::format("glossary: {}", error.what()));
  }
  require_sound(words);
  return words;
}

const GlossaryWord* find_word(const std::vector<GlossaryWord>& words, std::string_view name) {
  for (const std::string& wanted : singulars(folded(name))) {
    for (const GlossaryWord& word : words) {
      bool is_it = false;
      for_each_name(word, [&](const std::string& own) { is_it = is_it || folded(own) == wanted; });
      if (is_it) return &word;
    }
  }
  return nullptr;
}

std::vector<std::string> glossary_names(const std::vector<GlossaryWord>& words) {
  std::vector<std::string> names;
  for (const GlossaryWord& word : words) {
    for_each_name(word, [&](const std::string& name) { names.push_back(name); });
  }
  return names;
}

std::string glossary_page(const std::vector<GlossaryWord>& words) {
  std::string page =
      "# Glossary\n\nThe field's words as the course uses them. `./gradwalk help WORD` prints one. "
      "This page is written by\n"
      "`./gradwalk help words --page` from lessons/glossary.json.\n";
  for (const GlossaryWord& word : words) {
    page += fmt::format("\n**{}**", word.word);
    if (!word.also.empty()) page += fmt::format(" ({})", fmt::join(word.also, ", "));
    page += fmt::format("  \n{}\n", word.text);
    if (!word.formula.empty()) page += fmt::format("\n    {}\n", word.formula);
    std::string last;
    if (!word.related.empty()) last = fmt::format("See also: {}.", fmt::join(word.related, ", "));
    if (word.lesson > 0) last += fmt::format("{}Lesson {}.", last.empty() ? "" : " ", word.lesson);
    if (!last.empty()) page += fmt::format("\n{}\n", last);
  }
  return page;
}

}  // namespace gradwalk::course
