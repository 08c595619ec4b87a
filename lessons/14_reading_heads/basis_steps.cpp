#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lessons/14_reading_heads/readers.h"
#include "lessons/14_reading_heads/steps.h"
#include "lessons/course/basis.h"
#include "lessons/course/measure.h"
#include "nn/diagnostics/cosine.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/linalg.h"
#include "tensor/linear.h"
#include "tensor/matmul.h"
#include "tensor/minmax.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"

namespace gradwalk::lessons {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr DType kF64 = DType::kFloat64;
constexpr std::int64_t kHeadDim = 8;
constexpr double kSameLoss = 1e-5;  // nats

GrammarReader reader_of(Step& step, std::int64_t model, std::int64_t layers) {
  return {.layers = layers,
          .updates = step.whole("language_updates") * layers / 2,
          .seed = 100 * step.seed() + static_cast<std::uint64_t>(model)};
}

QueryKeyLook look(Step& step, const GrammarReader& reader, const Tensor& r) {
  const auto model = model_of(step, reader);
  change_basis(*model, r);
  return look_at_queries(*model, reader);
}

QueryKeyLook look(Step& step, const GrammarReader& reader) {
  return look_at_queries(*model_of(step, reader), reader);
}

double mean_size(const QueryKeyLook& look) { return mean(abs(look.cosines)).item(); }

/// The largest mean cosine of a head, whatever its sign.
double largest_of_heads(const QueryKeyLook& look) {
  return course::largest(mean(look.cosines, /*axes=*/{2}));
}

}  // namespace

void another_basis(Step& step) {
  constexpr std::int64_t tokens = 6, d = 8, d_k = 4;
  const double t = step.parameter("stretch");
  Generator gen = step.generator("small head");
  const Tensor x = normal({tokens, d}, gen, kF64);
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  const course::QueryKey head{normal({d_k, d}, gen, kF64) * scale,
                              normal({d_k, d}, gen, kF64) * scale};
  const Tensor r = course::stretched_axis(d_k, t);
  const course::QueryKey other = course::in_basis(head, r);
  const Tensor q = linear(x, head.query), k = linear(x, head.key);
  const Tensor q2 = linear(x, other.query), k2 = linear(x, other.key);
  const auto weights = [&](const Tensor& queries, const Tensor& keys) {
    return softmax(matmul(queries, transpose(keys)) / 2, -1);
  };
  const Tensor w = weights(q, k), w2 = weights(q2, k2);
  const std::vector<std::string> names = {"0", "1", "2", "3", "4", "5"};
  step.formula("q = W_Q x      k = W_K x      another basis: q' = R q      k' = R^-T k");
  step.formula("q'.k' = q^T R^T R^-T k = q.k      R = diag(t, 1, 1, 1): one axis stretched");
  step.table(fmt::format("six tokens, d_k = 4, t = {}", t), names)
      .digits(3)
      .row("cos(q_i, k_i)", nn::cosine(q, k), "each token's own key")
      .row("cos(q'_i, k'_i)", nn::cosine(q2, k2), "the same head, another basis")
      .row("|q_i|", nn::length(q))
      .row("|q'_i|", nn::length(q2));
  const double off = course::relative_distance(w2, w);
  step.number("weights, off", off, "the largest difference");
  const auto record = [&](const char* name, const Tensor& values, Explain explain) {
    step.tensor(name, values).axes("token", "component").explain(std::move(explain));
  };
  step.tensor("R", r).axes("new", "old").explain(Explain::given("stretches the first axis"));
  step.tensor("R^-T", course::inverse_transpose(r))
      .axes("new", "old")
      .explain(Explain::given("inverse and transpose of R: 1 / t in its corner"));
  record("q", q, Explain::given("W_Q x, random: N(0, 1) nearly"));
  record("k", k, Explain::given("W_K x, likewise"));
  record("q'", q2, Explain::contraction("ij,tj->ti", {"R", "q"}));
  record("k'", k2, Explain::contraction("ij,tj->ti", {"R^-T", "k"}));
  const auto record_map = [&](const char* s, const char* map, const Tensor& scores,
                              const Tensor& of, std::vector<std::string> sides) {
    step.tensor(s, scores)
        .axes("query", "key")
        .explain(Explain::contraction("ic,jc->ij", std::move(sides), 0.5));
    step.tensor(map, of).axes("query", "key").explain(Explain::softmax(s));
  };
  record_map("s", "w", matmul(q, transpose(k)) / 2, w, {"q", "k"});
  record_map("s'", "w'", matmul(q2, transpose(k2)) / 2, w2, {"q'", "k'"});
  step.heatmap("weights: before and after", {"w", "w'"});
  step.check("weights stay", off < 1e-12, "float64");
  step.check("every cosine keeps its sign: q.k did not change",
             min(nn::cosine(q, k) * nn::cosine(q2, k2)).item() > 0);
  step.why(
      "A head is only the product W_Q^T W_K; how it is cut in two is a choice of basis that "
      "training makes by chance. Cosines and lengths see the cut.");
  step.try_next({"./gradwalk run 14 --set=stretch=1000", "./gradwalk run 14 --set=stretch=1"});
}

void trained_bases(Step& step) {
  const bool rotated = step.broken("rotated");
  const std::int64_t models = step.whole("seeds");
  Generator gen = step.generator("rotation");
  const Tensor rotation = svd(normal({kHeadDim, kHeadDim}, gen, kF64)).u;
  const std::vector<double> stretches = {1, 10, 100};
  step.formula("a model of the grammar corpus: 1 layer, 4 heads of 8");
  step.formula("all heads in another basis: q' = R q, k' = R^-T k      R = diag(t, 1, ..., 1)");
  auto table = step.table(fmt::format("mean of {} models", models),
                          {"loss", "off", "weights, off", "mean |cos|", "mean |q|"});
  table.digits({4, -1, -1, 3, 1});
  double off = 0, smallest_ratio = 1e9, largest_ratio = 0;
  std::vector<QueryKeyLook> plain;
  for (std::int64_t model = 0; model < models; ++model) {
    plain.push_back(look(step, reader_of(step, model, 1)));
  }
  const Tensor before = plain.front().cosines;
  Tensor after;
  const auto row = [&](const std::string& name, const Tensor& r, const std::string& note) {
    double loss = 0, change = 0, weights = 0, cosine = 0, length = 0;
    const auto n = static_cast<double>(models);
    std::vector<double> ratios;
    for (std::int64_t model = 0; model < models; ++model) {
      const QueryKeyLook& as_trained = plain[static_cast<std::size_t>(model)];
      const QueryKeyLook other = look(step, reader_of(step, model, 1), r);
      loss += other.loss / n;
      change = std::max(change, std::abs(other.loss - as_trained.loss));
      weights = std::max(weights, course::distance(other.weights, as_trained.weights));
      cosine += mean_size(other) / n;
      length += other.query_length / n;
      ratios.push_back(mean_size(other) / mean_size(as_trained));
      if (model == 0) after = other.cosines;
    }
    table.row(name, {loss, change, weights, cosine, length}, note);
    off = std::max(off, change);
    return course::spread_of(ratios);
  };
  row("turned", rotation, "R: a rotation, which keeps lengths and angles");
  for (const double t : stretches) {
    const course::Spread ratio =
        row(fmt::format("t = {}", t), rotated ? rotation : course::stretched_axis(kHeadDim, t),
            t == 1 ? "as trained; |cos|: of one word's own query and key; off: the largest" : "");
    smallest_ratio = ratio.lowest;
    largest_ratio = ratio.highest;
  }
  auto bars = step.bars("cos(q_i, k_i) of model 0: share of the words", {"t = 1", "t = 100"});
  bars.digits(3);
  const std::vector<double> old = before.to_vector(), other = after.to_vector();
  for (int bin = 0; bin < 10; ++bin) {
    const double low = -1 + 0.2 * bin;
    const auto share = [&](const std::vector<double>& all) {
      const auto inside = std::count_if(all.begin(), all.end(), [&](double c) {
        return c >= low && (c < low + 0.2 || bin == 9);
      });
      return static_cast<double>(inside) / static_cast<double>(all.size());
    };
    bars.group(fmt::format("{:4.1f} to {:4.1f}", low, low + 0.2), {share(old), share(other)});
  }
  step.predict("One axis of every head is stretched 100 times. What becomes of the loss?",
               {"it doubles", "it rises a little", "nothing"},
               off < kSameLoss ? 2
               : off < 0.5     ? 1
                               : 0);
  step.claim("B43", Evidence::kTensor, /*cases=*/models * 64 * 32 * 4)
      .seeds(static_cast<int>(models))
      .as_stated(off < kSameLoss && smallest_ratio > 0.25)
      .right(off < kSameLoss && largest_ratio < 0.25)
      .value(largest_ratio)
      .interval(smallest_ratio, largest_ratio)
      .expected("t = 100: |cos| below a quarter, loss changes by < 1e-5")
      .tolerance("the bounds are the claim's; every model; float32 losses differ by 1e-7")
      .found(fmt::format("|cos| times {:.3f} to {:.3f}, loss off by {:.1g}", smallest_ratio,
                         largest_ratio, off));
  step.why(
      "The model is the same function of its words, and the cosine has shrunk to a tenth: it tells "
      "how the head was written down, not whether it is a good one.");
  step.try_next(
      {"./gradwalk run 14 --claim=B43 --break=rotated", "./gradwalk run 14 --claim=B43 --predict"});
}

void queries_like_keys(Step& step) {
  const bool in_other_basis = step.broken("other-basis");
  const std::int64_t models = step.whole("seeds");
  const Tensor stretched = course::stretched_axis(kHeadDim, 100);
  step.formula("m_h = mean over words of cos(q_i, k_i) in head h      2 layers, 4 heads of 8");
  const double first = largest_of_heads(look(step, reader_of(step, 0, 2)));
  step.predict("How large is the largest |m_h| of the eight heads of a trained model?",
               {"below 0.1", "0.1 to 0.6", "above 0.6"},
               first < 0.1   ? 0
               : first < 0.6 ? 1
                             : 2);
  auto table = step.table("largest |m_h| of 8 heads; mean m_h of a layer",
                          {"start", "trained", "layer 0", "layer 1", "t = 100"});
  double lowest = 1e9, highest = 0, elsewhere = 0, off = 0;
  for (std::int64_t model = 0; model < models; ++model) {
    const GrammarReader reader = reader_of(step, model, 2);
    GrammarReader start = reader;
    start.updates = 0;
    const QueryKeyLook at_start = look(step, start), other = look(step, reader, stretched);
    const QueryKeyLook trained = in_other_basis ? other : look(step, reader);
    const double largest = largest_of_heads(trained);
    const Tensor by_layer = mean(trained.cosines, /*axes=*/{1, 2});
    table.digits(3).row(
        fmt::format("model {}", model),
        {largest_of_heads(at_start), largest, by_layer.at({0}), by_layer.at({1}),
         largest_of_heads(other)},
        model == 0 ? "start: before training; t = 100: trained, another basis" : "");
    lowest = std::min(lowest, largest);
    highest = std::max(highest, largest);
    elsewhere = std::max(elsewhere, largest_of_heads(other));
    off = std::max(off, std::abs(other.loss - trained.loss));
    if (model > 0) continue;
    const Tensor before = mean(at_start.cosines, /*axes=*/{2}), after = mean(trained.cosines, {2});
    step.tensor("m", after)
        .axes("layer", "head")
        .explain(Explain::given("mean of cos(q_i, k_i) over 2048 words, model 0, trained"));
    auto bars = step.bars("model 0: m_h", {"start", "trained"});
    bars.digits(3);
    for (std::int64_t layer = 0; layer < 2; ++layer) {
      for (std::int64_t head = 0; head < 4; ++head) {
        bars.group(fmt::format("layer {} head {}", layer, head),
                   {before.at({layer, head}), after.at({layer, head})});
      }
    }
  }
  step.claim("B44", Evidence::kTensor, /*cases=*/models * 8)
      .seeds(static_cast<int>(models))
      .as_stated(lowest > 0.1)
      .right(lowest > 0.1 && elsewhere < 0.1 && off < kSameLoss)
      .value(lowest)
      .interval(lowest, highest)
      .expected("largest |m_h| > 0.1 in every model; < 0.1 in another basis, same loss")
      .tolerance("the bound is the claim's; every model")
      .found(fmt::format("{:.3f} to {:.3f}; another basis {:.3f} at most, loss off by {:.1g}",
                         lowest, highest, elsewhere, off));
  step.why(
      "A word may look at words like itself, and then q and k point alike, a little. But random "
      "heads reach 0.1 to 0.2 as well, and another basis takes it all away.");
  step.try_next({"./gradwalk run 14 --claim=B44 --break=other-basis",
                 "./gradwalk run 14 --claim=B44 --predict"});
}

}  // namespace gradwalk::lessons
