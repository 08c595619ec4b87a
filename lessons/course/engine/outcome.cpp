#include "lessons/course/engine/outcome.h"

#include <algorithm>
#include <array>

namespace gradwalk::course {
namespace {

constexpr std::array kOrder = {Exit::kInterrupted, Exit::kTerminated, Exit::kInternal,
                               Exit::kNonfinite,   Exit::kInput,      Exit::kUsage,
                               Exit::kChanged,     Exit::kUndecided,  Exit::kOk};

// A plain check or a gradient's badge: the number of them, and whether one failed.
struct Checks {
  int made = 0;
  bool failed = false;

  void add(bool ok) {
    ++made;
    failed = failed || !ok;
  }
};

Checks checks_of(const RunRecord& run) {
  Checks checks;
  for (const auto& step : run.steps) {
    for (const CheckRecord& check : step->checks) checks.add(check.ok);
    for (const TensorRecord& tensor : step->tensors) {
      if (tensor.badge) checks.add(tensor.badge->ok());
    }
  }
  return checks;
}

Exit exit_with_break(const ClaimRecord& claim, const RunRecord& run, const Catalogue& catalogue) {
  if (claim.verdict == Verdict::kSkipped) return Exit::kOk;
  if (claim.verdict == Verdict::kVacuous || claim.verdict == Verdict::kInconclusive) {
    return Exit::kUndecided;
  }
  return flipped(claim) == must_flip(claim.id, run, catalogue) ? Exit::kOk : Exit::kChanged;
}

}  // namespace

Exit worse(Exit a, Exit b) {
  return std::find(kOrder.begin(), kOrder.end(), a) < std::find(kOrder.begin(), kOrder.end(), b)
             ? a
             : b;
}

Exit exit_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kChanged:
      return Exit::kChanged;
    case Verdict::kInconclusive:
    case Verdict::kVacuous:
      return Exit::kUndecided;
    default:
      return Exit::kOk;
  }
}

std::vector<const ClaimRecord*> claims_of(const RunRecord& run) {
  std::vector<const ClaimRecord*> claims;
  for (const auto& step : run.steps) {
    for (const ClaimRecord& claim : step->claims) claims.push_back(&claim);
  }
  for (const ClaimRecord& claim : run.not_run) claims.push_back(&claim);
  return claims;
}

bool flipped(const ClaimRecord& claim) {
  const Outcome outcome = claim.outcome();
  if (claim.cases <= 0 || outcome.as_stated == Truth::kUnclear ||
      outcome.right == Truth::kUnclear) {
    return false;
  }
  return outcome != outcome_of(claim.expected_verdict);
}

bool must_flip(const std::string& claim, const RunRecord& run, const Catalogue& catalogue) {
  return std::any_of(run.breaks.begin(), run.breaks.end(), [&](const std::string& one) {
    return catalogue.flips(run.lesson, one).contains(claim);
  });
}

Exit exit_of(const RunRecord& run, const Catalogue& catalogue) {
  Exit code = Exit::kOk;
  for (const auto& step : run.steps) {
    if (!step->nonfinite.empty()) code = worse(code, Exit::kNonfinite);
  }
  const bool broken = !run.breaks.empty();
  int decided = 0;
  for (const ClaimRecord* claim : claims_of(run)) {
    code = worse(code, broken ? exit_with_break(*claim, run, catalogue) : exit_of(claim->verdict));
    if (claim->verdict != Verdict::kSkipped) ++decided;
  }
  const Checks checks = checks_of(run);
  if (!broken && checks.failed) code = worse(code, Exit::kChanged);
  const bool nothing_ran = decided == 0 && (broken || checks.made == 0);
  if (nothing_ran && !run.left) code = worse(code, Exit::kUndecided);
  return code;
}

}  // namespace gradwalk::course
