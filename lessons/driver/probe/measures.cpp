#include "lessons/driver/probe/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "nn/diagnostics/collapse.h"
#include "nn/diagnostics/cosine.h"
#include "nn/diagnostics/divergence.h"
#include "nn/diagnostics/entropy.h"
#include "nn/diagnostics/head_contribution.h"
#include "nn/diagnostics/head_similarity.h"
#include "nn/diagnostics/scores.h"
#include "nn/diagnostics/value_use.h"
#include "nn/statistics/summary.h"
#include "tensor/create.h"
#include "tensor/gather.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"

namespace gradwalk::probe {
namespace {

// Singular values of more points than that take longer than all else.
constexpr std::int64_t kMostPoints = 256;

struct HeadSums {
  Mean entropy, influence;
  std::vector<Mean> weight, use;  // a place each
  std::vector<ClassMatch> classes;
};

struct LayerSums {
  Mean variance, cosine, effective_rank, rank;
  std::vector<Mean> divergence;  // [H * H]
};

double scale_of(const Tensor& weight) {
  return nn::summarize(weight.to_vector()).standard_deviation *
         std::sqrt(static_cast<double>(weight.shape()[1]));
}

// The tokens that see two keys or more; visible [..., T, S] alike for all heads.
std::vector<double> choosing(const Tensor& visible) {
  std::vector<double> rows;
  for (std::int64_t row = 0; row < visible.shape()[2]; ++row) {
    const Tensor seen = select(select(select(visible, 0, 0), 0, 0), 0, row);
    if (sum(to(seen, DType::kInt64)).item() >= 2) rows.push_back(static_cast<double>(row));
  }
  return rows;
}

// A map [T, S] as a mean over the tokens that see two keys or more, a place each: what a token
// does not see gets 0 from it.
std::vector<double> by_place(const Tensor& map, const std::vector<double>& rows) {
  std::vector<Mean> places(static_cast<std::size_t>(map.shape()[1]));
  for (const double row : rows) {
    for (std::size_t place = 0; place < places.size(); ++place) {
      places[place].add(map.at({static_cast<std::int64_t>(row), static_cast<std::int64_t>(place)}));
    }
  }
  std::vector<double> means;
  for (const Mean& place : places) means.push_back(place.value());
  return means;
}

void add_places(std::vector<Mean>& sums, const std::vector<double>& values) {
  if (sums.size() < values.size()) sums.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) sums[i].add(values[i]);
}

double influence_of(const Checkpoint& model, const Forward& whole, const Forward& without) {
  if (!model.is_causal()) {
    const Tensor before = select(whole.output, 0, 0), after = select(without.output, 0, 0);
    if (nn::length(before).item() == 0 || nn::length(after).item() == 0) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    return 1 - nn::cosine(before, after).item();
  }
  const auto next = [](const Forward& forward) {
    return softmax(to(forward.output, DType::kFloat64), -1);
  };
  return mean(nn::kl_divergence(next(whole), next(without))).item();
}

void add_layer(LayerSums& sums, const nn::AttentionTrace& trace, const Tensor& visible,
               const std::vector<double>& rows, const Tensor& after) {
  sums.variance.add(nn::score_variance(trace.scaled_scores.value(), visible));
  const Tensor ids = from_vector(rows, {std::ssize(rows)}, DType::kInt64);
  add_places(sums.divergence,
             nn::head_divergence(index_select(trace.weights.value(), 2, ids)).to_vector());
  const std::int64_t tokens = after.shape()[0];
  const Tensor points = slice(after, 0, 0, std::min(tokens, kMostPoints));
  if (tokens > 1) {
    sums.cosine.add(nn::mean_pairwise(nn::cosine(unsqueeze(points, 0), unsqueeze(points, 1))));
  }
  sums.effective_rank.add(nn::effective_rank(points));
  sums.rank.add(static_cast<double>(std::min(points.shape()[0], points.shape()[1])));
}

LayerMeasures finished(LayerMeasures layer, const LayerSums& sums) {
  layer.score_variance = sums.variance.value();
  layer.cosine = sums.cosine.value();
  layer.effective_rank = sums.effective_rank.value();
  layer.rank = sums.rank.value();
  const auto heads = static_cast<std::size_t>(std::llround(std::sqrt(sums.divergence.size())));
  Mean pairs;
  layer.least_divergence = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t a = 0; a < heads; ++a) {
    for (std::size_t b = a + 1; b < heads; ++b) {
      const double divergence = sums.divergence[a * heads + b].value();
      pairs.add(divergence);
      if (!(layer.least_divergence <= divergence)) {
        layer.least_divergence = divergence;
        layer.twin_a = static_cast<std::int64_t>(a);
        layer.twin_b = static_cast<std::int64_t>(b);
      }
    }
  }
  layer.divergence = pairs.value();
  return layer;
}

HeadMeasures finished(std::int64_t layer, std::int64_t head, const HeadSums& sums) {
  std::size_t top = 0;
  for (std::size_t place = 1; place < sums.weight.size(); ++place) {
    if (!(sums.weight[place].value() <= sums.weight[top].value())) top = place;
  }
  return {layer,
          head,
          sums.entropy.value(),
          static_cast<std::int64_t>(top),
          sums.weight[top].value(),
          sums.use[top].value(),
          sums.influence.value(),
          sums.classes};
}

// All sums over the texts.
class Sums {
 public:
  Sums(const Checkpoint& model, const std::vector<TokenClass>& classes)
      : model_(model),
        classes_(classes),
        head_count_(model.attention().num_heads),
        heads_(static_cast<std::size_t>(model.layers() * head_count_)),
        layers_(static_cast<std::size_t>(model.layers())) {
    for (HeadSums& head : heads_) head.classes.resize(classes.size());
  }

  void add(const Ids& text, const std::function<void()>& done) {
    const Forward whole = model_.run(text);
    done();
    for (std::int64_t layer = 0; layer < model_.layers(); ++layer) {
      const nn::AttentionTrace& trace = whole.traces[static_cast<std::size_t>(layer)];
      const Tensor visible = nn::visible_keys(trace.masked_scores.value());
      const std::vector<double> rows = choosing(visible);
      add_layer(layers_[static_cast<std::size_t>(layer)], trace, visible, rows,
                whole.hidden[static_cast<std::size_t>(layer + 1)]);
      const Tensor use =
          nn::value_use(trace.weights.value(),
                        nn::head_contributions(trace.value.value(), model_.weight(layer, 'o')));
      const std::vector<double> entropies =
          nn::head_entropy(trace.weights.value(), visible).to_vector();
      for (std::int64_t head = 0; head < head_count_; ++head) {
        HeadSums& sums = at(layer, head);
        const auto of_head = [&](const Tensor& x) { return select(select(x, 0, 0), 0, head); };
        sums.entropy.add(entropies[static_cast<std::size_t>(head)]);
        add_places(sums.weight, by_place(of_head(trace.weights.value()), rows));
        add_places(sums.use, by_place(of_head(use), rows));
        for (std::size_t i = 0; i < classes_.size(); ++i) {
          add_text(sums.classes[i], model_, trace, head, text, classes_[i]);
        }
        sums.influence.add(influence_of(model_, whole, model_.run(text, LeftOut{layer, head})));
        done();
      }
    }
  }

  Measures measures() const {
    Measures all{{}, measure_weights(model_)};
    for (std::int64_t layer = 0; layer < model_.layers(); ++layer) {
      const auto i = static_cast<std::size_t>(layer);
      all.layers[i] = finished(all.layers[i], layers_[i]);
      for (std::int64_t head = 0; head < head_count_; ++head) {
        all.heads.push_back(finished(layer, head, heads_[place(layer, head)]));
      }
    }
    return all;
  }

 private:
  std::size_t place(std::int64_t layer, std::int64_t head) const {
    return static_cast<std::size_t>(layer * head_count_ + head);
  }
  HeadSums& at(std::int64_t layer, std::int64_t head) { return heads_[place(layer, head)]; }

  const Checkpoint& model_;
  const std::vector<TokenClass>& classes_;
  std::int64_t head_count_;
  std::vector<HeadSums> heads_;
  std::vector<LayerSums> layers_;
};

}  // namespace

std::vector<LayerMeasures> measure_weights(const Checkpoint& model) {
  std::vector<LayerMeasures> layers;
  for (std::int64_t layer = 0; layer < model.layers(); ++layer) {
    LayerMeasures one;
    one.query_scale = scale_of(model.weight(layer, 'q'));
    one.key_scale = scale_of(model.weight(layer, 'k'));
    layers.push_back(one);
  }
  return layers;
}

Measures measure(const Checkpoint& model, const std::vector<Ids>& texts,
                 const std::vector<TokenClass>& classes, const Progress& progress) {
  const std::int64_t total = std::ssize(texts) * (1 + model.layers() * model.attention().num_heads);
  std::int64_t done = 0;
  Sums sums(model, classes);
  for (const Ids& text : texts) {
    sums.add(text, [&] {
      ++done;
      if (progress) progress(done, total);
    });
  }
  return sums.measures();
}

Comparison compare(const Checkpoint& model, const std::vector<Ids>& texts,
                   const Expected& expected) {
  if (texts.size() != expected.values.size()) {
    throw std::runtime_error(fmt::format("probe: expected {} of {} texts, as are given, got {}; {}",
                                         expected.name, texts.size(), expected.values.size(),
                                         expected.path.string()));
  }
  Comparison comparison;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Tensor& want = expected.values[i];
    Tensor got = model.run(texts[i]).output;
    if (expected.name == "cls") got = select(got, 0, 0);
    if (got.shape() != want.shape()) {
      throw std::runtime_error(fmt::format(
          "probe: expected {} {}, as the model computes it of {} tokens, got {}; {}", expected.name,
          got.shape().str(), texts[i].size(), want.shape().str(), expected.path.string()));
    }
    const std::vector<double> a = got.to_vector(), b = want.to_vector();
    for (std::size_t j = 0; j < a.size(); ++j) {
      comparison.largest = std::max(comparison.largest, std::abs(a[j] - b[j]));
      comparison.size = std::max(comparison.size, std::abs(b[j]));
    }
    comparison.numbers += std::ssize(a);
  }
  return comparison;
}

}  // namespace gradwalk::probe
