#pragma once

#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/course/engine/catalogue.h"
#include "lessons/course/engine/environment.h"
#include "lessons/course/engine/record.h"

namespace gradwalk::course {

/// A file that the user gave or that an earlier run left cannot be read: exit 4.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The newest record of one claim, with everything that is needed to judge and to repeat it.
struct LedgerRecord {
  ClaimRecord claim;
  std::string article;
  std::string section;
  std::string statement;
  int lesson = 0;
  std::string mode;  ///< "full" or "quick"
  std::uint64_t seed = 1;
  std::string repeat;  ///< the command that repeats it
  Environment environment;
};

/// How long a lesson took when it last ran to its end.
struct LessonTime {
  double seconds = 0;
  std::string mode;
};

/// results/ledger.json: the newest record of each claim.
struct Ledger {
  std::map<std::string, LedgerRecord> claims;
  std::map<int, LessonTime> lessons;

  /// Takes over the claims of a run, except skipped ones. Was there one?
  bool update(const RunRecord& run, const Catalogue& catalogue, const Environment& environment);

  /// The same for runs with one seed behind the other: of each claim the record of the first seed
  /// that came out otherwise than catalogued, or of the first seed at all, with the seeds and cases
  /// of all runs.
  bool update_over_seeds(const std::vector<RunRecord>& runs, const Catalogue& catalogue,
                         const Environment& environment);
};

/// The records of a run's claims, in order.
std::vector<LedgerRecord> ledger_records(const RunRecord& run, const Catalogue& catalogue,
                                         const Environment& environment);

/// The options that repeat a run: " --seed=1 --full --break=NAME --set=k=v".
std::string repeat_options(const RunRecord& run);

/// results/ledger.json in the current folder.
std::filesystem::path ledger_path();

/// An absent file is an empty ledger.
/// @throws InputError that names the file, the fault and what to do
Ledger read_ledger(const std::filesystem::path& path);

/// Makes the folder if need be; all or nothing.
/// @throws std::runtime_error that names the file and the reason
void write_ledger(const std::filesystem::path& path, const Ledger& ledger);

std::string ledger_text(const Ledger& ledger);
/// @throws std::exception that says what is wrong
Ledger parse_ledger(std::string_view text);

}  // namespace gradwalk::course
