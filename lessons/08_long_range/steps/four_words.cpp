#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/layout.h"
#include "autograd/variable.h"
#include "lessons/08_long_range/steps/steps.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/heatmap.h"
#include "nn/recurrent.h"
#include "nn/seed.h"
#include "tensor/activation.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/matmul.h"
#include "tensor/random.h"

namespace gradwalk::lesson_08 {
namespace {

using course::Explain;
using course::Index;
using course::Operands;
using course::Step;

constexpr DType kF64 = DType::kFloat64;

// 1 - h^2, the slope of tanh where it gave h.
Explain slope_recipe() {
  return Explain::custom([](const Index& at, const Operands& of) {
    course::Explanation e;
    const double h = of("h", at);
    e.value = 1 - h * h;
    e.magnitude = 1;
    e.formula = fmt::format("1 - {}^2", course::element_text("h", at));
    e.lines = {fmt::format("1 - {:.4f}^2", h)};
    e.next = {course::element_text("h", at)};
    return e;
  });
}

Explain tanh_recipe() {
  return Explain::custom([](const Index& at, const Operands& of) {
    course::Explanation e;
    e.value = std::tanh(of("z", at));
    e.formula = fmt::format("tanh {}", course::element_text("z", at));
    e.lines = {fmt::format("tanh {:.4f}", of("z", at))};
    e.next = {course::element_text("z", at)};
    return e;
  });
}

}  // namespace

void four_words(Step& step) {
  const std::vector<std::string> words = {"why", "a", "shy", "fox"};
  Generator gen = step.generator("four words");
  const Tensor x = normal({4, 2}, gen, kF64);
  const Tensor w = normal({2, 2}, gen, kF64) * 0.7;
  const Tensor u = normal({2, 2}, gen, kF64) * 0.5;
  std::vector<Tensor> z, h, slope, moves;
  for (std::int64_t t = 0; t < 4; ++t) {
    Tensor next = reshape(matmul(w, unsqueeze(select(x, 0, t), 1)), {2});
    if (t > 0) next = next + reshape(matmul(u, unsqueeze(h.back(), 1)), {2});
    z.push_back(next);
    h.push_back(tanh(next));
    slope.push_back(1.0 - h.back() * h.back());
    moves.push_back(unsqueeze(slope.back(), 1) * (t == 0 ? w : matmul(u, moves.back())));
  }
  // The same network from nn/, and its gradient by backward.
  nn::Rnn rnn(2, 2, nn::Seed(step.seed()) / "long_range/four words", {.dtype = kF64});
  rnn.load_state_dict({{"weight_ih", w},
                       {"weight_hh", u},
                       {"bias_ih", zeros({2}, kF64)},
                       {"bias_hh", zeros({2}, kF64)}});
  double off = 0;
  for (std::int64_t i = 0; i < 2; ++i) {
    const Variable text = parameter(unsqueeze(x, 0));
    backward(select(select(select(rnn(text), 0, 0), 0, 3), 0, i));
    off = std::max(
        off, course::distance(select(select(text.grad(), 0, 0), 0, 0), select(moves[3], 0, i)));
  }
  step.formula("an RNN reads word after word and keeps one vector h:");
  step.formula("h_t = tanh(W x_t + U h_(t-1))");
  step.formula("how much does h_t move when the first word x_0 moves?");
  step.formula("dh_0/dx_0 = diag(1 - h_0^2) W");
  step.formula("dh_t/dx_0 = diag(1 - h_t^2) U dh_(t-1)/dx_0: once more for each word");
  step.formula("attention (lesson 1): y = sum_j w_j W_V x_j, shares w that sum to 1:");
  step.formula("from x_0 to y it is one factor, w_0, however many words lie between");
  auto sizes = step.table("how much the first word still moves h", {"largest entry"});
  for (std::size_t t = 0; t < 4; ++t) {
    sizes.digits(4).row(fmt::format("after \"{}\"", words[t]), {course::largest(moves[t])},
                        fmt::format("{} factor{}", t + 1, t == 0 ? "" : "s"));
  }
  step.tensor("x", x).axes("word", "component").rows(words).explain(Explain::given("N(0, 1)"));
  step.tensor("W", w).axes("out", "in").explain(Explain::given("N(0, 0.49)"));
  step.tensor("U", u).axes("out", "in").explain(Explain::given("N(0, 0.25)"));
  const auto stack = [](const std::vector<Tensor>& rows) {
    std::vector<double> all;
    for (const Tensor& row : rows) {
      const std::vector<double> numbers = row.to_vector();
      all.insert(all.end(), numbers.begin(), numbers.end());
    }
    return from_vector(all, {4, 2}, kF64);
  };
  step.tensor("z", stack(z))
      .axes("word", "component")
      .rows(words)
      .explain(Explain::custom([](const Index& at, const Operands& of) {
        course::Explanation e;
        e.formula = "W x + U h of the word before";
        for (std::int64_t j = 0; j < 2; ++j) {
          const auto add = [&](const char* weight, const char* name, std::int64_t word) {
            const Index to = {at[1], j}, from = {word, j};
            e.terms.push_back(
                {course::element_text(weight, to) + " " + course::element_text(name, from),
                 {of(weight, to), of(name, from)},
                 of(weight, to) * of(name, from)});
            e.value += e.terms.back().value;
            e.magnitude += std::abs(e.terms.back().value);
          };
          add("W", "x", at[0]);
          if (at[0] > 0) add("U", "h", at[0] - 1);
        }
        return e;
      }));
  step.tensor("h", stack(h)).axes("word", "component").rows(words).explain(tanh_recipe());
  step.tensor("slope", stack(slope)).axes("word", "component").rows(words).explain(slope_recipe());
  step.tensor("move_0", moves[0])
      .axes("of h", "of x_0")
      .explain(Explain::contraction("i,ij->ij", {"slope[0]", "W"}));
  for (std::size_t t = 1; t < 4; ++t) {
    step.tensor(fmt::format("move_{}", t), moves[t])
        .axes("of h", "of x_0")
        .explain(Explain::contraction(
            "i,ij,jk->ik", {fmt::format("slope[{}]", t), "U", fmt::format("move_{}", t - 1)}));
  }
  step.picture(course::Heatmap("move_t = dh_t/dx_0, the first word's hold on h after word t",
                               {"move_0", "move_1", "move_2", "move_3"}));
  step.check("backward through nn::Rnn gives move_3", off < 1e-14,
             fmt::format("4 entries, at most {:.0e} apart", off));
  step.why(
      "What the first word says passes through U and the slope of tanh, at most 1, once a word. "
      "Products of many small factors vanish.");
  step.try_next({"./gradwalk run 8 --step", "./gradwalk run 8 --help"});
}

}  // namespace gradwalk::lesson_08
