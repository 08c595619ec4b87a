#include "lessons/22_values_and_collapse/key_spread.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "lessons/course/engine/memo.h"
#include "nn/diagnostics/collapse.h"
#include "nn/diagnostics/pca.h"
#include "nn/statistics/rank_correlation.h"
#include "tensor/create.h"
#include "tensor/join.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_22 {
namespace {

constexpr std::int64_t kNouns = 4;

KeySpread::Half half_of(const Tensor& z, const Tensor& places, const Tensor& other_places) {
  const std::vector<double> worth = arange(0, places.shape()[0]).to_vector();
  return {.pairs = nn::ordered_pairs(z),
          .spread = nn::low_half_spread(concat({places, other_places}, 0)),
          .order = std::abs(nn::spearman(places.to_vector(), worth))};
}

KeySpread look_at(const tasks::ClsModel& model, const tasks::NumberTask& task, std::uint64_t seed) {
  const auto right = [&](const tasks::NumberTask& of) {
    return number_score(model, of, tasks::number_tests(of, seed, kTestTexts)).accuracy;
  };
  const tasks::Alignment alignment = tasks::alignment(model, task);
  KeySpread measures;
  measures.own = right(task);
  measures.pair = task.question == tasks::NumberQuestion::kMax
                      ? right(texts_with(2, tasks::NumberDraw::kUniform))
                      : std::numeric_limits<double>::quiet_NaN();
  measures.rho = alignment.rho;
  measures.z = contiguous(tasks::number_rows(alignment.match.logits, task));
  measures.all = nn::ordered_pairs(measures.z);
  measures.head = cls_head(model);
  const nn::Pca axes = nn::pca(tasks::number_rows(measures.head.keys, task));
  measures.share = axes.variance_ratio.at({0});
  const Tensor places = select(axes.projections, 1, 0);
  const auto low = [&](const Tensor& x) { return slice(x, 0, 0, task.numbers / 2); };
  const auto high = [&](const Tensor& x) { return slice(x, 0, task.numbers / 2, task.numbers); };
  measures.low = half_of(low(measures.z), low(places), high(places));
  measures.high = half_of(high(measures.z), high(places), low(places));
  return measures;
}

}  // namespace

tasks::NumberTask texts_with(std::int64_t numbers, tasks::NumberDraw draw) {
  return {.draw = draw, .tokens = numbers + kNouns, .fewest = numbers, .most = numbers};
}

std::vector<const KeySpread*> key_spreads(const course::Step& step,
                                          const tasks::NumberTraining& training,
                                          std::int64_t models) {
  static course::Memo<std::pair<tasks::NumberTraining, std::uint64_t>, KeySpread> memo;
  std::vector<const KeySpread*> all;
  for (std::int64_t i = 0; i < models; ++i) {
    const std::uint64_t seed = 100 * step.seed() + static_cast<std::uint64_t>(i);
    all.push_back(&memo({training, seed}, [&] {
      const auto trained =
          trained_number_model(training, seed, step.training_progress(i, models, training.updates));
      return look_at(*trained.model, training.task, seed);
    }));
  }
  return all;
}

bool all_below(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), std::less<>());
}

}  // namespace gradwalk::lesson_22
