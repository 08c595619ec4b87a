#include "lessons/course/engine/ledger.h"

#include <fmt/format.h>

#include "lessons/course/engine/outcome.h"
#include "lessons/course/text/file_content.h"
#include "lessons/course/text/shell_word.h"

namespace gradwalk::course {

std::string repeat_options(const RunRecord& run) {
  std::string options = fmt::format(" --seed={} --{}", run.seed, run.quick ? "quick" : "full");
  for (const std::string& name : run.breaks) options += " --break=" + name;
  for (const auto& [name, value] : run.set) {
    options += fmt::format(" --set={}={}", name, value);
  }
  return options;
}

std::vector<LedgerRecord> ledger_records(const RunRecord& run, const Catalogue& catalogue,
                                         const Environment& environment) {
  std::vector<LedgerRecord> records;
  for (const ClaimRecord* claim : claims_of(run)) {
    LedgerRecord record;
    record.claim = *claim;
    if (const CatalogueClaim* listed = catalogue.find(claim->id)) {
      record.article = listed->article;
      record.section = listed->section;
      record.statement = listed->statement;
    }
    record.lesson = run.lesson;
    record.mode = run.quick ? "quick" : "full";
    record.seed = run.seed;
    record.repeat = launcher_command(
        fmt::format("run {} --claim={}{}", run.lesson, claim->id, repeat_options(run)));
    record.environment = environment;
    records.push_back(std::move(record));
  }
  return records;
}

bool Ledger::update(const RunRecord& run, const Catalogue& catalogue,
                    const Environment& environment) {
  bool all = run.complete;
  bool any = false;
  for (LedgerRecord& record : ledger_records(run, catalogue, environment)) {
    all = all && record.claim.verdict != Verdict::kSkipped;
    if (record.claim.verdict != Verdict::kSkipped) {
      any = true;
      claims.insert_or_assign(record.claim.id, std::move(record));
    }
  }
  if (all) lessons[run.lesson] = {run.seconds, run.quick ? "quick" : "full"};
  return any;
}

bool Ledger::update_over_seeds(const std::vector<RunRecord>& runs, const Catalogue& catalogue,
                               const Environment& environment) {
  struct OverSeeds {
    LedgerRecord record;
    std::uint64_t first_seed = 0;
    int runs = 0;
    int seeds = 0;
    std::int64_t cases = 0;
  };
  const auto otherwise = [](const LedgerRecord& record) {
    return record.claim.verdict != record.claim.expected_verdict;
  };
  std::map<std::string, OverSeeds> all;
  for (const RunRecord& run : runs) {
    for (LedgerRecord& record : ledger_records(run, catalogue, environment)) {
      if (record.claim.verdict == Verdict::kSkipped) continue;
      OverSeeds& over = all[record.claim.id];
      const bool first = over.runs++ == 0;
      if (first) over.first_seed = run.seed;
      over.seeds += record.claim.seeds;
      over.cases += record.claim.cases;
      if (first || (otherwise(record) && !otherwise(over.record))) over.record = std::move(record);
    }
  }
  for (auto& [id, over] : all) {
    LedgerRecord& record = over.record;
    RunRecord command;
    command.seed = over.first_seed;
    command.quick = record.mode == "quick";
    record.repeat = launcher_command(fmt::format("run {} --claim={}{} --seeds={}", record.lesson,
                                                 id, repeat_options(command), over.runs));
    if (record.claim.cases > 0) record.claim.cases = over.cases;
    record.claim.seeds = over.seeds;
    claims.insert_or_assign(id, std::move(record));
  }
  return !all.empty();
}

std::filesystem::path ledger_path() { return std::filesystem::path("results") / "ledger.json"; }

Ledger read_ledger(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) return {};
  const auto fail = [&](const std::string& what) {
    throw InputError(
        fmt::format("{}: {}; it was left as it is: move it away, and the next run starts a new one",
                    path.string(), what));
  };
  try {
    return parse_ledger(file_content(path));
  } catch (const std::exception& fault) {
    fail(fault.what());
  }
  return {};
}

void write_ledger(const std::filesystem::path& path, const Ledger& ledger) {
  write_result(path, ledger_text(ledger));
}

}  // namespace gradwalk::course
