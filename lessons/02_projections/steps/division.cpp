#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "lessons/02_projections/heads.h"
#include "lessons/02_projections/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/tasks/dictionary.h"
#include "lessons/tasks/module_weight.h"
#include "nn/seed.h"
#include "tensor/matmul.h"
#include "tensor/random.h"

namespace gradwalk::lesson_02 {
namespace {

using course::Evidence;
using course::Explain;

}  // namespace

void division(course::Step& step) {
  const std::int64_t seeds = step.whole("seeds");
  const int updates = step.broken("no-training") ? 0 : static_cast<int>(step.whole("updates"));
  step.formula(
      "x = 4 [one-hot key (16) | one-hot value (16)] stays; W_Q, W_K, W_V, W_O, W_R learn");
  step.formula("s_j = q.(W_K x_j) = a_j + b_j: key half, value half      logits likewise");
  step.formula(
      "matching: Var(a) / (Var(a) + Var(b)) of 8 scores    content: value half of 16 logits");
  auto table = step.table("after training", {"matching", "content", "right"});
  const auto count = static_cast<double>(seeds);
  double matching = 1, content = 1, right = 1;
  Division start_mean{}, end_mean{};
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    tasks::DictionaryModel model(nn::Seed(step.seed()) / fmt::format("projections/model {}", seed),
                                 {});
    freeze_one_hot(model);
    Generator pages = step.generator(fmt::format("pages {}", seed));
    Generator tests = step.generator(fmt::format("test pages {}", seed));
    const tasks::DictionaryBatch test = draw_dictionary(512, model.options().sizes, tests);
    const Division start = division_of(model, test);
    train_dictionary(model, attention_and_readout(model),
                     {.steps = updates, .progress = step.training_progress(seed, seeds, updates)},
                     pages);
    const Division end = division_of(model, test);
    const double accuracy = dictionary_accuracy(model, /*batch=*/512, tests);
    table.digits(3).row(fmt::format("seed {}", seed), {end.matching, end.content, accuracy},
                        seed == 0 ? "right: share of 512 fresh pages" : "");
    matching = std::min(matching, end.matching);
    content = std::min(content, end.content);
    right = std::min(right, accuracy);
    start_mean.matching += start.matching / count;
    start_mean.content += start.content / count;
    end_mean.matching += end.matching / count;
    end_mean.content += end.content / count;
    if (seed > 0) continue;
    step.tensor("W_K", tasks::weight_of(model, "attention.k_proj.weight"))
        .axes("out", "in: 16 of key, 16 of value")
        .explain(Explain::given("trained"));
    const Tensor w_v = tasks::weight_of(model, "attention.v_proj.weight");
    const Tensor w_o = tasks::weight_of(model, "attention.o_proj.weight");
    step.tensor("W_V", w_v)
        .axes("out", "in: 16 of key, 16 of value")
        .explain(Explain::given("trained"));
    step.tensor("W_O", w_o).axes("out", "in").explain(Explain::given("trained"));
    step.tensor("W_OV", matmul(w_o, w_v))
        .axes("out", "in: 16 of key, 16 of value")
        .explain(Explain::contraction("om,mi->oi", {"W_O", "W_V"}));
  }
  step.number("smallest share of matching", matching, "the key half's, worst seed", 3);
  step.number("smallest share of content", content, "the value half's, worst seed", 3);
  auto& bars =
      step.picture(course::Bars("share of the variance, mean of the seeds", {"before", "after"}));
  bars.digits(2)
      .group("matching: key half", {start_mean.matching, end_mean.matching})
      .group("matching: value half", {1 - start_mean.matching, 1 - end_mean.matching})
      .group("content: key half", {1 - start_mean.content, 1 - end_mean.content})
      .group("content: value half", {start_mean.content, end_mean.content});
  const bool divided = matching > 0.9 && content > 0.9;
  step.claim("B8", Evidence::kTensor, /*cases=*/1024 * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(divided)
      .right(divided && right > 0.99)
      .value(std::min(matching, content))
      .expected("both shares > 0.9 in every seed")
      .tolerance("the bound is the claim's; all seeds must pass it")
      .found(
          fmt::format("matching {:.3f}, content {:.3f}, right {:.3f}", matching, content, right));
  step.why(
      "Before training both halves do both jobs; nobody assigned them. Descent on the loss "
      "makes keys match and values speak.");
  step.try_next({"./gradwalk run 2 --claim=B8 --sweep=updates=0:400:+100",
                 "./gradwalk run 2 --claim=B8 --break=no-training"});
}

}  // namespace gradwalk::lesson_02
