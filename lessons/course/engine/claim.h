#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradwalk::course {

/// What a measurement says about a statement.
enum class Truth { kNo, kYes, kUnclear };

constexpr Truth truth(bool holds) { return holds ? Truth::kYes : Truth::kNo; }

/// What a verdict rests on. A formula is never reported as measured.
enum class Evidence {
  kTensor,   ///< computed values
  kCounted,  ///< instrumented multiply-adds or bytes
  kClock,    ///< min, median, max of several runs
  kDerived   ///< algebra
};

enum class Verdict {
  kReproduced,
  kQualified,
  kCorrected,
  kRefuted,
  kNotReproduced,
  kChanged,       ///< a measured outcome differs from the catalogue
  kInconclusive,  ///< the interval straddles the bound
  kVacuous,       ///< no case was examined, or the control did not flip
  kSkipped        ///< not asked for, left with q, or too costly under --quick
};

const char* name(Truth truth);
const char* name(Evidence evidence);
const char* name(Verdict verdict);  ///< as printed, such as "NOT REPRODUCED"

/// The verdict that is printed as `text`.
std::optional<Verdict> verdict_named(std::string_view text);

/// What came out: whether the article's own statement holds, and whether our right statement does.
struct Outcome {
  Truth as_stated = Truth::kUnclear;
  Truth right = Truth::kUnclear;

  bool operator==(const Outcome&) const = default;
};

/// The outcome that a catalogue verdict stands for: (yes, yes) for REPRODUCED and QUALIFIED, else
/// (no, yes).
Outcome outcome_of(Verdict verdict);

/// The control of a claim: the same step with a named break on.
struct ControlRecord {
  std::string name;
  bool ran = false;
  bool flipped = false;  ///< the outcome differs from the unbroken one
  std::string found;     ///< what the claim found with the break on
};

/// Everything that one run says about one claim.
struct ClaimRecord {
  std::string id;
  Evidence evidence = Evidence::kTensor;
  std::int64_t cases = 0;
  int seeds = 1;  ///< over how many seeds together the cases were drawn
  std::optional<Truth> as_stated;
  std::optional<Truth> right;
  std::optional<double> value;
  std::optional<double> interval_low;
  std::optional<double> interval_high;
  std::string expected;
  std::string tolerance;
  std::string found;        ///< short text for the ledger
  std::string skip_reason;  ///< not empty: SKIPPED

  ControlRecord control;
  Verdict verdict = Verdict::kSkipped;
  Verdict expected_verdict = Verdict::kSkipped;
  double seconds = 0;

  Outcome outcome() const;
};

/// The verdict by the rules of the ledger: SKIPPED, then VACUOUS (no case, or a control that ran
/// and did not flip), then INCONCLUSIVE, then the expected verdict or CHANGED.
Verdict decide(const ClaimRecord& claim, Verdict expected);

/// What a lesson fills in for a claim.
class Claim {
 public:
  Claim(std::vector<ClaimRecord>* claims, std::size_t at) : claims_(claims), at_(at) {}

  /// Does the article's own statement hold, going by what was measured?
  Claim& as_stated(bool holds) { return as_stated(truth(holds)); }
  Claim& as_stated(Truth holds);

  /// Does our right statement hold?
  Claim& right(bool holds) { return right(truth(holds)); }
  Claim& right(Truth holds);

  /// Over how many seeds were the cases drawn? The predicates are about all of them.
  Claim& seeds(int seeds);

  Claim& value(double value);                ///< the measured number
  Claim& interval(double low, double high);  ///< where it lies, by sampling error
  Claim& expected(std::string text);         ///< what the right statement says it should be
  Claim& tolerance(std::string text);        ///< with its reason, such as "4 SE, N=4096"
  Claim& found(std::string text);            ///< short text for the ledger
  Claim& skip(std::string reason);  ///< not treated in this run, such as "too costly under --quick"

 private:
  ClaimRecord& record() { return (*claims_)[at_]; }

  std::vector<ClaimRecord>* claims_;
  std::size_t at_;
};

}  // namespace gradwalk::course
