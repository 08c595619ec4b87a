#include "lessons/11_many_heads/lookups.h"

#include <fmt/format.h>

#include <memory>
#include <tuple>

#include "lessons/course/engine/memo.h"
#include "tensor/layout.h"
#include "tensor/reduce.h"

namespace gradwalk::lesson_11 {
namespace {

constexpr std::int64_t kTestPages = 1024;

std::unique_ptr<TrainedLookup> train_lookup(const course::Step& step, const LookupOptions& options,
                                            std::int64_t seed, std::int64_t seeds) {
  MultiLookupModel::Options of_model{.questions = options.questions};
  of_model.dictionary.attention.num_heads = options.heads;
  of_model.dictionary.attention.head_dim = options.head_dim;
  // In place: a module does not move.
  std::unique_ptr<TrainedLookup> trained(new TrainedLookup{
      .model = {nn::Seed(step.seed()) / fmt::format("many_heads/lookup {}", seed), of_model},
      .score = {}});
  Generator pages = step.generator(fmt::format("pages {}", seed));
  Generator tests = step.generator(fmt::format("test pages {}", seed));
  const auto updates = static_cast<int>(options.updates);
  train_multi_lookup(
      trained->model,
      {.steps = updates, .until = 0.01, .progress = step.training_progress(seed, seeds, updates)},
      pages);
  trained->score = multi_lookup_score(trained->model, kTestPages, tests);
  return trained;
}

}  // namespace

const TrainedLookup& trained_lookup(const course::Step& step, const LookupOptions& options,
                                    std::int64_t seed, std::int64_t seeds) {
  using Key = std::tuple<std::uint64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                         std::int64_t>;
  static course::Memo<Key, std::unique_ptr<TrainedLookup>> memo;
  const std::int64_t head_dim = options.head_dim > 0 ? options.head_dim : 32 / options.heads;
  const Key key{step.seed(), seed, options.heads, head_dim, options.questions, options.updates};
  return *memo(key, [&] { return train_lookup(step, options, seed, seeds); });
}

LookupSpread lookup_over_seeds(const course::Step& step, const LookupOptions& options,
                               std::int64_t seeds) {
  std::vector<double> each, all, set;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const TrainedLookup& trained = trained_lookup(step, options, seed, seeds);
    each.push_back(trained.score.each);
    all.push_back(trained.score.all);
    set.push_back(trained.score.set);
  }
  return {course::spread_of(each), course::spread_of(all), course::spread_of(set)};
}

LookupAttention lookup_attention(const MultiLookupModel& model, Generator page) {
  const NoGrad no_grad;
  const MultiLookupBatch batch = model.draw(1, page);
  nn::AttentionTrace trace;
  const Tensor logits = model(batch, &trace).value();
  const auto of_question = [](const Variable& all) {
    return select(select(all.value(), 0, 0), 1, -1);
  };
  LookupAttention attention;
  attention.query = of_question(trace.query);
  attention.keys = select(trace.key.value(), 0, 0);
  attention.scores = of_question(trace.scaled_scores);
  attention.weights = of_question(trace.weights);
  attention.expected = select(batch.answers, 0, 0);
  attention.named = argmax(select(logits, 0, 0), -1);
  for (std::int64_t card = 0; card < batch.keys.shape()[1]; ++card) {
    std::string label = fmt::format("{}={}", batch.keys.at({0, card}), batch.values.at({0, card}));
    for (std::int64_t question = 0; question < batch.places.shape()[1]; ++question) {
      if (batch.places.at({0, question}) == static_cast<double>(card)) {
        label += fmt::format(" {}", static_cast<char>('a' + question));
      }
    }
    attention.cards.push_back(label);
  }
  attention.cards.push_back("?");
  return attention;
}

}  // namespace gradwalk::lesson_11
