#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "lessons/course/engine/outcome.h"
#include "lessons/course/terminal/render_claims.h"
#include "lessons/course/text/number_format.h"
#include "lessons/course/text/text_table.h"
#include "lessons/driver/run/run_many.h"

namespace gradwalk::commands {
namespace {

// One claim over all seeds.
struct Row {
  course::Verdict expected = course::Verdict::kSkipped;
  int runs = 0;
  int as_catalogued = 0;
  std::vector<double> values;
  std::string others;  // seeds that came out otherwise, and how
};

// Is this the outcome that the run asked for: the catalogue's, or with a break on a flip of
// exactly the claims listed for it?
bool fits(const course::ClaimRecord& claim, const course::RunRecord& run,
          const course::Catalogue& catalogue) {
  if (run.breaks.empty()) return claim.verdict == claim.expected_verdict;
  return course::exit_of(claim.verdict) != course::Exit::kUndecided &&
         course::flipped(claim) == course::must_flip(claim.id, run, catalogue);
}

std::string mean_text(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return course::format_number(sum / static_cast<double>(values.size()));
}

}  // namespace

course::Lines seeds_table(const std::vector<course::RunRecord>& runs,
                          const course::Catalogue& catalogue, int width) {
  std::vector<std::string> order;
  std::map<std::string, Row> rows;
  bool broken = false;
  for (const course::RunRecord& run : runs) {
    broken = broken || !run.breaks.empty();
    for (const course::ClaimRecord* claim : course::claims_of(run)) {
      if (claim->verdict == course::Verdict::kSkipped) continue;
      if (!rows.contains(claim->id)) order.push_back(claim->id);
      Row& row = rows[claim->id];
      row.expected = claim->expected_verdict;
      ++row.runs;
      if (claim->value) row.values.push_back(*claim->value);
      if (fits(*claim, run, catalogue)) {
        ++row.as_catalogued;
      } else {
        row.others += fmt::format("{}{}: {}", row.others.empty() ? "" : ", ", run.seed,
                                  course::name(claim->verdict));
      }
    }
  }
  if (order.empty()) return {};
  std::vector<std::vector<course::TextCell>> cells;
  for (const std::string& id : order) {
    const Row& row = rows[id];
    const bool all = row.as_catalogued == row.runs;
    const bool valued = !row.values.empty();
    const auto [low, high] = std::minmax_element(row.values.begin(), row.values.end());
    cells.push_back({{id, course::styles::kTitle},
                     {course::name(row.expected), course::style_of(row.expected)},
                     {fmt::format("{} of {}", row.as_catalogued, row.runs),
                      all ? course::styles::kGood : course::styles::kBad},
                     {valued ? mean_text(row.values) : "-", {}},
                     {valued ? course::format_number(*low) : "-", {}},
                     {valued ? course::format_number(*high) : "-", {}},
                     {row.others.empty() ? "-" : row.others, {}}});
  }
  return draw_text_table({{"claim", false},
                          {"catalogue", false},
                          {broken ? "as it must" : "as catalogued", false},
                          {"value", false},
                          {"lowest", false},
                          {"highest", false},
                          {"other seeds", true}},
                         cells, width);
}

}  // namespace gradwalk::commands
