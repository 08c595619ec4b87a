// Lesson 4: the 4-d gradient walk.
//
// Claims   A3, A4, A5, A6: article 000, sections 3.1 to 3.3, where three tokens of width 4 show how
// gradient descent
//          moves the query of [CLS]
// Builds   on nothing: the whole of attention is here, small enough to follow every number
// Run      ./gradwalk run 4 --step
//
// The article's example fixes no weights. Ours make its first pass come out as printed: scores 0.1,
// 0.3, 0.2. walk.h has what the steps share; lessons/course/toy4d.h has the model.

#include "lessons/course/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "autograd/grad_check.h"
#include "lessons/04_gradient_walk/walk.h"
#include "lessons/course/measure.h"
#include "nn/diagnostics/cosine.h"
#include "tensor/create.h"
#include "tensor/elementwise.h"
#include "tensor/layout.h"
#include "tensor/linalg.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"
#include "tensor/reference/matmul.h"
#include "tensor/reference/softmax.h"
#include "tensor/softmax.h"

namespace gradwalk::lessons {
namespace {

using course::distance;
using course::Evidence;
using course::largest;
using course::Step;
using course::ToyState;

const std::vector<std::string> kComponents = {"0", "1", "2", "3"};
const course::Trained kQueryOnly = {.w_q = true};
const course::Trained kAllWeights = {.w_q = true, .w_k = true, .w_v = true, .c = true};

Tensor exact(std::initializer_list<double> values) { return vector(values, DType::kFloat64); }

void projections(Step& step, Walk& walk) {
  const course::Toy base = course::toy_base();
  begin(walk, step.broken("swap-values") ? with_swapped_values(base) : base);
  const ToyState& s = walk.now;
  step.formula("q = W_Q h_CLS      W_Q[4,4] h_CLS[4] -> q[4]   f64");
  step.formula("k_i = W_K h_i      v_i = W_V h_i      h[3,4] -> k[3,4] v[3,4]");
  auto table = step.table("what the tokens send into the head", kComponents);
  table.digits(1).row("q [CLS]", s.q, "what [CLS] asks for");
  for (int i = 0; i < 3; ++i) {
    table.row("k " + kTokens[std::size_t(i)], select(s.k, 0, i),
              i == 0 ? "what a token offers" : "");
  }
  for (int i = 0; i < 3; ++i) {
    table.row("v " + kTokens[std::size_t(i)], select(s.v, 0, i),
              i == 0 ? "what it hands over" : "");
  }
  record_projections(step, walk);
  const double off =
      std::max(distance(s.k, reference::matmul(walk.toy.h, transpose(walk.toy.w_k))),
               distance(s.v, reference::matmul(walk.toy.h, transpose(walk.toy.w_v))));
  step.check("k and v as naive loops compute them", off < 1e-15,
             fmt::format("24 entries, at most {:.0e} apart", off));
  step.why("Query and keys alone decide who is looked at; values alone decide what is seen.");
  step.try_next({"./gradwalk run 4 --step", "./gradwalk run 4 --help"});
}

void weights(Step& step, Walk& walk) {
  const Tensor article = exact({0.32, 0.39, 0.29});
  const Tensor scores = step.broken("article-logits") ? log(article) : walk.now.z;
  const Tensor ours = softmax(scores, /*axis=*/-1);
  const Tensor loops = reference::softmax(exact({0.1, 0.3, 0.2}), /*axis=*/0);
  step.formula("z_i = q.k_i / sqrt(4)      k[3,4] q[4] -> z[3]");
  step.formula("a_i = exp(z_i) / sum_j exp(z_j)      z[3] -> a[3]");
  step.table("", kTokens)
      .digits(4)
      .row("z", scores, "scores")
      .row("a = softmax(z)", ours, fmt::format("sum {:.4f}", sum(ours).item()))
      .row("article's a", article, fmt::format("sum {:.4f}", sum(article).item()))
      .row("ln of that", log(article), "scores it would need");
  auto bars = step.bars("weight of each token", {"softmax", "article"});
  for (std::int64_t i = 0; i < 3; ++i) {
    bars.group(kTokens[std::size_t(i)], {ours.at({i}), article.at({i})});
  }
  record_weights(step, walk);
  const double error = distance(ours, article);
  step.claim("A3", Evidence::kTensor, /*cases=*/3)
      .as_stated(error <= 0.005)
      .right(distance(ours, loops) < 1e-15)
      .value(error)
      .expected("off by <= 0.005")
      .tolerance("1e-15 to float64 loops: a few rounding errors")
      .found(fmt::format("off by {:.4f}", error));
  step.why(
      "Nearly flat: [CLS] takes in a blend. The printed triple is no softmax of these scores; it "
      "even swaps [CLS] and num2.");
  step.try_next({"./gradwalk run 4 --claim=A3", "./gradwalk run 4 --break=article-logits"});
}

void loss(Step& step, Walk& walk) {
  const ToyState& s = walk.now;
  step.formula("output = sum_i a_i v_i      a[3] v[3,4] -> output[4]");
  step.formula("logits = C output      p = softmax(logits)      C[2,4] -> logits[2] p[2]");
  step.formula("loss = -ln p[0]      class 0 is right");
  step.table("", kComponents).digits(4).row("output", s.output, "the blend of the three values");
  step.table("", {"class 0", "class 1"}).digits(4).row("logits", s.logits).row("p", s.p);
  step.number("loss", s.loss, fmt::format("nats; guessing costs ln 2 = {:.4f}", std::log(2.0)), 4);
  record_loss(step, walk);
  step.check("p sums to 1", std::abs(sum(s.p).item() - 1) < 1e-15);
  step.why("In the blend num1 and num2 all but cancel, so the classifier can only guess.");
  step.try_next({"./gradwalk run 4 --break=swap-values"});
}

void output_gradient(Step& step, Walk& walk) {
  const ToyState& s = walk.now;
  step.formula("dlogits = p - onehot(0)      g = dL/doutput = C^T dlogits      g[4]");
  step.formula("dv_i = a_i g      dC = dlogits output^T      dv[3,4] dC[2,4]");
  step.table("", kComponents).digits(4).row("g", s.doutput, "uphill: the loss grows along g");
  step.table("", kTokens)
      .digits(4)
      .row("g.v_i", s.g_dot_v, "the loss that value i adds")
      .row("g.output - g.v_i", s.g_dot_output - s.g_dot_v,
           fmt::format("better than the blend, {:.4f}", s.g_dot_output));
  record_output_gradient(step, walk);
  check_three_ways(step, walk, {"logits", "output", "v", "C"});
  step.why(
      "g is all that attention hears of the task: one direction. num1's value lies against it, so "
      "it helps; num2's lies along it.");
  step.try_next({"./gradwalk run 4 --claim=A4"});
}

void score_gradient(Step& step, Walk& walk) {
  const ToyState& s = walk.now;
  const Tensor centred = s.g_dot_v - s.g_dot_output;
  const Tensor ours = step.broken("no-weight-factor") ? centred : s.a * centred;
  const Tensor output_dot_v = matmul(s.v, s.output);
  const Tensor article = output_dot_v - matmul(s.a, output_dot_v);
  const Tensor& measured = walk.difference.at("z");
  const bool same_sign = article.at({1}) * measured.at({1}) > 0;
  step.formula("dz_i = a_i (g.v_i - g.output)      sum_i dz_i = 0      a[3] g.v[3] -> dz[3]");
  step.formula("article: dz_i = output.v_i - sum_j a_j output.v_j");
  step.table("dL/dz", kTokens)
      .digits(4)
      .row("our formula", ours, fmt::format("sum {:.0e}", sum(ours).item()))
      .row("difference quotient", measured, "z moved a little")
      .row("autograd", s.dz)
      .row("article's formula", article, same_sign ? "num1: right sign" : "num1: wrong sign")
      .row("article's times a_i", s.a * article, "still not it");
  auto bars = step.bars("dL/dz", {"measured", "ours", "article"});
  for (std::int64_t i = 0; i < 3; ++i) {
    bars.group(kTokens[std::size_t(i)], {measured.at({i}), ours.at({i}), article.at({i})});
  }
  record_score_gradient(step, walk);
  const double article_error = distance(article, measured) / largest(measured);
  const double our_error = distance(ours, measured);
  step.claim("A4", Evidence::kTensor, /*cases=*/3)
      .as_stated(article_error <= 0.5 && same_sign)
      .right(our_error < 1e-8 && std::abs(sum(ours).item()) < 1e-14)
      .value(article_error)
      .expected("<= 50 % off")
      .tolerance("1e-8: what a central difference with step 1e-5 is good for")
      .found(fmt::format("{:.0f} % off, ours {:.0e}", 100 * article_error, our_error));
  check_three_ways(step, walk, {"z"});
  step.why(
      "Two slips: the output stands where its gradient g belongs, and the factor a_i is gone. "
      "Descent on it would lower num1's score.");
  step.try_next({"./gradwalk run 4 --break=no-weight-factor"});
}

void weight_gradient(Step& step, Walk& walk) {
  const ToyState& s = walk.now;
  const Tensor asking = select(walk.toy.h, 0, step.broken("wrong-token") ? 1 : 0);
  const Tensor ours = outer(walk.formula.at("q"), asking);
  double nearest_row = std::numeric_limits<double>::infinity();
  for (int row = 0; row < 4; ++row) {
    nearest_row = std::min(nearest_row, distance(select(s.dw_q, 0, row), s.dq));
  }
  const Tensor singular = svd(s.dw_q).s;
  const double second = singular.at({1}) / singular.at({0});
  step.formula("dq = sum_i dz_i k_i / sqrt(4)      dk_i = dz_i q / sqrt(4)      dq[4] dk[3,4]");
  step.formula(
      "dW_Q = dq h_CLS^T      dW_K = sum_i dk_i h_i^T      dW_V = sum_i dv_i h_i^T      [4,4]");
  step.table("", kComponents)
      .digits(4)
      .row("dq", s.dq, "article's row")
      .row("h_CLS", select(walk.toy.h, 0, 0), "rows follow it")
      .row("singular values", singular, "dW_Q: rank one");
  step.heatmap("dW_Q: column j is h_CLS[j] dq", {"dW_Q", "dW_K"});
  record_weight_gradient(step, walk);
  step.claim("A5", Evidence::kTensor, /*cases=*/16)
      .as_stated(nearest_row < 1e-8)
      .right(distance(ours, s.dw_q) < 1e-15 && distance(ours, walk.difference.at("W_Q")) < 1e-8 &&
             second < 1e-14)
      .value(nearest_row)
      .expected("a row equal to dq")
      .tolerance("1e-15: one product an entry; 1e-8 to the difference quotient")
      .found(fmt::format("nearest {:.2f} away", nearest_row));
  check_three_ways(step, walk, {"q", "k", "W_Q", "W_K", "W_V"});
  const GradCheckReport report = grad_check(
      "toy logits",
      [&walk](const std::vector<Variable>& in) { return course::toy_logits(walk.toy.h, in); },
      {walk.toy.w_q, walk.toy.w_k, walk.toy.w_v, walk.toy.c}, {.seed = step.seed()});
  step.check(
      "the same with a random gradient coming into the logits", report.ok,
      fmt::format("{} entries, relative error at most {:.0e}", report.entries, report.worst));
  step.why(
      "The sum over keys is the gradient of q. W_Q's rows all move along h_CLS, row r as far as "
      "dq[r] says; none belongs to a token.");
  step.try_next({"./gradwalk run 4 --break=wrong-token"});
}

void one_step(Step& step, Walk& walk) {
  const ToyState& s = walk.now;
  const double lr = step.parameter("lr");
  const ToyState after = toy_walk(walk.toy, kQueryOnly, lr, /*steps=*/1).back();
  step.formula("W_Q' = W_Q - lr dW_Q      so   q' = q - lr |h_CLS|^2 dq");
  step.formula("z_i' - z_i = -lr |h_CLS|^2 dq.k_i / sqrt(4)");
  step.table("", kComponents)
      .digits(4)
      .row("q", s.q)
      .row("q'", after.q, fmt::format("one step of W_Q alone, lr {}", lr));
  step.table("", kTokens)
      .digits(4)
      .row("-dz_i", neg(s.dz), "pull: + draws q")
      .row("cos(-dq, k_i)", s.cos_minus_dq_k, "the way down")
      .row("cos(q, k_i)", s.cos_q_k)
      .row("cos(q', k_i)", after.cos_q_k)
      .row("a_i", s.a)
      .row("a_i'", after.a, fmt::format("loss {:.4f} -> {:.4f}", s.loss, after.loss));
  record_update(step, walk, after, lr);
  step.check("the loss falls", after.loss < s.loss,
             fmt::format("by {:.4f}; lr |dW_Q|^2 = {:.4f}", s.loss - after.loss,
                         lr * sum(s.dw_q * s.dw_q).item()));
  step.why(
      "A key draws q when its value beats the blend, by a_i (g.output - g.v_i), whatever its token "
      "is called.");
  step.try_next({"./gradwalk run 4 --set=lr=0.05"});
}

std::vector<double> along(const std::vector<ToyState>& walk, double (*number)(const ToyState&)) {
  std::vector<double> values;
  for (const ToyState& state : walk) values.push_back(number(state));
  return values;
}

void fifty_steps(Step& step, Walk& walk) {
  const double lr = step.parameter("lr");
  const int steps = static_cast<int>(step.parameter("steps"));
  const auto summary = [](const ToyState& s) -> std::vector<double> {
    return {s.loss,
            s.a.at({1}),
            s.a.at({2}),
            s.cos_q_k.at({1}),
            s.cos_q_k.at({2}),
            nn::length(s.q).item()};
  };
  step.formula(
      fmt::format("W <- W - {} dL/dW, {} times, for the weights that may move", lr, steps));
  auto table = step.table(fmt::format("after {} steps", steps),
                          {"loss", "a num1", "a num2", "cos num1", "cos num2", "|q|"});
  table.digits(3).row("start", summary(walk.now));
  auto cosines = step.curves("cos(q, k_i), only W_Q moving", "step");
  auto attention = step.curves("attention on num1", "step");
  auto losses = step.curves("loss in nats", "step");
  const std::vector<std::pair<std::string, course::Trained>> choices = {
      {"only W_Q", kQueryOnly},
      {"only W_K", {.w_k = true}},
      {"W_Q and W_K", {.w_q = true, .w_k = true}},
      {"all weights", kAllWeights}};
  bool falls = true;
  for (const auto& [name, trained] : choices) {
    const std::vector<ToyState> states = toy_walk(walk.toy, trained, lr, steps);
    table.row(name, summary(states.back()));
    attention.series(name, along(states, [](const ToyState& s) { return s.a.at({1}); }));
    losses.series(name, along(states, [](const ToyState& s) { return s.loss; }));
    for (std::size_t t = 1; t < states.size(); ++t)
      falls = falls && states[t].loss < states[t - 1].loss;
    if (name != "only W_Q") continue;
    cosines.series(kTokens[0], along(states, [](const ToyState& s) { return s.cos_q_k.at({0}); }));
    cosines.series(kTokens[1], along(states, [](const ToyState& s) { return s.cos_q_k.at({1}); }));
    cosines.series(kTokens[2], along(states, [](const ToyState& s) { return s.cos_q_k.at({2}); }));
  }
  step.check("the loss falls at every step of every walk", falls);
  step.why(
      "q comes to k_num1, or k_num1 to q: either side alone will do. Once values move too, "
      "attention need not go as far.");
  step.try_next({"./gradwalk run 4 --set=steps=200", "./gradwalk run 4 --set=lr=2"});
}

// Does every score move against its own combination of gradients: sign(z_i' - z_i) = -sign(dq.k_i)?
bool scores_follow_pull(const ToyState& before, const ToyState& after) {
  const Tensor moved = (after.z - before.z) * matmul(before.k, before.dq);
  return max(moved).item() < 0;
}

void variants(Step& step, Walk& walk) {
  const double lr = step.parameter("lr");
  const int steps = static_cast<int>(step.parameter("steps"));
  const std::vector<ToyState> base = toy_walk(walk.toy, kQueryOnly, lr, steps);
  const std::vector<ToyState> b = toy_walk(course::toy_variant_b(), kQueryOnly, lr, steps);
  const std::vector<ToyState> c = toy_walk(course::toy_variant_c(), kQueryOnly, lr, steps);
  const ToyState c_all = toy_walk(course::toy_variant_c(), kAllWeights, lr, steps).back();
  const auto cosine = [](const ToyState& s, std::int64_t token) { return s.cos_q_k.at({token}); };
  const auto turn = [&](const std::vector<ToyState>& states, std::int64_t token) {
    return cosine(states[1], token) - cosine(states[0], token);
  };
  step.formula("-dq = sum_i a_i (g.output - g.v_i) k_i / sqrt(4)");
  step.formula(
      "B: the value of [CLS] is worse than num2's      C: the classifier's sign is flipped");
  auto pulls = step.table("pull of each key at the start, -dz_i", kTokens);
  auto turns = step.table("cosine of q with the two keys, before and after one step",
                          {"num1", "then", "num2", "then"});
  auto plane = step.plane_path("q in the plane of k_num1 and k_num2, only W_Q moving",
                               "along k_num1", "across it");
  const Tensor k_num1 =
      select(walk.now.k, 0, 1);  // the same in all three: B and C leave q and k alone
  const Tensor k_num2 = select(walk.now.k, 0, 2);
  const Plane place(k_num1, k_num2);
  plane.arrow("k_num1", place(k_num1).first, place(k_num1).second);
  plane.arrow("k_num2", place(k_num2).first, place(k_num2).second);
  for (const auto& [name, states] : {std::pair{"base", &base}, {"B", &b}, {"C", &c}}) {
    const ToyState& start = states->front();
    const ToyState& next = (*states)[1];
    pulls.digits(3).row(name, neg(start.dz));
    turns.digits(3).row(name,
                        {cosine(start, 1), cosine(next, 1), cosine(start, 2), cosine(next, 2)});
    std::vector<std::pair<double, double>> path;
    for (const ToyState& state : *states) path.push_back(place(state.q));
    plane.path(name, path);
  }
  step.number("B, num2's pull after one step", -b[1].dz.at({2}),
              "beside num1 alone it is the worse one", 3);
  step.number("C, weight of num2 at the end", c_all.a.at({2}),
              fmt::format("all weights moving, loss {:.4f}", c_all.loss), 3);
  // B and C by their scores: one step moves z_i by lr times a fixed number, so its sign holds for
  // any learning rate.
  const auto score_moves = [](const std::vector<ToyState>& states, std::int64_t token) {
    return states[1].z.at({token}) - states[0].z.at({token});
  };
  const bool base_as_said = turn(base, 1) > 0 && turn(base, 2) < 0;
  const bool b_draws_num2 = score_moves(b, 2) > 0 && b.back().dz.at({2}) > 0;
  const bool c_leaves_num1 =
      score_moves(c, 1) < 0 && c_all.a.at({2}) > c_all.a.at({1}) && c_all.loss < 0.1 * c[0].loss;
  const bool follow_pull = scores_follow_pull(base[0], base[1]) && scores_follow_pull(b[0], b[1]) &&
                           scores_follow_pull(c[0], c[1]);
  step.claim("A6", Evidence::kTensor, /*cases=*/9)
      .as_stated(base_as_said)
      .right(base_as_said && b_draws_num2 && c_leaves_num1 && follow_pull)
      .value(turn(base, 1))
      .expected("num1 up, num2 down")
      .tolerance("signs: exact")
      .found(fmt::format("num1 {:+.2f}, num2 {:+.2f}", turn(base, 1), turn(base, 2)));
  step.why(
      "Descent never saw a number token: it followed values that beat the blend. Change values or "
      "classifier, and q goes elsewhere.");
  step.try_next({"./gradwalk claims A6", "./gradwalk run 4 --break=swap-values"});
}

}  // namespace

course::Lesson lesson_04_gradient_walk() {
  course::Lesson lesson(4, "gradient_walk", "The 4-d gradient walk");
  lesson.parameter({.name = "lr",
                    .value = 0.5,
                    .min = 1e-3,
                    .max = 5,
                    .what = "learning rate of gradient descent, no unit"});
  lesson.parameter({.name = "steps",
                    .value = 50,
                    .min = 3,
                    .max = 1000,
                    .whole = true,
                    .what = "updates in each walk"});
  lesson.sabotage("article-logits", "the scores are those whose softmax is the article's triple");
  lesson.sabotage("no-weight-factor", "our formula for dz loses its factor a_i");
  lesson.sabotage("wrong-token", "dW_Q is built with the embedding of num1 in place of [CLS]");
  lesson.sabotage("swap-values", "num1 and num2 exchange their values");

  const auto walk = std::make_shared<Walk>();
  const auto on_walk = [walk](void (*body)(Step&, Walk&)) {
    return [walk, body](Step& step) { body(step, *walk); };
  };
  lesson.step("Three tokens become a query, keys and values", on_walk(projections));
  lesson.step("Scores become weights, and a triple that is no softmax", on_walk(weights));
  lesson.step("The blend, and what it costs", on_walk(loss));
  lesson.step("Backwards: what attention hears of the task", on_walk(output_gradient));
  lesson.step("The gradient at a score, three ways and the article's", on_walk(score_gradient));
  lesson.step("From scores back to W_Q and W_K", on_walk(weight_gradient));
  lesson.step("One step: which keys pull?", on_walk(one_step));
  lesson.step("Fifty steps, four walks", on_walk(fifty_steps));
  lesson.step("Two more worlds: B draws num2 in, C leaves num1", on_walk(variants));
  return lesson;
}

}  // namespace gradwalk::lessons
