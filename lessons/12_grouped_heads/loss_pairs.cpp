#include "lessons/12_grouped_heads/loss_pairs.h"

#include <utility>

#include "lessons/course/engine/memo.h"
#include "lessons/tasks/language_model.h"
#include "nn/statistics/summary.h"
#include "nn/statistics/t_test.h"

namespace gradwalk::lesson_12 {
namespace {

// @param run  of so many trainings of the same length, for the progress that is shown
double loss_of(const course::Step& step, std::int64_t kv_heads, std::int64_t pair,
               std::int64_t updates, std::int64_t run, std::int64_t runs) {
  const tasks::LanguageModelOptions options{
      .heads = kPairHeads, .kv_heads = kv_heads == kPairHeads ? 0 : kv_heads, .steps = updates};
  const std::uint64_t seed = 100 * step.seed() + static_cast<std::uint64_t>(pair);
  static course::Memo<std::pair<tasks::LanguageModelOptions, std::uint64_t>, double> losses;
  return losses({options, seed}, [&] {
    const auto progress = [&](std::int64_t done, std::int64_t total) {
      step.progress("train", run * total + done, runs * total);
    };
    const auto trained = tasks::trained_language_model(options, seed, progress);
    return tasks::language_model_loss(*trained.model, tasks::test_text(options, seed),
                                      options.context);
  });
}

}  // namespace

LossPairs loss_pairs(const course::Step& step, std::int64_t kv_heads, std::int64_t pairs,
                     std::int64_t updates) {
  LossPairs found;
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    found.own.push_back(loss_of(step, kPairHeads, pair, updates, 2 * pair, 2 * pairs));
    found.shared.push_back(loss_of(step, kv_heads, pair, updates, 2 * pair + 1, 2 * pairs));
    found.gaps.push_back(100 * (found.shared.back() / found.own.back() - 1));
  }
  return found;
}

course::Truth is_above_zero(const std::vector<double>& values) {
  if (nn::one_sample_t_test(values).t > 2) return course::Truth::kYes;
  const nn::Summary all = nn::summarize(values);
  return all.mean + 2 * all.standard_error <= 0 ? course::Truth::kNo : course::Truth::kUnclear;
}

std::vector<double> running_t(const std::vector<double>& values, std::size_t least) {
  std::vector<double> t;
  for (std::size_t count = least; count <= values.size(); ++count) {
    t.push_back(nn::one_sample_t_test({values.data(), values.data() + count}).t);
  }
  return t;
}

}  // namespace gradwalk::lesson_12
