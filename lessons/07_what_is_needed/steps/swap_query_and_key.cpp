#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "autograd/cross_entropy.h"
#include "autograd/variable.h"
#include "lessons/07_what_is_needed/matching.h"
#include "lessons/07_what_is_needed/steps/steps.h"
#include "lessons/07_what_is_needed/tables.h"
#include "lessons/07_what_is_needed/variants.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/bars.h"
#include "lessons/course/pictures/heatmap.h"
#include "lessons/tasks/dictionary.h"
#include "lessons/tasks/grammar.h"
#include "lessons/tasks/language_model.h"
#include "lessons/tasks/module_weight.h"
#include "lessons/tasks/training.h"
#include "nn/attention.h"
#include "nn/seed.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"
#include "tensor/random.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_07 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr std::int64_t kShownWords = 8;

constexpr std::size_t kRelabelledUpdates = 60;

// What becomes of a trained language model when W_Q and W_K change places in every layer.
struct Swap {
  double before = 0, after = 0;  // loss, nats a word
  double transposed = 0;         // how far the new scores of layer 0 are from the old ones turned
  Tensor scores = {}, swapped = {};  // [8, 8], head 0 of layer 0, without mask
  std::vector<std::string> words = {};
};

Swap swap_of(Step& step, const LanguageVariant& options, bool same_matrix) {
  const auto model = language_model(step, options);
  const auto weight = [&](std::int64_t layer, const char* which) {
    return tasks::weight_of(*model, fmt::format("layers.{}.self_attn.{}.weight", layer, which));
  };
  const tasks::LanguageModelOptions of_model = options_of(options);
  const std::vector<std::int64_t>& text = tasks::test_text(of_model, options.seed);
  const Tensor ids = tasks::text_windows(text, of_model.context, 16).inputs;
  const auto first_scores = [&] {
    const NoGrad no_grad;
    std::vector<nn::AttentionTrace> traces;
    (*model)(ids, {.traces = &traces});
    return traces.front().scaled_scores.value();  // [16, H, 32, 32]
  };
  const auto shown = [](const Tensor& scores) {
    const Tensor of_head = select(select(scores, 0, 0), 0, 0);
    return slice(slice(of_head, 0, 0, kShownWords), 1, 0, kShownWords);
  };
  for (std::int64_t layer = 0; same_matrix && layer < of_model.layers; ++layer) {
    copy_into(weight(layer, "k_proj"), weight(layer, "q_proj"));
  }
  Swap swap{.before = language_loss(*model, options)};
  const Tensor before = first_scores();
  for (std::int64_t layer = 0; layer < of_model.layers; ++layer) {
    exchange_weights(weight(layer, "q_proj"), weight(layer, "k_proj"));
  }
  const Tensor after = first_scores();
  swap.after = language_loss(*model, options);
  swap.transposed = course::relative_distance(after, transpose(before));
  swap.scores = shown(before);
  swap.swapped = shown(after);
  for (std::size_t at = 0; at < kShownWords; ++at) {
    swap.words.push_back(tasks::grammar_word(text[at]));
  }
  return swap;
}

// Losses of two look-up models while they learn. The second has W_Q where the first has W_K and
// the other way round, and asks with what is called W_K.
struct Relabelled {
  std::vector<double> usual, relabelled;
  double apart;  // largest difference of a loss, nats
};

Relabelled relabelled_run(Step& step, std::int64_t seed) {
  const auto losses = [&](bool exchanged) {
    const tasks::DictionaryModel model(
        nn::Seed(step.seed()) / fmt::format("what_is_needed/{}", seed), model_options({}));
    if (exchanged) {
      exchange_weights(tasks::weight_of(model, "attention.q_proj.weight"),
                       tasks::weight_of(model, "attention.k_proj.weight"));
    }
    Generator pages = step.generator(fmt::format("pages {}", seed));
    return tasks::train(
        model, model.parameters(), {.updates = static_cast<int>(kRelabelledUpdates)}, [&] {
          const tasks::DictionaryBatch batch =
              tasks::draw_dictionary(32, model.options().sizes, pages);
          return cross_entropy(exchanged ? with_roles_exchanged(model, batch) : model(batch),
                               batch.answer);
        });
  };
  Relabelled runs{losses(false), losses(true), 0};
  for (std::size_t i = 0; i < runs.usual.size(); ++i) {
    runs.apart = std::max(runs.apart, std::abs(runs.usual[i] - runs.relabelled[i]));
  }
  return runs;
}

}  // namespace

void swap_query_and_key(Step& step) {
  const std::int64_t seeds = step.whole("seeds");
  LanguageVariant options = language_options(step, kAll);
  options.updates = step.whole("swap_updates");
  double transposed = 0, apart = 0, least = std::numeric_limits<double>::infinity();
  Swap first{};
  Relabelled first_run{};
  step.formula("S = Q K^T      swapped: S' = K Q^T = S^T, before the mask");
  step.formula("swapped and renamed: call W_Q W_K and W_K W_Q, and let keys ask: S again");
  auto table = step.table("loss on test text, nats a word", {"trained", "swapped", "rise"});
  auto& bars = step.picture(course::Bars("loss on test text, nats a word", {"trained", "swapped"}));
  table.digits(3);
  bars.digits(3);
  for (std::int64_t model = 0; model < seeds; ++model, ++options.seed) {
    const Swap swap = swap_of(step, options, step.broken("same-matrix"));
    const Relabelled run = relabelled_run(step, model);
    if (model == 0) first = swap, first_run = run;
    transposed = std::max(transposed, swap.transposed);
    apart = std::max(apart, run.apart);
    least = std::min(least, swap.after - swap.before);
    const std::string name = fmt::format("model {}", model);
    table.row(name, {swap.before, swap.after, swap.after - swap.before});
    bars.group(name, {swap.before, swap.after});
  }
  step.number("|S' - S^T|", transposed, "layer 0 of 16 windows, share of the largest score");
  auto runs =
      step.table("look-up models, loss in nats: the same start, renamed", {"usual", "renamed"});
  runs.digits(6);
  for (const std::size_t update : {std::size_t{1}, kRelabelledUpdates / 3, kRelabelledUpdates}) {
    runs.row(fmt::format("update {}", update),
             {first_run.usual[update - 1], first_run.relabelled[update - 1]});
  }
  step.number("largest difference of a loss", apart,
              fmt::format("nats, {} updates; names are free", kRelabelledUpdates));
  step.tensor("s", first.scores)
      .axes("word that asks", "word that is asked")
      .rows(first.words)
      .columns(first.words)
      .explain(Explain::given("scores of layer 0, head 0, before the mask; trained model 0"));
  step.tensor("s_swapped", first.swapped)
      .axes("word that asks", "word that is asked")
      .rows(first.words)
      .columns(first.words)
      .explain(Explain::contraction("ji->ij", {"s"}));
  step.picture(course::Heatmap("eight words of test text: scores, and scores after the swap",
                               {"s", "s_swapped"}));
  step.predict("W_Q and W_K of a trained model change places. What happens to the loss?",
               {"nothing: a dot product does not care", "it rises by more than 0.3 nats"},
               least > 0.3 ? 1 : 0);
  const bool reversed = transposed < 1e-6 && least > 0.3;
  step.claim("B46", Evidence::kTensor,
             /*cases=*/(16 * 4 * 1024 + std::ssize(first_run.usual)) * seeds)
      .seeds(static_cast<int>(seeds))
      .as_stated(reversed)
      .right(reversed && apart < 1e-4)
      .value(least)
      .expected("scores turned, < 1e-6; loss rises by > 0.3 nats; renamed: equal")
      .tolerance("0.3 is the claim's, in every model; renamed 1e-4, rounding over 60 updates")
      .found(fmt::format("turned to {:.1g}; loss +{:.2f} at least; renamed off by {:.1g}",
                         transposed, least, apart));
  step.why(
      "Who asks whom is turned round, and the mask then lets through the other half. But which "
      "matrix is called W_Q is a name: rename both and nothing has changed.");
  step.try_next({"./gradwalk run 7 --claim=B46 --break=same-matrix",
                 "./gradwalk run 7 --claim=B46 --predict"});
}

}  // namespace gradwalk::lesson_07
