#include "lessons/course/engine/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace gradwalk::course {
namespace {

using nlohmann::json;

[[noreturn]] void fault(const std::string& what) { throw std::logic_error("claims.json: " + what); }

std::string text(const json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string() || found->get<std::string>().empty()) {
    fault(fmt::format("{}: expected a text '{}'", where, key));
  }
  return found->get<std::string>();
}

int lesson_number(const json& object, const std::string& where) {
  const auto found = object.find("lesson");
  if (found == object.end() || !found->is_number_integer()) {
    fault(fmt::format("{}: expected a number 'lesson'", where));
  }
  return found->get<int>();
}

CatalogueClaim parse_claim(const json& object) {
  CatalogueClaim claim;
  claim.id = text(object, "id", "a claim");
  claim.article = text(object, "article", claim.id);
  claim.section = text(object, "section", claim.id);
  claim.statement = text(object, "statement", claim.id);
  claim.lesson = lesson_number(object, claim.id);
  claim.control = text(object, "control", claim.id);
  claim.why = object.value("why", "");
  const std::string verdict = text(object, "verdict", claim.id);
  const auto known = verdict_named(verdict);
  if (!known || *known >= Verdict::kChanged) {
    fault(fmt::format("{}: '{}' is no verdict of a catalogue", claim.id, verdict));
  }
  claim.verdict = *known;
  return claim;
}

void require_consistent(const Catalogue& catalogue) {
  std::set<std::string> ids;
  for (const CatalogueClaim& claim : catalogue.claims) {
    if (!ids.insert(claim.id).second) fault(fmt::format("{} stands twice", claim.id));
    if (!catalogue.articles.contains(claim.article)) {
      fault(fmt::format("{}: article '{}' is not listed", claim.id, claim.article));
    }
    if (!catalogue.flips(claim.lesson, claim.control).contains(claim.id)) {
      fault(fmt::format("{}: its control '{}' is no break of lesson {} that flips it", claim.id,
                        claim.control, claim.lesson));
    }
  }
  for (const CatalogueBreak& one : catalogue.breaks) {
    for (const std::string& id : one.flips) {
      const CatalogueClaim* claim = catalogue.find(id);
      if (claim == nullptr || claim->lesson != one.lesson) {
        fault(fmt::format("break '{}': {} is no claim of lesson {}", one.name, id, one.lesson));
      }
    }
  }
}

}  // namespace

const CatalogueClaim* Catalogue::find(std::string_view id) const {
  const auto found = std::find_if(claims.begin(), claims.end(),
                                  [&](const CatalogueClaim& claim) { return claim.id == id; });
  return found == claims.end() ? nullptr : &*found;
}

std::vector<const CatalogueClaim*> Catalogue::of_lesson(int lesson) const {
  std::vector<const CatalogueClaim*> found;
  for (const CatalogueClaim& claim : claims) {
    if (claim.lesson == lesson) found.push_back(&claim);
  }
  return found;
}

std::set<std::string> Catalogue::flips(int lesson, std::string_view name) const {
  for (const CatalogueBreak& one : breaks) {
    if (one.lesson == lesson && one.name == name) return one.flips;
  }
  return {};
}

Catalogue parse_catalogue(std::string_view source) {
  const json document = json::parse(source, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object() || document.value("schema", 0) != 1) fault("expected JSON of schema 1");
  for (const char* key : {"articles", "claims", "breaks"}) {
    if (!document.contains(key)) fault(fmt::format("expected '{}'", key));
  }
  Catalogue catalogue;
  for (const auto& [id, title] : document.at("articles").items()) {
    catalogue.articles[id] = title.get<std::string>();
  }
  for (const json& lesson : document.value("lessons", json::array())) {
    const int number = lesson_number(lesson, "a lesson");
    catalogue.lessons[number] = text(lesson, "about", fmt::format("lesson {}", number));
  }
  for (const json& claim : document.at("claims")) catalogue.claims.push_back(parse_claim(claim));
  for (const json& object : document.at("breaks")) {
    CatalogueBreak one;
    one.name = text(object, "name", "a break");
    one.lesson = lesson_number(object, "break " + one.name);
    one.flips = object.at("flips").get<std::set<std::string>>();
    catalogue.breaks.push_back(std::move(one));
  }
  require_consistent(catalogue);
  return catalogue;
}

}  // namespace gradwalk::course
