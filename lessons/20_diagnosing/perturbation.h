#pragma once

#include <cstdint>

#include "lessons/tasks/numbers/interventions.h"
#include "nn/diagnostics/probe_directions.h"

/// Keys of numbers pushed along the direction that a query reads, and along others.
namespace gradwalk::lesson_20 {

inline constexpr std::int64_t kRandomDirections = 20, kOrthogonalDirections = 5;

/// Which ways keys of a model are pushed, and how far a push of length 1 is for it.
struct Perturbation {
  nn::ProbeDirections directions;  ///< kRandomDirections and kOrthogonalDirections of them
  double length;                   ///< of a number's embedding, mean
};
/// Of a model with one head. @param blind  `along` is drawn too, whatever the query reads
Perturbation perturbation_of(const tasks::ClsModel& model, const tasks::NumberTask& task,
                             Generator& generator, bool blind = false);

/// What pushes of one length do.
struct PerturbationEffects {
  tasks::PerturbationEffect down, up;  ///< against `along`, and along it
  tasks::PerturbationEffect random;    ///< mean of those directions
  double orthogonal;  ///< share of the weights that moved, the most of those directions
};
/// @param lengths  how far, in `by.length`
PerturbationEffects perturb(const tasks::ClsModel& model, const tasks::NumberTask& task,
                            const tasks::NumberBatch& texts, const Perturbation& by,
                            double lengths);

}  // namespace gradwalk::lesson_20
