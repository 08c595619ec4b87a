#include <fmt/format.h>

#include <deque>
#include <stdexcept>

#include "lessons/course/engine/ledger.h"
#include "lessons/course/json/record.h"
#include "lessons/course/terminal/render_claims.h"
#include "lessons/course/text/shell_word.h"
#include "lessons/course/text/suggest.h"
#include "lessons/driver/run/context.h"
#include "nn/files/atomic_file.h"

namespace gradwalk::commands {
namespace {

using course::CatalogueClaim;
using course::Exit;
using course::LedgerRecord;

// The claims that were asked for, as the catalogue has them.
std::vector<const CatalogueClaim*> asked(const course::Catalogue& catalogue,
                                         const std::vector<std::string>& ids) {
  std::vector<const CatalogueClaim*> claims;
  std::vector<std::string> known;
  for (const CatalogueClaim& claim : catalogue.claims) {
    known.push_back(claim.id);
    if (ids.empty()) claims.push_back(&claim);
  }
  if (ids.size() > 1)
    throw UsageError(fmt::format("expected at most one claim, got {}", ids.size()));
  if (!ids.empty()) {
    claims.push_back(catalogue.find(ids[0]));
    if (claims[0] == nullptr) throw UsageError(course::unknown("claim", ids[0], known));
  }
  return claims;
}

const std::vector<OptionSpec>& claims_option_specs() {
  static const std::vector<OptionSpec> all = with_look_options(
      {{"json", "FILE|-", "write the records; with - stdout is JSON alone", false}});
  return all;
}

void write_json(const Context& context, const std::string& target,
                const std::vector<LedgerRecord>& records) {
  const std::string json = course::claims_json(records);
  if (target == "-") {
    context.console.out(json);
  } else {
    nn::write_file_atomically(target, json);
  }
}

}  // namespace

Exit claims(const Context& context, const std::vector<std::string>& words) {
  const Arguments arguments("claims", claims_option_specs(), words);
  const std::string json = arguments.value("json");
  const course::Console& console = context.console;
  const course::Display display = display_from(
      arguments, console, json == "-" ? console.err_is_terminal : console.out_is_terminal);
  if (arguments.has("help")) {
    console.out(course::launcher_command("claims [ID] [OPTIONS]") +
                ": the ledger, or one claim with its evidence\n");
    console.out(course::paint(option_help(claims_option_specs(), display.width), display));
    return Exit::kOk;
  }
  const std::vector<const CatalogueClaim*> wanted = asked(context.catalogue, arguments.rest());
  course::Ledger ledger = course::read_ledger(course::ledger_path());

  std::deque<course::ClaimRecord> shown;  // rows point into it
  std::vector<course::LedgerRow> rows;
  std::vector<LedgerRecord> records;
  Exit code = Exit::kOk;
  for (const CatalogueClaim* claim : wanted) {
    const auto found = ledger.claims.find(claim->id);
    if (found == ledger.claims.end()) {
      course::ClaimRecord& missing = shown.emplace_back();
      missing.id = claim->id;
      missing.skip_reason = "not run yet";
    } else {
      // An older record is judged by the catalogue of today.
      course::ClaimRecord& record = found->second.claim;
      record.expected_verdict = claim->verdict;
      record.verdict = decide(record, claim->verdict);
      code = course::worse(code, course::exit_of(record.verdict));
      shown.push_back(record);
      records.push_back(found->second);
    }
    rows.push_back({&shown.back(), nullptr});
  }
  if (records.empty()) code = course::worse(code, Exit::kUndecided);

  course::Lines lines;
  if (!arguments.rest().empty()) {
    lines = render_claim(*wanted[0], records.empty() ? nullptr : &records[0], context.catalogue,
                         display.width);
  } else {
    lines = render_ledger(rows, context.catalogue, display.width);
    lines.emplace_back(fmt::format("{} of {} decided   exit {}   {}", course::decided(rows),
                                   rows.size(), static_cast<int>(code),
                                   course::ledger_path().string()));
  }
  if (json != "-") console.out(course::paint(lines, display));
  if (!json.empty()) write_json(context, json, records);
  return code;
}

}  // namespace gradwalk::commands
