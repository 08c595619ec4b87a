#include <fmt/format.h>

#include <vector>

#include "lessons/13_phases/snapshots.h"
#include "lessons/13_phases/steps/steps.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "tensor/create.h"

namespace gradwalk::lesson_13 {
namespace {

using course::Step;

}  // namespace

void movement(Step& step) {
  const TrainingRuns all = training_runs(step);
  step.formula("distance of two maps = mean over rows of sum_j |p_j - q_j| / 2, in [0, 1]");
  const std::vector<Snapshot>& snapshots = all.snapshots[0];
  auto table =
      step.table("model 0, from one look to the next", {"loss, nats", "moved", "an update"});
  table.digits({3, 3, 5});
  for (std::size_t i = 1; i < snapshots.size(); ++i) {
    table.row(fmt::format("{} to {}", snapshots[i - 1].updates, snapshots[i].updates),
              {snapshots[i].loss, map_distance(snapshots[i - 1].maps, snapshots[i].maps),
               speed(snapshots[i - 1], snapshots[i])},
              i == 1 ? "moved: share of all weight" : "");
  }
  std::vector<double> fifth, alike;
  for (const auto& of_seed : all.snapshots) {
    const Slowdown slow = slowdown(of_seed);
    fifth.push_back(slow.last_fifth);
    alike.push_back(slow.like_for_like);
  }
  const course::Spread ratio = course::spread_of(fifth), same = course::spread_of(alike);
  step.predict("How many times less than the first 20 updates do the last 20 move the maps?",
               {"about 20", "about 4", "the last move nothing"}, same.mean > 9 ? 0 : 1);
  step.number("first 20 / last fifth, an update", ratio.lowest, "the model with the least", 1);
  step.number("first 20 / last 20", same.lowest,
              "alike stretches: a map that goes to and fro has moved, too", 1);
  std::vector<double> x, y;
  for (const Snapshot& snapshot : snapshots) {
    x.push_back(static_cast<double>(snapshot.updates));
    y.push_back(map_distance(snapshots.front().maps, snapshot.maps));
  }
  step.picture(course::Curves("distance from the maps at the start, model 0", "updates"))
      .series("distance", x, y);
  step.check("slower in alike stretches too, by > 2, every model", same.lowest > 2,
             fmt::format("{} models", all.seeds.size()));
  step.why(
      "The loss is steepest at first, and maps move with it. Late updates mostly go to and fro: "
      "over long stretches little is left of them.");
  step.try_next({"./gradwalk run 13 --from=1 --seed=2"});
}

}  // namespace gradwalk::lesson_13
