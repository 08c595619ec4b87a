#include "lessons/tasks/numbers/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "autograd/activation.h"
#include "autograd/cross_entropy.h"
#include "autograd/elementwise.h"
#include "autograd/gather.h"
#include "autograd/layout.h"
#include "autograd/matmul.h"
#include "autograd/moments.h"
#include "autograd/reduce.h"
#include "autograd/triangle.h"
#include "lessons/course/engine/memo.h"
#include "lessons/tasks/head_targets.h"
#include "lessons/tasks/numbers/measures.h"
#include "nn/diagnostics/cosine.h"
#include "nn/statistics/accuracy.h"
#include "tensor/create.h"
#include "tensor/layout.h"
#include "tensor/moments.h"
#include "tensor/reduce.h"

namespace gradwalk::tasks {
namespace {

ClsModelOptions model_options(const NumberTraining& training) {
  ClsModelOptions options = training.model;
  options.vocabulary = training.task.vocabulary();
  options.classes = training.task.classes();
  options.noun_classes = training.task.question == NumberQuestion::kJoint ? training.task.nouns : 0;
  return options;
}

// Head 0 of one text, the vocabulary, in the graph.
struct QueryAndKeys {
  Variable query, keys;  // [Dh], [V, Dh]
};

QueryAndKeys query_and_keys(const ClsModel& model) {
  nn::AttentionTrace trace;
  model.summary(whole_vocabulary(model), {.trace = &trace});
  const auto of_head = [](const Variable& x) { return select(select(x, 0, 0), 0, 0); };
  return {select(of_head(trace.query), 0, 0), of_head(trace.key)};
}

// Mean over the texts of -ln of the weight on the answer.
Variable attention_loss(const nn::AttentionTrace& trace, const Tensor& holds) {
  const Variable weights = select(select(trace.weights, 1, 0), 1, 0);  // [B, S]
  return neg(mean(log(sum(weights * to(holds, weights.value().dtype()), {1}))));
}

Variable pair_loss(const QueryAndKeys& head, const NumberTask& task) {
  std::vector<double> by_rank;  // ids
  for (std::int64_t rank = 0; rank < task.numbers; ++rank) {
    by_rank.push_back(1 + static_cast<double>(task.order.empty()
                                                  ? rank
                                                  : task.order[static_cast<std::size_t>(rank)]));
  }
  const Variable z =
      matmul(head.keys, head.query) / std::sqrt(static_cast<double>(head.query.shape()[0]));  // [V]
  const Variable ranked = index_select(z, 0, from_vector(by_rank, {task.numbers}, DType::kInt64));
  // Row i, column j of the upper triangle: z_i - z_j for j above i.
  const Variable losses = softplus(unsqueeze(ranked, 1) - unsqueeze(ranked, 0));
  const auto n = static_cast<double>(task.numbers);
  return sum(triu(losses, /*diagonal=*/1)) / (n * (n - 1) / 2);
}

Variable geometry_loss(const QueryAndKeys& head, const NumberTask& task) {
  const Variable cosines =
      matmul(head.keys, head.query) / (norm(head.keys, {1}) * norm(head.query));  // [V]
  return mean(slice(cosines, 0, 1 + task.numbers, task.vocabulary())) -
         mean(slice(cosines, 0, 1, 1 + task.numbers));
}

bool moves(const NumberTraining& training, const std::string& name) {
  if (name == "embedding.weight") return training.move_embedding;
  if (name == "attention.q_proj.weight") return training.move_query;
  if (name == "attention.k_proj.weight") return training.move_key;
  if (name == "attention.v_proj.weight") return training.move_value;
  return true;
}

double degrees_between(const Tensor& a, const Tensor& b) {
  const double cosine = nn::cosine(to(a, DType::kFloat64), to(b, DType::kFloat64)).item();
  return std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / std::numbers::pi;
}

class NumberTrainer {
 public:
  NumberTrainer(const NumberTraining& training, const ClsModel& model, std::uint64_t seed)
      : training_(training), model_(model), texts_(seed, "numbers.train"), kinds_(training.also) {
    kinds_.insert(kinds_.begin(), training.task);
    for (const nn::NamedParameter& parameter : model.named_parameters()) {
      if (moves(training, parameter.name)) moving_.push_back(parameter.variable);
      if (parameter.name == "attention.q_proj.weight") query_weight_ = parameter.variable;
    }
  }

  NumberCurves run(const NumberProgress& progress) {
    const Training plan{.updates = training_.updates,
                        .lr = training_.lr,
                        .optimizer = training_.optimizer,
                        .progress = [&](int done) {
                          curves_.gradient.push_back(norm(query_weight_.grad()).item());
                          if (progress) progress(done);
                        }};
    train(model_, moving_, plan, [this] { return loss(); });
    queries_.push_back(cls_head(model_).query);
    for (std::size_t i = 0; i + 1 < queries_.size(); ++i) {
      curves_.turn.push_back(degrees_between(queries_[i], queries_[i + 1]));
    }
    return std::move(curves_);
  }

 private:
  Variable loss() {
    const QueryAndKeys head = record_vocabulary();
    Variable total = extra_of_vocabulary(head);
    const auto share = static_cast<std::int64_t>(kinds_.size());
    double accuracy = 0, on_answer = 0;
    for (const NumberTask& kind : kinds_) {
      const NumberBatch texts = draw_numbers(training_.batch / share, kind, texts_);
      nn::AttentionTrace trace;
      const Variable summary = model_.summary(texts.ids, {.trace = &trace});
      const Variable logits = model_.logits(summary);
      Variable one = cross_entropy(logits, texts.answer);
      if (texts.noun_answer.defined()) {
        one = one + cross_entropy(model_.noun_logits(summary), texts.noun_answer);
      }
      one = one * training_.task_weight;
      if (training_.extra == ExtraLoss::kAttention) {
        one = one + attention_loss(trace, texts.holds) * training_.extra_weight;
      }
      one = one / static_cast<double>(share);
      total = total.defined() ? total + one : one;
      accuracy += nn::accuracy(logits.value(), texts.answer);
      on_answer += weight_on(trace.weights.value(), unsqueeze(texts.holds, 1))[0];
    }
    curves_.loss.push_back(total.value().item());
    curves_.accuracy.push_back(accuracy / static_cast<double>(share));
    curves_.on_answer.push_back(on_answer / static_cast<double>(share));
    if (!std::isfinite(curves_.loss.back())) {
      throw std::runtime_error(
          fmt::format("trained_number_model: the loss is {} after {} updates; a lower lr may help",
                      curves_.loss.back(), curves_.loss.size() - 1));
    }
    return total;
  }

  QueryAndKeys record_vocabulary() {
    const QueryAndKeys head = query_and_keys(model_);
    const Alignment a = alignment(head.query.value(), head.keys.value(), training_.task);
    curves_.gap.push_back(a.gap());
    curves_.rho.push_back(a.rho);
    queries_.push_back(clone(head.query.value()));
    return head;
  }

  Variable extra_of_vocabulary(const QueryAndKeys& head) const {
    if (training_.extra == ExtraLoss::kPairs) {
      return pair_loss(head, training_.task) * training_.extra_weight;
    }
    if (training_.extra == ExtraLoss::kGeometry) {
      return geometry_loss(head, training_.task) * training_.extra_weight;
    }
    return {};
  }

  const NumberTraining& training_;
  const ClsModel& model_;
  Generator texts_;
  std::vector<NumberTask> kinds_;
  std::vector<Variable> moving_;
  Variable query_weight_;
  std::vector<Tensor> queries_;
  NumberCurves curves_;
};

struct Kept {
  nn::StateDict state;
  NumberCurves curves;
};

}  // namespace

std::unique_ptr<ClsModel> new_number_model(const NumberTraining& training, std::uint64_t seed) {
  return std::make_unique<ClsModel>(model_options(training), nn::Seed(seed) / "numbers");
}

TrainedNumberModel trained_number_model(const NumberTraining& training, std::uint64_t seed,
                                        const NumberProgress& progress) {
  static course::Memo<std::pair<NumberTraining, std::uint64_t>, Kept> memo;
  const Kept& kept = memo({training, seed}, [&]() -> Kept {
    const auto model = new_number_model(training, seed);
    NumberCurves curves = NumberTrainer(training, *model, seed).run(progress);
    return {model->state_dict(), std::move(curves)};
  });
  TrainedNumberModel trained{new_number_model(training, seed), kept.curves};
  trained.model->load_state_dict(kept.state);
  return trained;
}

int updates_until(const std::vector<double>& curve, double target, int window) {
  const std::vector<double> means = moving_mean(curve, window);
  for (std::size_t i = static_cast<std::size_t>(window) - 1; i < means.size(); ++i) {
    if (means[i] >= target) return static_cast<int>(i) + 1;
  }
  return 0;
}

}  // namespace gradwalk::tasks
