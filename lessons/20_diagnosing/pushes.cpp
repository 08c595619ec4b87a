#include "lessons/20_diagnosing/pushes.h"

#include <algorithm>

#include "lessons/tasks/head_weights.h"
#include "lessons/tasks/numbers/measures.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_20 {

Pusher pusher_of(const tasks::ClsModel& model, const tasks::NumberTask& task, Generator& generator,
                 bool blind) {
  Pusher pusher{nn::probe_directions(tasks::cls_head(model).query,
                                     tasks::head_weights(model, "attention", /*heads=*/1, 0).key,
                                     kRandomPushes + 1, generator),
                tasks::number_length(model, task)};
  nn::ProbeDirections& d = pusher.directions;
  if (blind) d.along = select(d.random, 0, kRandomPushes);
  d.random = slice(d.random, 0, 0, kRandomPushes);
  d.orthogonal = slice(d.orthogonal, 0, 0, kOrthogonalPushes);
  return pusher;
}

Pushes push(const tasks::ClsModel& model, const tasks::NumberTask& task,
            const tasks::NumberBatch& texts, const Pusher& by, double lengths) {
  const auto effect = [&](const Tensor& direction) {
    return tasks::push_number_keys(model, texts, task, direction * (lengths * by.length));
  };
  const nn::ProbeDirections& d = by.directions;
  Pushes found{effect(-d.along), effect(d.along), {0, 0}, 0};
  for (std::int64_t i = 0; i < kRandomPushes; ++i) {
    const tasks::PushEffect one = effect(select(d.random, 0, i));
    found.random.moved += one.moved / kRandomPushes;
    found.random.accuracy += one.accuracy / kRandomPushes;
  }
  for (std::int64_t i = 0; i < kOrthogonalPushes; ++i) {
    found.orthogonal = std::max(found.orthogonal, effect(select(d.orthogonal, 0, i)).moved);
  }
  return found;
}

}  // namespace gradwalk::lesson_20
