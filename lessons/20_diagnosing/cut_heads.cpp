#include "lessons/20_diagnosing/cut_heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "lessons/tasks/numbers/interventions.h"
#include "lessons/tasks/numbers/measures.h"

namespace gradwalk::lesson_20 {
namespace {}  // namespace

void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

void CutHeads::add(const tasks::ClsModel& model, const tasks::NumberTask& task,
                   const tasks::NumberBatch& texts) {
  const tasks::NumberScore score = tasks::number_score(model, task, texts);
  for (std::int64_t head = 0; head < model.options().heads; ++head) {
    gap.push_back(tasks::alignment(model, task, head).gap());
  }
  append(ratio, score.ratio);
  append(on_answer, score.on_answer);
  append(drop, tasks::head_influence(model, task, texts));
  right.push_back(score.accuracy);
}

double in_quarter(const std::vector<double>& values, const std::vector<double>& by,
                  std::size_t at) {
  const std::size_t count = values.size();
  if (at > 3 || count < 4 || by.size() != count) {
    throw std::invalid_argument(
        fmt::format("in_quarter: expected a quarter in [0, 4) and two lists of 4 or more values, "
                    "got {}, {} and {}",
                    at, count, by.size()));
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return by[a] < by[b]; });
  const std::size_t first = at * count / 4, end = (at + 1) * count / 4;
  double sum = 0;
  for (std::size_t i = first; i < end; ++i) sum += values[order[i]];
  return sum / static_cast<double>(end - first);
}

}  // namespace gradwalk::lesson_20
