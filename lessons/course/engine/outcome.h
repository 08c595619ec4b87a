#pragma once

#include "lessons/course/engine/catalogue.h"
#include "lessons/course/engine/record.h"

namespace gradwalk::course {

/// How a command ends.
enum class Exit {
  kOk = 0,         ///< at least one check was made and every outcome is the catalogued one
  kChanged = 1,    ///< a measured outcome differs from the catalogue, or a check failed
  kUsage = 2,      ///< the command line is wrong
  kUndecided = 3,  ///< inconclusive, vacuous, or nothing ran
  kInput = 4,      ///< unreadable or inconsistent input file
  kNonfinite = 5,  ///< unexpected NaN or Inf
  kInternal = 6,   ///< our own fault
  kInterrupted = 130,
  kTerminated = 143
};

/// The one of two that wins: interrupted, 6, 5, 4, 2, 1, 3, 0.
Exit worse(Exit a, Exit b);

/// What a claim's verdict alone makes of the exit code.
Exit exit_of(Verdict verdict);

/// The claims of a run, in order, with those that no step stated.
std::vector<const ClaimRecord*> claims_of(const RunRecord& run);

/// Did the outcome come out otherwise than the one that the catalogue's verdict stands for? An
/// unclear one did not.
bool flipped(const ClaimRecord& claim);

/// Must the breaks of this run flip the claim, going by the catalogue?
bool must_flip(const std::string& claim, const RunRecord& run, const Catalogue& catalogue);

/// The exit code of one run. With a break on, checks do not count, and claims count by whether
/// exactly the listed ones flip.
Exit exit_of(const RunRecord& run, const Catalogue& catalogue);

}  // namespace gradwalk::course
