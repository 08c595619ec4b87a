#include "lessons/tasks/numbers/key_scatter.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "lessons/course/pictures/scatter.h"
#include "nn/diagnostics/pca.h"
#include "tensor/layout.h"

namespace gradwalk::tasks {

void draw_keys(course::Step& step, const std::string& caption, const Tensor& keys,
               const NumberTask& task) {
  const nn::Pca axes = nn::pca(slice(keys, 0, 1, task.vocabulary()));
  const double share = axes.variance_ratio.at({0}) + axes.variance_ratio.at({1});
  const std::vector<double> ranks = task.ranks();
  course::Scatter& scatter = step.picture(
      course::Scatter(fmt::format("{} ({:.0f} % of the variance)", caption, 100 * share),
                      "component 1", "component 2"));
  const bool ranks_nouns = task.question == NumberQuestion::kNounMax;
  std::vector<std::pair<double, double>> others;
  for (std::int64_t row = 0; row + 1 < task.vocabulary(); ++row) {
    const double x = axes.projections.at({row, 0}), y = axes.projections.at({row, 1});
    const bool is_noun = row >= task.numbers;
    if (is_noun != ranks_nouns) {
      others.emplace_back(x, y);
      continue;
    }
    const std::int64_t place = is_noun ? row - task.numbers : row;
    const double rank =
        is_noun ? static_cast<double>(place) : ranks[static_cast<std::size_t>(place)];
    scatter.point(fmt::format("{}", place), x, y, rank);
  }
  scatter.others(ranks_nouns ? "numbers" : "nouns", std::move(others));
}

}  // namespace gradwalk::tasks
