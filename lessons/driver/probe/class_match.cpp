#include "lessons/driver/probe/class_match.h"

#include <algorithm>
#include <cmath>

#include "nn/diagnostics/cosine.h"
#include "nn/statistics/summary.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::probe {
namespace {

// Places of a text, all but the one that asks.
struct Sides {
  std::vector<std::int64_t> of_class, others;
};

Sides sides_of(const Ids& text, std::int64_t asking, const TokenClass& wanted) {
  Sides sides;
  for (std::int64_t place = 0; place < std::ssize(text); ++place) {
    if (place == asking) continue;
    (wanted.has(text[static_cast<std::size_t>(place)]) ? sides.of_class : sides.others)
        .push_back(place);
  }
  return sides;
}

std::vector<double> chosen(const Tensor& x, const std::vector<std::int64_t>& places) {
  std::vector<double> values;
  for (const std::int64_t place : places) values.push_back(x.at({place}));
  return values;
}

Tensor mean_row(const Tensor& rows, const std::vector<std::int64_t>& places) {
  Tensor total = zeros({rows.shape()[1]}, DType::kFloat64);
  for (const std::int64_t place : places)
    total = total + to(select(rows, 0, place), DType::kFloat64);
  return total / static_cast<double>(places.size());
}

}  // namespace

void add_text(ClassMatch& match, const Checkpoint& model, const nn::AttentionTrace& trace,
              std::int64_t head, const Ids& text, const TokenClass& wanted) {
  const std::int64_t asking = model.is_causal() ? std::ssize(text) - 1 : 0;
  const Sides sides = sides_of(text, asking, wanted);
  if (sides.of_class.empty() || sides.others.empty()) return;

  const auto of_asking = [&](const Variable& x) {
    return select(select(select(x.value(), 0, 0), 0, head), 0, asking);
  };
  const Tensor scores = of_asking(trace.scaled_scores);
  const std::vector<double> good = chosen(scores, sides.of_class);
  const std::vector<double> other = chosen(scores, sides.others);
  std::vector<double> all = good;
  all.insert(all.end(), other.begin(), other.end());
  const double best = *std::max_element(good.begin(), good.end());
  const double spread = nn::summarize(all).standard_deviation;
  const double gap = nn::summarize(good).mean - nn::summarize(other).mean;
  match.gap.add(spread == 0 ? 0 : gap / spread);
  match.rank.add(1 + static_cast<double>(std::count_if(other.begin(), other.end(),
                                                       [&](double z) { return z > best; })));
  match.keys.add(static_cast<double>(all.size()));
  double weight = 0;
  for (const double w : chosen(of_asking(trace.weights), sides.of_class)) weight += w;
  match.weight.add(weight);

  const std::int64_t group = head * trace.key.shape()[1] / model.attention().num_heads;
  const Tensor keys = select(select(trace.key.value(), 0, 0), 0, group);
  const Tensor query = to(of_asking(trace.query), DType::kFloat64);
  match.cosine.add(nn::cosine(query, mean_row(keys, sides.of_class)).item());
  match.others_cosine.add(nn::cosine(query, mean_row(keys, sides.others)).item());
}

std::vector<std::vector<std::vector<ClassMatch>>> match_classes(
    const Checkpoint& model, const std::vector<Ids>& texts,
    const std::vector<TokenClass>& classes) {
  const auto heads = static_cast<std::size_t>(model.attention().num_heads);
  std::vector matches(static_cast<std::size_t>(model.layers()),
                      std::vector(heads, std::vector<ClassMatch>(classes.size())));
  for (const Ids& text : texts) {
    const Forward forward = model.run(text);
    for (std::size_t layer = 0; layer < matches.size(); ++layer) {
      for (std::size_t head = 0; head < heads; ++head) {
        for (std::size_t i = 0; i < classes.size(); ++i) {
          add_text(matches[layer][head][i], model, forward.traces[layer],
                   static_cast<std::int64_t>(head), text, classes[i]);
        }
      }
    }
  }
  return matches;
}

}  // namespace gradwalk::probe
