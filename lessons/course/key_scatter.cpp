#include "lessons/course/key_scatter.h"

#include <fmt/core.h>

#include <utility>
#include <vector>

#include "nn/diagnostics/pca.h"
#include "tensor/layout.h"

namespace gradwalk::course {

void draw_keys(Step& step, const std::string& caption, const Tensor& keys, const NumberTask& task) {
  const nn::Pca axes = nn::pca(slice(keys, 0, 1, task.vocabulary()));
  const double share = axes.variance_ratio.at({0}) + axes.variance_ratio.at({1});
  const std::vector<double> ranks = task.ranks();
  ScatterEntry scatter =
      step.scatter(fmt::format("{} ({:.0f} % of the variance)", caption, 100 * share),
                   "component 1", "component 2");
  std::vector<std::pair<double, double>> nouns;
  for (std::int64_t row = 0; row + 1 < task.vocabulary(); ++row) {
    const double x = axes.projections.at({row, 0}), y = axes.projections.at({row, 1});
    if (row < task.numbers) {
      scatter.point(fmt::format("{}", row), x, y, ranks[static_cast<std::size_t>(row)]);
    } else {
      nouns.emplace_back(x, y);
    }
  }
  scatter.others("nouns", std::move(nouns));
}

}  // namespace gradwalk::course
