#include "lessons/course/terminal/render_claims.h"

#include <fmt/format.h>

#include <algorithm>

#include "lessons/course/terminal/render_step.h"
#include "lessons/course/text/number_format.h"
#include "lessons/course/text/shell_word.h"
#include "lessons/course/text/text_table.h"

namespace gradwalk::course {
namespace {

bool has_verdict(const ClaimRecord& claim) {
  return claim.verdict != Verdict::kInconclusive && claim.verdict != Verdict::kVacuous &&
         claim.verdict != Verdict::kSkipped;
}

bool broken(const LedgerRow& row) { return row.run != nullptr && !row.run->breaks.empty(); }

TextCell verdict_cell(const LedgerRow& row, const Catalogue& catalogue) {
  const ClaimRecord& claim = *row.claim;
  if (!broken(row) || !has_verdict(claim)) return {name(claim.verdict), style_of(claim.verdict)};
  const bool did = flipped(claim);
  const bool fine = did == must_flip(claim.id, *row.run, catalogue);
  return {did ? "FLIPPED" : name(claim.verdict), fine ? styles::kGood : styles::kBad};
}

TextCell control_cell(const LedgerRow& row, const Catalogue& catalogue) {
  const ClaimRecord& claim = *row.claim;
  if (broken(row)) {
    if (!has_verdict(claim)) return {"-", {}};
    return {break_text(claim, *row.run, catalogue),
            flipped(claim) == must_flip(claim.id, *row.run, catalogue) ? Style{} : styles::kBad};
  }
  if (!claim.control.ran) return {"-", {}};
  if (!claim.control.flipped) return {claim.control.name + ": does not flip", styles::kWarn};
  return {claim.control.name + ": " + (claim.control.found.empty() ? "flips" : claim.control.found),
          {}};
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

void add(Lines& lines, const std::string& label, const std::string& text, int width,
         Style style = {}) {
  if (text.empty()) return;
  const std::vector<std::string> parts = wrap(text, width - kLabelWidth);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Line line;
    line.add(pad_right(i == 0 ? "  " + label : "", kLabelWidth), styles::kLabel);
    lines.push_back(line.add(parts[i], style));
  }
}

std::string measured(const ClaimRecord& claim) {
  std::string text = claim.value ? format_exact(*claim.value) : "";
  if (claim.interval_low && claim.interval_high) {
    text += fmt::format(" in [{}, {}]", format_exact(*claim.interval_low),
                        format_exact(*claim.interval_high));
  }
  return text;
}

}  // namespace

Style style_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kChanged:
      return styles::kBad;
    case Verdict::kInconclusive:
    case Verdict::kVacuous:
      return styles::kWarn;
    case Verdict::kSkipped:
      return styles::kDim;
    default:
      return styles::kGood;
  }
}

std::string evidence_text(const ClaimRecord& claim) {
  std::string text = name(claim.evidence);
  if (claim.seeds > 1) text += fmt::format(", {} seeds", claim.seeds);
  return text + fmt::format(", {} {}", claim.cases, claim.cases == 1 ? "case" : "cases");
}

std::string break_text(const ClaimRecord& claim, const RunRecord& run, const Catalogue& catalogue) {
  const bool must = must_flip(claim.id, run, catalogue);
  if (flipped(claim)) return must ? "flips, as it must" : "flips, but should not";
  return must ? "does not flip, but should" : "unchanged, as it must be";
}

Lines render_ledger(const std::vector<LedgerRow>& rows, const Catalogue& catalogue, int width) {
  const std::vector<TextColumn> columns = {{"claim", false},   {"verdict", false},
                                           {"found", true},    {"expected", true},
                                           {"evidence", true}, {"control", true}};
  std::vector<std::vector<TextCell>> cells;
  for (const LedgerRow& row : rows) {
    const ClaimRecord& claim = *row.claim;
    const bool seen = claim.verdict != Verdict::kSkipped;
    cells.push_back({{claim.id, styles::kTitle},
                     verdict_cell(row, catalogue),
                     {seen ? or_dash(claim.found) : or_dash(claim.skip_reason), {}},
                     {seen ? or_dash(claim.expected) : "-", {}},
                     {seen ? evidence_text(claim) : "-", {}},
                     control_cell(row, catalogue)});
  }
  return draw_text_table(columns, cells, width);
}

int decided(const std::vector<LedgerRow>& rows) {
  return static_cast<int>(std::count_if(
      rows.begin(), rows.end(), [](const LedgerRow& row) { return has_verdict(*row.claim); }));
}

Lines render_claim(const CatalogueClaim& claim, const LedgerRecord* record,
                   const Catalogue& catalogue, int width) {
  Lines lines;
  Line head;
  const auto article = catalogue.articles.find(claim.article);
  const std::string title = article == catalogue.articles.end() ? "" : article->second;
  head.add(claim.id, styles::kTitle).add("  ");
  const Verdict verdict = record == nullptr ? Verdict::kSkipped : record->claim.verdict;
  head.add(record == nullptr ? "NOT RUN YET" : name(verdict), style_of(verdict));
  lines.push_back(std::move(head));
  add(lines, "statement", "\"" + claim.statement + "\"", width);
  add(lines, "source",
      fmt::format("article {}, section {}: {}", claim.article, claim.section, title), width);
  add(lines, "catalogue", name(claim.verdict), width);
  add(lines, "why", claim.why, width);
  if (record == nullptr) {
    add(lines, "run it", launcher_command(fmt::format("run {} --claim={}", claim.lesson, claim.id)),
        width, styles::kCommand);
    return lines;
  }
  const ClaimRecord& seen = record->claim;
  const Outcome outcome = seen.outcome();
  add(lines, "outcome",
      fmt::format("as stated: {}   our statement: {}", name(outcome.as_stated),
                  name(outcome.right)),
      width);
  add(lines, "found", seen.found, width);
  add(lines, "value", measured(seen), width);
  add(lines, "expected", seen.expected, width);
  add(lines, "tolerance", seen.tolerance, width);
  add(lines, "evidence", evidence_text(seen), width);
  add(lines, "control",
      fmt::format("{}: {}{}", seen.control.name,
                  !seen.control.ran      ? "did not run"
                  : seen.control.flipped ? "flips"
                                         : "does not flip",
                  seen.control.found.empty() ? "" : " (" + seen.control.found + ")"),
      width);
  add(lines, "run",
      fmt::format("lesson {}, {}, seed {}, {:.2g} s", record->lesson, record->mode, record->seed,
                  seen.seconds),
      width);
  const Environment& where = record->environment;
  add(lines, "built by", fmt::format("{}, {}, {}", where.compiler, where.flags, where.simd), width);
  add(lines, "build id", where.build_id, width);
  add(lines, "machine", fmt::format("{}, {} threads", where.cpu, where.threads), width);
  add(lines, "repeat", record->repeat, width, styles::kCommand);
  return lines;
}

}  // namespace gradwalk::course
