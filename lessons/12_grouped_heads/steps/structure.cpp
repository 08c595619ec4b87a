#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/cross_entropy.h"
#include "autograd/variable.h"
#include "lessons/12_grouped_heads/steps/steps.h"
#include "lessons/12_grouped_heads/variants.h"
#include "lessons/course/engine/claim.h"
#include "lessons/tasks/language_model.h"
#include "nn/causal_lm.h"
#include "nn/module.h"
#include "nn/training/batches.h"

namespace gradwalk::lesson_12 {
namespace {

using course::Evidence;
using course::Step;

// The loss of a model on windows, nats a word, once its gradients are there too; none if it cannot
// read them.
std::optional<double> loss_with_gradients(nn::CausalLm& model, const nn::TokenBatch& windows) {
  try {
    const Variable loss = cross_entropy(model(windows.inputs), windows.targets);
    backward(loss);
    return loss.value().item();
  } catch (const std::out_of_range&) {
    return std::nullopt;
  }
}

}  // namespace

void structure(Step& step) {
  const bool fewer_positions = step.broken("fewer-positions");
  constexpr std::int64_t heads = 8, words = 32;
  tasks::LanguageModelOptions options{.heads = heads, .context = words};
  const auto windows =
      tasks::text_windows(tasks::training_text(options, step.seed()), words, options.batch);
  step.formula("models of a little language: 40 words, d = 32, 2 layers, 8 heads");
  step.formula("W_K, W_V: [4 G, 32] for G kv heads of 4");
  step.formula("all others have their shape from d, the query heads and the words");
  const auto mha = tasks::new_language_model(options, step.seed());
  const std::vector<std::string> shown = {
      "embed_tokens",     "embed_positions",  "self_attn.q_proj", "self_attn.k_proj",
      "self_attn.v_proj", "self_attn.o_proj", "mlp.up_proj",      "lm_head"};
  std::vector<std::vector<double>> rows(shown.size());
  std::vector<double> losses;  // of those that read the windows
  std::vector<std::string> readers;
  const std::vector<std::int64_t> all = {heads, 2, 1};
  std::vector<std::string> columns;
  bool only_keys_and_values = true;
  std::int64_t cases = 0;
  std::size_t changed = 0;
  for (const std::int64_t kv_heads : all) {
    options.kv_heads = fewer_positions ? heads : kv_heads;
    options.context = fewer_positions ? words * kv_heads / heads : words;
    const auto model = tasks::new_language_model(options, step.seed());
    columns.push_back(variant_name(heads, kv_heads));
    if (const auto loss = loss_with_gradients(*model, windows)) {
      losses.push_back(*loss);
      readers.push_back(columns.back());
    }
    const nn::StateDict state = model->state_dict();
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const auto at = std::find_if(state.begin(), state.end(), [&](const auto& named) {
        return named.first.find(shown[i]) != std::string::npos;
      });
      rows[i].push_back(static_cast<double>(at->second.numel()));
    }
    if (kv_heads == heads) continue;
    const Differences found = differences(*mha, *model);
    changed = found.shapes.size();
    only_keys_and_values = only_keys_and_values && found.names.empty() &&
                           changed == static_cast<std::size_t>(2 * options.layers);
    for (const std::string& name : found.shapes) {
      only_keys_and_values = only_keys_and_values &&
                             (name.ends_with("k_proj.weight") || name.ends_with("v_proj.weight"));
    }
    cases += found.same + static_cast<std::int64_t>(changed) + 1;
  }
  const bool reads = readers.size() == all.size();
  step.predict("A model is built with 2 kv heads in place of 8. What of the rest has to change?",
               {"nothing", "W_O, which reads the heads", "the training text, too"},
               !reads                 ? 2
               : only_keys_and_values ? 0
                                      : 1);
  auto table =
      step.table("numbers in parameters, of the first layer where there are several", columns);
  for (std::size_t i = 0; i < shown.size(); ++i) table.digits(0).row(shown[i], rows[i]);
  step.number("parameters with another shape", static_cast<double>(changed),
              fmt::format("of {}, MQA against MHA", mha->state_dict().size()));
  step.table("16 windows of the training text, the same for all, before any training", readers)
      .digits(4)
      .row("loss", losses, "nats a word; with gradients");
  step.claim("B41", Evidence::kCounted, cases)
      .as_stated(reads)
      .right(reads && only_keys_and_values)
      .value(static_cast<double>(changed))
      .expected("all read the same windows; other shapes: k_proj, v_proj only")
      .tolerance("exact")
      .found(fmt::format("other shapes: {}, {}; windows {}", changed,
                         only_keys_and_values ? "of k_proj, v_proj" : "elsewhere",
                         reads ? "fit all" : "do not fit"));
  step.why(
      "Sharing happens inside a layer, between its keys and its queries. What goes in and comes "
      "out "
      "is [words, d] whatever G is.");
  step.try_next({"./gradwalk run 12 --claim=B41 --break=fewer-positions",
                 "./gradwalk run 12 --claim=B41 --predict"});
}

}  // namespace gradwalk::lesson_12
