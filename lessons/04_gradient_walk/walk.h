#pragma once

#include <map>
#include <string>
#include <vector>

#include "lessons/course/engine/step.h"
#include "lessons/tasks/toy4d.h"

namespace gradwalk::lesson_04 {

/// What the steps of lesson 4 hand on to each other, and what they let a learner look at: each
/// function records the tensors of one step with the recipe for every element, for `t`, `g` and
/// `c`.
struct Walk {
  tasks::Toy toy;
  tasks::ToyState now;  ///< step 0 of every walk
  /// Three ways to each gradient, by the name of what it is the gradient of.
  std::map<std::string, Tensor> formula;
  std::map<std::string, Tensor> difference;
  std::map<std::string, Tensor> autograd;
};

extern const std::vector<std::string> kTokens;

/// Starts the walk: one pass forward and backward, and the gradients three ways.
void begin(Walk& walk, const tasks::Toy& toy);

void record_projections(course::Step& step, const Walk& walk);
void record_weights(course::Step& step, const Walk& walk);
void record_loss(course::Step& step, const Walk& walk);
void record_output_gradient(course::Step& step, const Walk& walk);
void record_score_gradient(course::Step& step, const Walk& walk);
void record_weight_gradient(course::Step& step, const Walk& walk);
void record_update(course::Step& step, const Walk& walk, const tasks::ToyState& after, double lr);

/// A check of the step that the three ways to these gradients agree.
void check_three_ways(course::Step& step, const Walk& walk, const std::vector<std::string>& names);

/// The plane that two vectors span, for pictures: the first axis lies along `first`, the second
/// across it towards `second`.
class Plane {
 public:
  Plane(const Tensor& first, const Tensor& second);
  std::pair<double, double> operator()(const Tensor& x) const;

 private:
  Tensor along_;
  Tensor across_;
};

}  // namespace gradwalk::lesson_04
