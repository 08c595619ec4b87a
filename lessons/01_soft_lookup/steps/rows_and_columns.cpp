#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lessons/01_soft_lookup/lookup.h"
#include "lessons/01_soft_lookup/steps/common.h"
#include "lessons/01_soft_lookup/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/pictures/heatmap.h"
#include "tensor/create.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"

namespace gradwalk::lesson_01 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

}  // namespace

void rows_and_columns(Step& step) {
  const bool flat = step.broken("flat-scores");
  const TokenScores six = token_scores(6, 4, step.generator("six tokens"), flat);
  const Tensor& small = six.scores;
  const Tensor small_weights = softmax(small, /*axis=*/-1);
  const std::vector<std::string> tokens = {"0", "1", "2", "3", "4", "5"};
  step.formula("S = Q K^T / sqrt(d_k)      W = softmax of each row of S      Q, K [64,32]");
  step.formula("why sqrt(d_k): lesson 5");
  step.table("six tokens with d_k = 4, to look at", tokens)
      .digits(3)
      .row("row sums of S", sum(small, 1), "any number")
      .row("row sums of W", sum(small_weights, 1), "1: each token shares out one look")
      .row("column sums of W", sum(small_weights, 0), "how much a token is looked at");
  step.tensor("Q", six.q).axes("token", "component").explain(Explain::given("N(0, 1)"));
  step.tensor("K", six.k).axes("token", "component").explain(Explain::given("N(0, 1)"));
  step.tensor("S", small)
      .axes("query", "key")
      .explain(flat ? Explain::given("all scores alike: the break")
                    : Explain::contraction("ic,jc->ij", {"Q", "K"}, 0.5));
  step.tensor("W", small_weights).axes("query", "key").explain(Explain::softmax("S"));
  step.picture(course::Heatmap("row: who looks, column: who is looked at", {"S", "W"}));
  const std::int64_t seeds = step.whole("seeds");
  const Margins sums = margins_over_seeds(step, seeds, flat);
  step.predict("Rows of W sum to 1. Do its columns?", {"yes", "no"},
               sums.column_off.highest < 1e-6 ? 0 : 1);
  step.number("lowest column sum of W", sums.lowest_column,
              fmt::format("64 tokens, {} seeds: looked at least", seeds));
  step.number("highest column sum of W", sums.highest_column, "looked at most");
  step.number("row sums of W, off 1", sums.row_off, "rounding");
  step.number("mean column sum, off 1", sums.column_mean_off, "64 looks over 64 tokens");
  const bool rows = sums.row_off < 64 * kEpsilon;
  step.claim("B22", Evidence::kTensor, /*cases=*/128 * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(rows && sums.column_off.highest < 64 * kEpsilon)
      .right(rows && sums.column_mean_off < 64 * kEpsilon && sums.raw_row_off > 0.1 &&
             sums.column_off.lowest > 0.1)
      .value(sums.column_off.mean)
      .expected("rows sum to 1; some column is > 0.1 off")
      .tolerance("64 roundings of 1: 1.4e-14; in every seed")
      .found(fmt::format("rows off {:.1g}, columns {:.2f} to {:.2f}", sums.row_off,
                         sums.lowest_column, sums.highest_column));
  step.why(
      "Softmax goes along a row: each token has one look to share out. How much a token is looked "
      "at is up to the others.");
  step.try_next({"./gradwalk run 1 --claim=B22 --break=flat-scores"});
}

}  // namespace gradwalk::lesson_01
