#include "lessons/tasks/training.h"

#include <algorithm>

#include "autograd/backward.h"
#include "nn/optim/adamw.h"
#include "nn/optim/sgd.h"

namespace gradwalk::tasks {
namespace {

// What moves the parameters, each time it is called.
std::function<void()> mover(const std::vector<Variable>& parameters, const Training& training) {
  if (training.optimizer == Optimizer::kSgd) {
    return [sgd = nn::Sgd(parameters, training.lr)]() mutable { sgd.step(); };
  }
  const AdamWOptions options{.lr = training.lr, .weight_decay = 0};
  return [adam = nn::AdamW(parameters, options)]() mutable { adam.step(); };
}

// Of the last `window` losses, or of those there are.
double last_mean(const std::vector<double>& losses, std::size_t end, int window) {
  const std::size_t begin = end - std::min(end, static_cast<std::size_t>(window));
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += losses[i];
  return sum / static_cast<double>(end - begin);
}

}  // namespace

std::vector<double> train(const nn::Module& model, const std::vector<Variable>& parameters,
                          const Training& training, const std::function<Variable()>& loss) {
  const std::function<void()> move = mover(parameters, training);
  std::vector<double> losses;
  for (int update = 0; update < training.updates; ++update) {
    const Variable now = loss();
    losses.push_back(now.value().item());
    model.zero_grad();
    backward(now);
    move();
    if (training.progress) training.progress(update + 1);
    if (update + 1 >= kLossWindow && last_mean(losses, losses.size(), kLossWindow) < training.until)
      break;
  }
  return losses;
}

std::vector<double> moving_mean(const std::vector<double>& losses, int window) {
  std::vector<double> means;
  for (std::size_t end = 1; end <= losses.size(); ++end) {
    means.push_back(last_mean(losses, end, window));
  }
  return means;
}

int steps_below(const std::vector<double>& losses, double target, int window) {
  const std::vector<double> means = moving_mean(losses, window);
  for (std::size_t i = static_cast<std::size_t>(window) - 1; i < means.size(); ++i) {
    if (means[i] < target) return static_cast<int>(i) + 1;
  }
  return 0;
}

}  // namespace gradwalk::tasks
