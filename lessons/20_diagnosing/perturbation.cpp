#include "lessons/20_diagnosing/perturbation.h"

#include <algorithm>

#include "lessons/tasks/head_weights.h"
#include "lessons/tasks/numbers/measures.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_20 {

Perturbation perturbation_of(const tasks::ClsModel& model, const tasks::NumberTask& task,
                             Generator& generator, bool blind) {
  Perturbation perturbation{
      nn::probe_directions(tasks::cls_head(model).query,
                           tasks::head_weights(model, "attention", /*heads=*/1, 0).key,
                           kRandomDirections + 1, generator),
      tasks::number_length(model, task)};
  nn::ProbeDirections& d = perturbation.directions;
  if (blind) d.along = select(d.random, 0, kRandomDirections);
  d.random = slice(d.random, 0, 0, kRandomDirections);
  d.orthogonal = slice(d.orthogonal, 0, 0, kOrthogonalDirections);
  return perturbation;
}

PerturbationEffects perturb(const tasks::ClsModel& model, const tasks::NumberTask& task,
                            const tasks::NumberBatch& texts, const Perturbation& by,
                            double lengths) {
  const auto effect = [&](const Tensor& direction) {
    return tasks::perturb_number_keys(model, texts, task, direction * (lengths * by.length));
  };
  const nn::ProbeDirections& d = by.directions;
  PerturbationEffects found{effect(-d.along), effect(d.along), {0, 0}, 0};
  for (std::int64_t i = 0; i < kRandomDirections; ++i) {
    const tasks::PerturbationEffect one = effect(select(d.random, 0, i));
    found.random.moved += one.moved / kRandomDirections;
    found.random.accuracy += one.accuracy / kRandomDirections;
  }
  for (std::int64_t i = 0; i < kOrthogonalDirections; ++i) {
    found.orthogonal = std::max(found.orthogonal, effect(select(d.orthogonal, 0, i)).moved);
  }
  return found;
}

}  // namespace gradwalk::lesson_20
