#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lessons/16_direction_probe/one_head.h"
#include "lessons/16_direction_probe/steps/common.h"
#include "lessons/16_direction_probe/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/scatter.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/task.h"
#include "nn/statistics/rank_correlation.h"

namespace gradwalk::lesson_16 {
namespace {

using course::Evidence;
using course::Step;
using tasks::NumberTask;

constexpr double kAlike = 0.5;  // cosine of the matrices

constexpr double kFits = 1;  // Cohen's d, whatever its sign

constexpr double kTells = 0.6;  // rank correlation

constexpr double kFChanged = 0.3;  // of F

// Models of one kind.
struct Kind {
  Asked asked;
  std::string name;
  std::string mark;
  std::vector<double> similarities = {}, gaps = {};
};

MatrixSimilarity similarity_of(const OneHead& head) {
  return matrix_similarity(head.query_weight, head.key_weight);
}

std::vector<double> sizes(std::vector<double> values) {
  for (double& value : values) value = std::abs(value);
  return values;
}

struct BasisFacts {
  double smallest_change = 1e9;  // of F, relative
  double changed = 0;            // share of the bases that change it by more than kFChanged
  double off = 0;                // scores, nats
  double product_off = 0;        // of sum W_Q W_K, relative to |W_Q| |W_K|
};

// Writes the heads of the models that look for numbers in other bases; a table of the first.
BasisFacts in_other_bases(Step& step, const NumberTask& task) {
  const bool rotated = step.broken("rotated");
  const std::int64_t models = step.whole("seeds"), bases = step.whole("bases");
  BasisFacts facts;
  auto table = step.table("model 0, numbers wanted: the same head in other bases",
                          {"W_Q.W_K", "|W_Q| |W_K|", "F", "gap", "z, off"});
  table.digits({3, 2, 4, 3, -1});
  for (std::int64_t model = 0; model < models; ++model) {
    const OneHead head = head_of(*model_for(step, Asked::kNumbers, model));
    const MatrixSimilarity before = similarity_of(head);
    const tasks::Alignment as_trained = tasks::alignment(head.query(), head.keys(), task);
    if (model == 0) {
      table.row("as trained",
                {before.product, before.lengths, before.cosine(), as_trained.gap(), 0});
    }
    for (std::int64_t basis = 1; basis <= bases; ++basis) {
      const OneHead other =
          in_basis(head, random_basis(step, fmt::format("{}.{}", model, basis), rotated));
      const MatrixSimilarity after = similarity_of(other);
      const tasks::Alignment found = tasks::alignment(other.query(), other.keys(), task);
      const double off = course::distance(found.match.logits, as_trained.match.logits);
      const double change = std::abs(after.cosine() / before.cosine() - 1);
      facts.smallest_change = std::min(facts.smallest_change, change);
      facts.changed += (change > kFChanged ? 1.0 : 0.0) / static_cast<double>(models * bases);
      facts.off = std::max(facts.off, off);
      facts.product_off =
          std::max(facts.product_off, std::abs(after.product - before.product) / before.lengths);
      if (model > 0) continue;
      table.row(fmt::format("basis {}", basis),
                {after.product, after.lengths, after.cosine(), found.gap(), off});
    }
  }
  return facts;
}

void draw(Step& step, const std::vector<Kind>& kinds) {
  auto& scatter = step.picture(course::Scatter(
      "each mark a model: # numbers wanted, n nouns wanted, 0 untrained", "10 F", "gap"));
  for (const Kind& kind : kinds) {
    for (std::size_t i = 0; i < kind.gaps.size(); ++i) {
      scatter.point(kind.mark, 10 * kind.similarities[i], kind.gaps[i], kind.gaps[i]);
    }
  }
}

}  // namespace

void matrices_compared(Step& step) {
  const std::int64_t models = step.whole("seeds");
  const NumberTask task = training_for(step, Asked::kNumbers).task;
  step.formula("W_Q.W_K = sum_rj W_Q[r,j] W_K[r,j]      W_Q, W_K [8,16]");
  step.formula("F = W_Q.W_K / (|W_Q| |W_K|), in [-1, 1]      |W|: root of W.W");
  step.formula("W_Q.W_K = sum_j (W_Q e_j).(W_K e_j): each axis e_j asks itself");
  step.formula("attention: z_i = (W_Q h_CLS).(W_K h_i) / sqrt(8): [CLS] asks others");
  step.formula("gap: of cosines, numbers - nouns      order: rank correlation");
  std::vector<Kind> kinds = {{Asked::kNumbers, "numbers wanted", "#"},
                             {Asked::kNouns, "nouns wanted", "n"},
                             {Asked::kNothing, "untrained", "0"}};
  auto table =
      step.table(fmt::format("{} models of each kind (random matrices: F is 0 +-0.09)", models),
                 {"gap", "F low", "F mean", "F high", "order"});
  std::vector<double> similarities, gaps, of_trained;
  double weakest = 1e9;
  for (Kind& kind : kinds) {
    for (std::int64_t model = 0; model < models; ++model) {
      const OneHead head = head_of(*model_for(step, kind.asked, model));
      const tasks::Alignment found = tasks::alignment(head.query(), head.keys(), task);
      kind.similarities.push_back(similarity_of(head).cosine());
      kind.gaps.push_back(found.gap());
      if (kind.asked == Asked::kNothing) continue;
      of_trained.push_back(std::abs(kind.similarities.back()));
      weakest = std::min(weakest, std::abs(found.match.of_cosines.cohens_d));
    }
    const course::Spread f = course::spread_of(kind.similarities);
    const double order = models > 1 ? nn::spearman(kind.similarities, sizes(kind.gaps)) : 0;
    table.digits(2).row(kind.name,
                        {course::spread_of(kind.gaps).mean, f.lowest, f.mean, f.highest, order},
                        kind.asked == Asked::kNumbers ? "order: F and |gap|, a hint" : "");
    similarities.insert(similarities.end(), kind.similarities.begin(), kind.similarities.end());
    gaps.insert(gaps.end(), kind.gaps.begin(), kind.gaps.end());
  }
  const double tells = nn::spearman(similarities, gaps);
  const course::Spread size = course::spread_of(of_trained);
  step.number("order of F and gap", tells,
              fmt::format("of all {} models; chance gives 0 +-{:.2f}", gaps.size(),
                          1 / std::sqrt(static_cast<double>(gaps.size()) - 1)),
              2);
  step.number("mean |F|, trained", size.mean, "", 2);
  step.number("smallest |d|, trained", weakest, "Cohen's d: every query fits its kind", 2);
  draw(step, kinds);
  const BasisFacts facts = in_other_bases(step, task);
  step.number("F moved by > 30 %", facts.changed,
              fmt::format("share of {} bases", models * step.whole("bases")), 3);
  step.number("F moved at least by", facts.smallest_change, "as a share of F", 3);
  step.predict("Queries fit their keys with |d| > 1. How alike are W_Q and W_K as matrices?",
               {"alike: F above 0.5", "hardly: |F| below 0.5", "opposite: F below -0.5"},
               size.mean < kAlike                                  ? 1
               : course::spread_of(kinds[0].similarities).mean > 0 ? 0
                                                                   : 2);
  step.check("W_Q.W_K is the same in every basis", facts.product_off < 1e-9,
             "only the lengths move, and F with them");
  const bool says_nothing = size.mean < kAlike && weakest > kFits && std::abs(tells) < kTells;
  step.claim(
          "A25", Evidence::kTensor,
          /*cases=*/models * static_cast<std::int64_t>(kinds.size()) + models * step.whole("bases"))
      .seeds(static_cast<int>(models))
      .as_stated(says_nothing)
      .right(says_nothing && facts.changed >= kBases && facts.off < kSameScores)
      .value(tells)
      .expected("mean |F| < 0.5 where |d| > 1; |order| < 0.6; 2/3 of the bases > 30 % off, z 1e-5")
      .tolerance(fmt::format("bounds of the rule; d in every model; 0.6 is {:.1f} SE of no order",
                             0.6 * std::sqrt(static_cast<double>(gaps.size()) - 1)))
      .found(fmt::format("|F| {:.2f}, |d| > {:.2f}, order {:.2f}; {:.0f} % of the bases move F",
                         size.mean, weakest, tells, 100 * facts.changed));
  step.why(
      "W_Q.W_K sums the diagonal of W_Q^T W_K, and F divides by lengths that the basis sets. "
      "Attention asks that table what [CLS] has to say to others.");
  step.try_next(
      {"./gradwalk run 16 --claim=A25 --break=rotated", "./gradwalk run 16 --claim=A25 --predict"});
}

}  // namespace gradwalk::lesson_16
