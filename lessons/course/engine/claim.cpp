#include "lessons/course/engine/claim.h"

#include <array>
#include <utility>

namespace gradwalk::course {
namespace {

constexpr std::array kVerdictNames = {
    std::pair{Verdict::kReproduced, "REPRODUCED"},
    std::pair{Verdict::kQualified, "QUALIFIED"},
    std::pair{Verdict::kCorrected, "CORRECTED"},
    std::pair{Verdict::kRefuted, "REFUTED"},
    std::pair{Verdict::kNotReproduced, "NOT REPRODUCED"},
    std::pair{Verdict::kChanged, "CHANGED"},
    std::pair{Verdict::kInconclusive, "INCONCLUSIVE"},
    std::pair{Verdict::kVacuous, "VACUOUS"},
    std::pair{Verdict::kSkipped, "SKIPPED"},
};

}  // namespace

const char* name(Truth truth) {
  switch (truth) {
    case Truth::kNo:
      return "no";
    case Truth::kYes:
      return "yes";
    case Truth::kUnclear:
      return "unclear";
  }
  return "?";
}

const char* name(Evidence evidence) {
  switch (evidence) {
    case Evidence::kTensor:
      return "tensor";
    case Evidence::kCounted:
      return "counted";
    case Evidence::kClock:
      return "clock";
    case Evidence::kDerived:
      return "derived";
  }
  return "?";
}

const char* name(Verdict verdict) {
  for (const auto& [value, text] : kVerdictNames) {
    if (value == verdict) return text;
  }
  return "?";
}

std::optional<Verdict> verdict_named(std::string_view text) {
  for (const auto& [value, known] : kVerdictNames) {
    if (text == known) return value;
  }
  return std::nullopt;
}

Outcome outcome_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kReproduced:
    case Verdict::kQualified:
      return {Truth::kYes, Truth::kYes};
    case Verdict::kCorrected:
    case Verdict::kRefuted:
    case Verdict::kNotReproduced:
      return {Truth::kNo, Truth::kYes};
    default:
      return {Truth::kUnclear, Truth::kUnclear};
  }
}

Outcome ClaimRecord::outcome() const {
  return {as_stated.value_or(Truth::kUnclear), right.value_or(Truth::kUnclear)};
}

Verdict decide(const ClaimRecord& claim, Verdict expected) {
  if (!claim.skip_reason.empty()) return Verdict::kSkipped;
  if (claim.cases <= 0) return Verdict::kVacuous;
  if (claim.control.ran && !claim.control.flipped) return Verdict::kVacuous;
  const Outcome outcome = claim.outcome();
  if (outcome.as_stated == Truth::kUnclear || outcome.right == Truth::kUnclear) {
    return Verdict::kInconclusive;
  }
  return outcome == outcome_of(expected) ? expected : Verdict::kChanged;
}

Claim& Claim::as_stated(Truth holds) {
  record().as_stated = holds;
  return *this;
}

Claim& Claim::right(Truth holds) {
  record().right = holds;
  return *this;
}

Claim& Claim::seeds(int seeds) {
  record().seeds = seeds;
  return *this;
}

Claim& Claim::value(double value) {
  record().value = value;
  return *this;
}

Claim& Claim::interval(double low, double high) {
  record().interval_low = low;
  record().interval_high = high;
  return *this;
}

Claim& Claim::expected(std::string text) {
  record().expected = std::move(text);
  return *this;
}

Claim& Claim::tolerance(std::string text) {
  record().tolerance = std::move(text);
  return *this;
}

Claim& Claim::found(std::string text) {
  record().found = std::move(text);
  return *this;
}

Claim& Claim::skip(std::string reason) {
  record().skip_reason = std::move(reason);
  return *this;
}

}  // namespace gradwalk::course
