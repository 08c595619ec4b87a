#pragma once

#include <string>
#include <vector>

#include "lessons/course/engine/catalogue.h"
#include "lessons/course/engine/ledger.h"
#include "lessons/course/engine/outcome.h"
#include "lessons/course/engine/record.h"
#include "lessons/course/text/text.h"

namespace gradwalk::course {

Style style_of(Verdict verdict);

/// "tensor, 3 cases"
std::string evidence_text(const ClaimRecord& claim);

/// With a break on: does the claim flip, and should it?
std::string break_text(const ClaimRecord& claim, const RunRecord& run, const Catalogue& catalogue);

/// A claim and the run it is from; without a run, as the ledger has it.
struct LedgerRow {
  const ClaimRecord* claim = nullptr;
  const RunRecord* run = nullptr;
};

/// The table of claims: claim, verdict, found, expected, evidence, control. With a break on, the
/// verdict says FLIPPED where the outcome came out otherwise, and the last column whether it
/// should.
Lines render_ledger(const std::vector<LedgerRow>& rows, const Catalogue& catalogue, int width);

/// How many of the claims have a verdict of the catalogue, or CHANGED.
int decided(const std::vector<LedgerRow>& rows);

/// One claim with everything that is known about it. `record` may be null: never run here.
Lines render_claim(const CatalogueClaim& claim, const LedgerRecord* record,
                   const Catalogue& catalogue, int width);

}  // namespace gradwalk::course
