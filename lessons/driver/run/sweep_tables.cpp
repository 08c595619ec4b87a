#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lessons/course/engine/outcome.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/course/terminal/render_claims.h"
#include "lessons/course/text/number_format.h"
#include "lessons/course/text/text_table.h"
#include "lessons/driver/run/run_many.h"

namespace gradwalk::commands {
namespace {

using course::RunRecord;

// One measured number over the values of the sweep.
struct Measured {
  std::string name;
  std::vector<std::optional<double>> values;
  bool claim = false;

  bool changes() const {
    return std::any_of(values.begin(), values.end(),
                       [&](const auto& value) { return value != values.front(); });
  }
};

// The single numbers of all steps and the values of all claims, by name, in the order of the
// steps.
std::vector<Measured> measured(const std::vector<RunRecord>& runs) {
  std::vector<Measured> all;
  const auto put = [&](const std::string& name, bool claim, std::size_t run, double value) {
    auto found =
        std::find_if(all.begin(), all.end(), [&](const Measured& one) { return one.name == name; });
    if (found == all.end()) {
      all.push_back({name, std::vector<std::optional<double>>(runs.size()), claim});
      found = all.end() - 1;
    }
    found->values[run] = value;
  };
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (std::size_t at = 0; at < runs[run].steps.size(); ++at) {
      const course::StepRecord& step = *runs[run].steps[at];
      for (const course::NumbersItem& item : step.numbers) {
        const auto* number = std::get_if<course::NumberRecord>(&item);
        if (number == nullptr) continue;
        put(fmt::format("step {}: {}", at + 1, number->name), false, run, number->value);
      }
      for (const course::ClaimRecord& claim : step.claims) {
        if (claim.value && claim.verdict != course::Verdict::kSkipped) {
          put(claim.id, true, run, *claim.value);
        }
      }
    }
  }
  return all;
}

course::TextCell verdict_cell(const course::ClaimRecord& claim, const RunRecord& run,
                              const course::Catalogue& catalogue) {
  if (run.breaks.empty()) return {course::name(claim.verdict), course::style_of(claim.verdict)};
  const bool did = course::flipped(claim);
  return {did ? "FLIPPED" : course::name(claim.verdict),
          did == course::must_flip(claim.id, run, catalogue) ? course::styles::kGood
                                                             : course::styles::kBad};
}

void append(course::Lines& lines, course::Lines more) {
  for (course::Line& line : more) lines.push_back(std::move(line));
}

course::Lines numbers_table(const std::vector<Measured>& rows, const Sweep& sweep, int width) {
  if (rows.empty()) {
    return {course::Line(fmt::format("no number and no claim changes with {}", sweep.parameter))};
  }
  std::vector<course::TextColumn> columns = {{"", true}};
  for (std::size_t run = 0; run < rows[0].values.size(); ++run) {
    columns.push_back({course::format_exact(sweep.values[run], 6), false});
  }
  std::vector<std::vector<course::TextCell>> cells;
  for (const Measured& row : rows) {
    std::vector<course::TextCell> line = {{row.name, {}}};
    for (const auto& value : row.values) {
      line.push_back({value ? course::format_number(*value) : "-", {}});
    }
    cells.push_back(std::move(line));
  }
  return draw_text_table(columns, cells, width);
}

course::Lines value_curve(const Measured& row, const Sweep& sweep, const course::Display& display) {
  course::Curve series{row.name, {}, {}};
  for (std::size_t run = 0; run < row.values.size(); ++run) {
    if (!row.values[run]) continue;
    series.x.push_back(sweep.by_factor ? std::log10(sweep.values[run]) : sweep.values[run]);
    series.y.push_back(*row.values[run]);
  }
  course::Curves curves("value of " + row.name,
                        (sweep.by_factor ? "log10 " : "") + sweep.parameter);
  curves.curves.push_back(std::move(series));
  return curves.draw(course::StepRecord(), display.width, display);
}

course::Lines verdicts_table(const std::vector<RunRecord>& runs, const Sweep& sweep,
                             const course::Catalogue& catalogue, int width) {
  std::vector<course::TextColumn> columns = {{sweep.parameter, false}};
  std::vector<std::vector<course::TextCell>> cells;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    std::vector<course::TextCell> line = {{course::format_exact(sweep.values[run], 6), {}}};
    for (const course::ClaimRecord* claim : course::claims_of(runs[run])) {
      if (claim->skip_reason == "not asked for") continue;
      if (run == 0) columns.push_back({claim->id, true});
      line.push_back(verdict_cell(*claim, runs[run], catalogue));
    }
    cells.push_back(std::move(line));
  }
  return draw_text_table(columns, cells, width);
}

}  // namespace

course::Lines sweep_tables(const std::vector<RunRecord>& runs, const Sweep& sweep,
                           const course::Catalogue& catalogue, const course::Display& display) {
  course::Lines lines;
  if (runs.empty()) return lines;
  const RunRecord& first = runs.front();
  lines.emplace_back(
      fmt::format("Lesson {}  {}: sweep of {}", first.lesson, first.title, sweep.parameter),
      course::styles::kTitle);
  std::vector<Measured> rows = measured(runs);
  std::erase_if(rows, [](const Measured& one) { return !one.changes(); });
  append(lines, numbers_table(rows, sweep, display.width));
  for (const Measured& row : rows) {
    if (!row.claim || runs.size() < 2) continue;
    lines.emplace_back();
    append(lines, value_curve(row, sweep, display));
  }
  lines.emplace_back();
  append(lines, verdicts_table(runs, sweep, catalogue, display.width));
  return lines;
}

}  // namespace gradwalk::commands
