#include <fmt/format.h>

#include "lessons/course/engine/outcome.h"
#include "lessons/course/terminal/render_claims.h"
#include "lessons/course/terminal/render_step.h"
#include "lessons/course/text/number_format.h"

namespace gradwalk::course {
namespace {

std::string outcome_text(const Outcome& outcome) {
  const auto says = [](Truth truth) {
    return truth == Truth::kYes ? "holds" : truth == Truth::kNo ? "fails" : "is undecided";
  };
  return fmt::format("as stated it {}, our statement {}", says(outcome.as_stated),
                     says(outcome.right));
}

// How the catalogue's outcome and the measured one go together.
std::string outcome_line(const ClaimRecord& claim) {
  if (!claim.skip_reason.empty()) return claim.skip_reason;
  if (claim.cases <= 0) return "no case was examined";
  std::string text = outcome_text(claim.outcome());
  if (claim.verdict == Verdict::kChanged) {
    text += fmt::format("; the catalogue says {}: {}", name(claim.expected_verdict),
                        outcome_text(outcome_of(claim.expected_verdict)));
  }
  return text;
}

std::string measured_line(const ClaimRecord& claim) {
  std::string text;
  if (!claim.found.empty()) text += "found " + claim.found;
  if (!claim.expected.empty()) text += (text.empty() ? "" : "; ") + ("expected " + claim.expected);
  if (!claim.tolerance.empty()) text += " (" + claim.tolerance + ")";
  return text + (text.empty() ? "" : "; ") + evidence_text(claim);
}

Line control_line(const ClaimRecord& claim) {
  Line line;
  line.add("control " + claim.control.name + ": ");
  if (claim.control.flipped) {
    line.add("flips, as it must");
    if (!claim.control.found.empty()) line.add(" (" + claim.control.found + ")", styles::kDim);
  } else {
    line.add("does not flip, so the check proves nothing", styles::kWarn);
  }
  return line;
}

Line break_line(const ClaimRecord& claim, const RunRecord& run, const Catalogue& catalogue) {
  const bool fine = flipped(claim) == must_flip(claim.id, run, catalogue);
  Line line("with this break: ");
  return line.add(break_text(claim, run, catalogue), fine ? styles::kGood : styles::kBad);
}

// Splits a line that is too wide; its pieces keep their styles.
void add_wrapped(Lines& lines, const Line& line, int indent, int width) {
  if (indent + line.width() <= width) {
    Line whole;
    lines.push_back(whole.pad_to(indent).add(line));
    return;
  }
  std::string text;
  for (const Span& span : line.spans()) text += span.text;
  const Style style = line.spans().empty() ? Style{} : line.spans().back().style;
  for (const std::string& part : wrap(text, width - indent)) {
    Line piece;
    lines.push_back(piece.pad_to(indent).add(part, style));
  }
}

void add_claim(Lines& lines, const ClaimRecord& claim, const RunRecord& run,
               const Catalogue& catalogue, int width) {
  const int indent = std::max(4, display_width(claim.id) + 2);
  Line head;
  head.add(pad_right(claim.id, indent), styles::kTitle);
  const bool fine = flipped(claim) == must_flip(claim.id, run, catalogue);
  if (!run.breaks.empty() && flipped(claim)) {
    head.add("FLIPPED", fine ? styles::kGood : styles::kBad).add("  ");
  } else {
    head.add(name(claim.verdict), style_of(claim.verdict)).add("  ");
  }
  const CatalogueClaim* listed = catalogue.find(claim.id);
  const std::string statement = listed == nullptr ? "" : "\"" + listed->statement + "\"";
  const int start = head.width();
  const std::vector<std::string> words = wrap(statement, width - start);
  head.add(words[0], styles::kDim);
  lines.push_back(std::move(head));
  std::string rest;
  for (std::size_t i = 1; i < words.size(); ++i) rest += (i == 1 ? "" : " ") + words[i];
  if (!rest.empty()) add_wrapped(lines, Line(rest, styles::kDim), indent, width);
  add_wrapped(lines, Line(outcome_line(claim)), indent, width);
  if (claim.verdict == Verdict::kSkipped) return;
  if (listed != nullptr && !listed->why.empty()) {
    add_wrapped(lines, Line("ours: " + listed->why), indent, width);
  }
  if (claim.cases > 0) add_wrapped(lines, Line(measured_line(claim)), indent, width);
  if (claim.control.ran) add_wrapped(lines, control_line(claim), indent, width);
  if (!run.breaks.empty()) add_wrapped(lines, break_line(claim, run, catalogue), indent, width);
}

void add_check(Lines& lines, bool ok, const std::string& text, int width) {
  Line head;
  head.add(ok ? "ok  " : "FAILED  ", ok ? styles::kGood : styles::kBad);
  const int indent = head.width();
  const std::vector<std::string> parts = wrap(text, width - indent);
  head.add(parts[0]);
  lines.push_back(std::move(head));
  for (std::size_t i = 1; i < parts.size(); ++i) {
    Line line;
    lines.push_back(line.pad_to(indent).add(parts[i]));
  }
}

// The badges of gradients that were checked the same way: one heading, then as many to a line as
// fit.
void add_badges(Lines& lines, const std::vector<const TensorRecord*>& tensors, int width) {
  const GradBadge& first = *tensors[0]->badge;
  std::vector<std::string> names;
  std::vector<std::string> numbers;
  int name_width = 0;
  int number_width = 0;
  for (const TensorRecord* tensor : tensors) {
    const GradBadge& badge = *tensor->badge;
    names.push_back(tensor->name + tensor->shape_text());
    numbers.push_back(fmt::format("{}/{} entries, max rel {}", badge.compared, badge.total,
                                  format_exact(badge.worst, 2)));
    name_width = std::max(name_width, display_width(names.back()));
    number_width = std::max(number_width, display_width(numbers.back()));
  }
  const std::string heading = fmt::format("gradients by {}, step {}, {}", first.method,
                                          format_exact(first.step, 2), first.dtype);
  add_wrapped(lines, Line(heading, styles::kDim), 0, width);
  Line line;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const bool ok = tensors[i]->badge->ok();
    Line one;
    one.add(ok ? "ok  " : "FAILED  ", ok ? styles::kGood : styles::kBad);
    one.add(pad_right(names[i], name_width) + "  " + pad_right(numbers[i], number_width));
    if (!line.empty() && line.width() + 3 + one.width() > width) {
      lines.push_back(std::move(line));
      line = Line();
    }
    if (!line.empty()) line.add("   ");
    line.add(one);
  }
  lines.push_back(std::move(line));
}

bool checked_alike(const GradBadge& a, const GradBadge& b) {
  return a.method == b.method && a.step == b.step && a.dtype == b.dtype;
}

}  // namespace

Lines render_checks(const RunRecord& run, const StepRecord& step, const Catalogue& catalogue,
                    int width) {
  Lines lines;
  for (const ClaimRecord& claim : step.claims) add_claim(lines, claim, run, catalogue, width);
  for (const CheckRecord& check : step.checks) {
    add_check(lines, check.ok, check.what + (check.note.empty() ? "" : "  (" + check.note + ")"),
              width);
  }
  std::vector<const TensorRecord*> group;
  for (const TensorRecord& tensor : step.tensors) {
    if (!tensor.badge) continue;
    if (!group.empty() && !checked_alike(*group[0]->badge, *tensor.badge)) {
      add_badges(lines, group, width);
      group.clear();
    }
    group.push_back(&tensor);
  }
  if (!group.empty()) add_badges(lines, group, width);
  for (const std::string& where : step.nonfinite) {
    add_check(lines, false, "unexpected NaN or Inf in " + where, width);
  }
  return lines;
}

}  // namespace gradwalk::course
