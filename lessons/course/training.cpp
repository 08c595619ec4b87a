#include "lessons/course/training.h"

#include "autograd/backward.h"
#include "nn/optim/adamw.h"

namespace gradwalk::course {

std::vector<double> train(const nn::Module& model, const std::vector<Variable>& parameters,
                          const Training& training, const std::function<Variable()>& loss) {
  nn::AdamW optimizer(parameters, {.lr = training.lr, .weight_decay = 0});
  std::vector<double> losses;
  for (int update = 0; update < training.updates; ++update) {
    const Variable now = loss();
    losses.push_back(now.value().item());
    model.zero_grad();
    backward(now);
    optimizer.step();
    if (training.progress) training.progress(update + 1);
  }
  return losses;
}

}  // namespace gradwalk::course
