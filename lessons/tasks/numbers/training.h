#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "lessons/tasks/numbers/cls_model.h"
#include "lessons/tasks/numbers/task.h"
#include "lessons/tasks/training.h"

/// Training of [CLS] models on the number task. A model is trained once a process however many
/// lessons, steps and controls ask for it; lessons take seeds 100 base + i, i = 0, 1, ...
namespace gradwalk::tasks {

/// A loss beside that of the task, of head 0.
enum class ExtraLoss {
  kNone,
  kAttention,  ///< -ln of the weight on the tokens that hold the answer, the mean over texts
  kPairs,    ///< softplus(-(z_j - z_i)), the mean over all pairs of numbers of which j ranks higher
  kGeometry  ///< -(mean cosine of the numbers' keys - that of the nouns' keys) with the query
};

struct NumberTraining {
  NumberTask task = {};
  /// Kinds of texts beside it, of as many classes; the batch is shared out evenly.
  std::vector<NumberTask> also = {};
  /// Vocabulary and classes are those of the task, whatever stands here.
  ClsModelOptions model = {};

  int updates = 400;
  std::int64_t batch = 64;
  Optimizer optimizer = Optimizer::kAdam;
  double lr = 1e-2;
  double task_weight = 1;  ///< of the task's loss
  ExtraLoss extra = ExtraLoss::kNone;
  double extra_weight = 0;
  /// What moves, besides W_O and the readout.
  bool move_embedding = true;
  bool move_query = true;
  bool move_key = true;
  bool move_value = true;

  auto operator<=>(const NumberTraining&) const = default;
};

/// One entry an update, of what was there before it; of head 0.
struct NumberCurves {
  std::vector<double> loss;       ///< whole, nats
  std::vector<double> accuracy;   ///< on the update's texts
  std::vector<double> on_answer;  ///< mean weight on the tokens that hold the answer, same texts
  std::vector<double> gradient;   ///< |dL/dW_Q|, all heads
  std::vector<double> turn;       ///< of the query by the update, degrees
  std::vector<double> gap;        ///< as Alignment's
  std::vector<double> rho;
};

/// Is told how many updates are done.
using NumberProgress = std::function<void(int done)>;

struct TrainedNumberModel {
  std::unique_ptr<ClsModel> model;  ///< the caller's own, to change as he likes
  const NumberCurves& curves;
};

/// As it begins.
std::unique_ptr<ClsModel> new_number_model(const NumberTraining& training, std::uint64_t seed);

/// Trained on fresh texts.
/// @throws std::invalid_argument as draw_numbers; std::runtime_error if the loss is not finite
TrainedNumberModel trained_number_model(const NumberTraining& training, std::uint64_t seed,
                                        const NumberProgress& progress = {});

/// Updates after which the mean of `window` entries is at least `target`, counted from 1; 0 if it
/// never is.
int updates_until(const std::vector<double>& curve, double target, int window = 5);

}  // namespace gradwalk::tasks
