#include "lessons/course/terminal/course_page.h"

#include <fmt/format.h>

#include <map>

namespace gradwalk::course {
namespace {

constexpr const char* kNotRun = "not run yet";

const char* verdict_of(const CatalogueClaim& claim, const Ledger& ledger) {
  const auto record = ledger.claims.find(claim.id);
  return record == ledger.claims.end() ? kNotRun
                                       : name(decide(record->second.claim, claim.verdict));
}

// "REFUTED A3, CORRECTED A4 A5", in the order in which the verdicts come.
std::string verdicts(const std::vector<const CatalogueClaim*>& claims, const Ledger& ledger) {
  std::vector<std::string> order;
  std::map<std::string, std::string> ids;
  for (const CatalogueClaim* claim : claims) {
    const std::string outcome = verdict_of(*claim, ledger);
    if (!ids.contains(outcome)) order.push_back(outcome);
    ids[outcome] += " " + claim->id;
  }
  std::string text;
  for (const std::string& outcome : order) {
    text += (text.empty() ? "" : ", ") + outcome + ids[outcome];
  }
  return text;
}

}  // namespace

std::string course_page(const std::vector<LessonFactory>& lessons, const Catalogue& catalogue,
                        const Ledger& ledger) {
  std::string page = "| lesson | about | claims |\n|---|---|---|\n";
  for (const LessonFactory& factory : lessons) {
    const Lesson lesson = factory();
    const auto about = catalogue.lessons.find(lesson.number());
    page += fmt::format("| {:02} {} | {} | {} |\n", lesson.number(), lesson.name(),
                        about == catalogue.lessons.end() ? lesson.title() : about->second,
                        verdicts(catalogue.of_lesson(lesson.number()), ledger));
  }
  return page;
}

}  // namespace gradwalk::course
