#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lessons/course/engine/step.h"
#include "lessons/tasks/language_model.h"

/// Heads of models that learn the grammar corpus.
namespace gradwalk::lesson_11 {

/// How the heads of a layer begin.
enum class HeadStart {
  kUsual,  ///< drawn one by one, N(0, 1/in)
  kSmall,  ///< the same with W_Q and W_K times 0.1: all maps are nearly even
  kCopies  ///< all four matrices of head 0, in each head
};

struct LanguageHeads {
  HeadStart start = HeadStart::kUsual;
  std::int64_t heads = 4;  ///< in each of two layers, 32 / heads wide
  std::int64_t batch = 16;
  std::int64_t updates = 600;
  std::uint64_t seed = 1;

  auto operator<=>(const LanguageHeads&) const = default;
};

tasks::LanguageModelOptions options_of(const LanguageHeads& heads);
std::unique_ptr<nn::CausalLm> model_of(const course::Step& step, const LanguageHeads& heads);

/// Means over the pairs of heads of a layer, over both layers and 16 windows of test text.
struct HeadsApart {
  double maps;     ///< Jensen-Shannon divergence, in bits: 0 the same map, 1 no key in common
  double outputs;  ///< cosine of what two heads add
};
HeadsApart heads_apart(const course::Step& step, const LanguageHeads& heads);

/// The first layer of a model on ten words of test text, seen from the last of them.
struct FirstLayerAttention {
  Tensor scores;   ///< [H, 10], scaled
  Tensor weights;  ///< [H, 10]
  std::vector<std::string> words;
};
FirstLayerAttention first_layer_attention(const course::Step& step, const LanguageHeads& heads);

struct HeadCost {
  std::int64_t layer;
  std::int64_t head;
  double cost;  ///< loss without it less that of the whole model, nats a word
};

/// What the model loses without a head, whose columns of W_O are set to 0. The loss is of the first
/// 200 windows of the test text.
struct Pruning {
  double loss;                  ///< of the whole model
  std::vector<HeadCost> alone;  ///< each head by itself, the cheapest first
};
const Pruning& pruning(const course::Step& step, const LanguageHeads& heads);

/// One head after the other, each time the one that is missed least: costs add up. On 50 windows.
const std::vector<HeadCost>& prune_all(const course::Step& step, const LanguageHeads& heads);

}  // namespace gradwalk::lesson_11
