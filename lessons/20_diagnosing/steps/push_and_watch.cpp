#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lessons/20_diagnosing/models.h"
#include "lessons/20_diagnosing/perturbation.h"
#include "lessons/20_diagnosing/steps/steps.h"
#include "lessons/course/engine/claim.h"
#include "lessons/course/engine/explain.h"
#include "lessons/course/engine/measure.h"
#include "lessons/course/pictures/curves.h"
#include "lessons/tasks/head_weights.h"
#include "lessons/tasks/numbers/cls_model.h"
#include "lessons/tasks/numbers/measures.h"
#include "lessons/tasks/numbers/task.h"
#include "nn/diagnostics/pull_back.h"
#include "tensor/elementwise.h"
#include "tensor/matmul.h"
#include "tensor/random.h"

namespace gradwalk::lesson_20 {
namespace {

using course::Evidence;
using course::Explain;
using course::Step;

constexpr std::int64_t kPushTexts = 500;

constexpr double kTwice = 2, kFive = 5;

constexpr double kUnmoved = 1e-6;

std::vector<double> all(const std::vector<PerturbationEffects>& models,
                        double (*of)(const PerturbationEffects&)) {
  std::vector<double> values;
  for (const PerturbationEffects& one : models) values.push_back(of(one));
  return values;
}

double down(const PerturbationEffects& p) { return p.down.moved; }

double up(const PerturbationEffects& p) { return p.up.moved; }

double random(const PerturbationEffects& p) { return p.random.moved; }

double orthogonal(const PerturbationEffects& p) { return p.orthogonal; }

double ratio(const PerturbationEffects& p) { return p.down.moved / p.random.moved; }

double right_down(const PerturbationEffects& p) { return p.down.accuracy; }

double right_up(const PerturbationEffects& p) { return p.up.accuracy; }

double right_random(const PerturbationEffects& p) { return p.random.accuracy; }

// By how much each random direction, of length 1, moves a score of model 0: dz.
void record_push(Step& step, const tasks::ClsModel& model, const Perturbation& by) {
  const Tensor query = tasks::cls_head(model).query;
  const Tensor w_k = tasks::head_weights(model, "attention", 1, 0).key;
  step.tensor("q", query).axes("head space").explain(Explain::given("W_Q h of [CLS], model 0"));
  step.tensor("W_K", w_k).axes("head space", "embedding space").explain(Explain::given("learned"));
  step.tensor("u", by.directions.along)
      .axes("embedding space")
      .explain(Explain::given("the direction of W_K^T q, of length 1"));
  step.tensor("random", by.directions.random)
      .axes("direction", "embedding space")
      .explain(Explain::given("uniform on the sphere, of length 1"));
  step.tensor("orthogonal", by.directions.orthogonal)
      .axes("direction", "embedding space")
      .explain(Explain::given("the same without their part along u, of length 1"));
  step.tensor("pulled", nn::pull_back(query, w_k))
      .axes("embedding space")
      .explain(Explain::contraction("cd,c->d", {"W_K", "q"}));
  step.tensor("dz", matmul(by.directions.random, nn::pull_back(query, w_k)) / std::sqrt(8.0))
      .axes("direction")
      .explain(Explain::contraction("rd,d->r", {"random", "pulled"}, 1 / std::sqrt(8.0)));
}

}  // namespace

void push_and_watch(Step& step) {
  const std::int64_t models = step.whole("seeds");
  const double lengths = step.parameter("push");
  const tasks::NumberTask task = training_with(HeadShape::kNarrow, 0).task;
  const bool blind = step.broken("blind-push");
  step.formula("numbers' keys are made of h_i + s |h| u, |h|: their mean length");
  step.formula("z_i = q.(W_K h_i) / sqrt(8) moves by s |h| (W_K^T q).u / sqrt(8)");
  step.formula("so only the part of u along W_K^T q counts");
  step.formula("moved: share of [CLS]'s weight that moved, sum |w' - w| / 2");
  step.formula(fmt::format("controls: {} random u; {} of them made orthogonal to W_K^T q",
                           kRandomDirections, kOrthogonalDirections));
  std::vector<double> grid = {lengths};
  if (!step.quick()) grid = {lengths / 2, lengths, 2 * lengths};
  std::vector<std::vector<PerturbationEffects>> trained(grid.size());
  std::vector<PerturbationEffects> begun;
  double on_numbers = 0;
  for (std::int64_t model = 0; model < models; ++model) {
    const auto of = model_with(step, HeadShape::kNarrow, model, models);
    const auto start = begun_with(step, HeadShape::kNarrow, model);
    const tasks::NumberBatch texts = texts_for(step, HeadShape::kNarrow, model, kPushTexts);
    Generator generator = step.generator(fmt::format("directions {}", model));
    const Perturbation by = perturbation_of(*of, task, generator, blind);
    on_numbers += tasks::number_score(*of, task, texts).on_numbers[0] / static_cast<double>(models);
    for (std::size_t i = 0; i < grid.size(); ++i) {
      trained[i].push_back(perturb(*of, task, texts, by, grid[i]));
    }
    begun.push_back(
        perturb(*start, task, texts, perturbation_of(*start, task, generator, blind), lengths));
    if (model == 0) record_push(step, *of, by);
  }
  const std::vector<PerturbationEffects>& judged = trained[grid.size() / 2];
  const auto mean = [](const std::vector<PerturbationEffects>& of,
                       double (*what)(const PerturbationEffects&)) {
    return course::spread_of(all(of, what)).mean;
  };
  auto table = step.table(fmt::format("share of the weight that moved, {} models", models),
                          {"-u", "+u", "random", "orthogonal"});
  auto answers = step.table("share of the answers right", {"-u", "+u", "random"});
  const auto row = [&](const std::string& name, const std::vector<PerturbationEffects>& of,
                       const std::string& note, const std::string& of_answers) {
    table.digits({3, 3, 3, 4})
        .row(name, {mean(of, down), mean(of, up), mean(of, random), mean(of, orthogonal)}, note);
    answers.digits(3).row(name, {mean(of, right_down), mean(of, right_up), mean(of, right_random)},
                          of_answers);
  };
  const std::string names = blind ? "-u, +u: a random direction" : "u: direction of W_K^T q";
  for (std::size_t i = 0; i < grid.size(); ++i) {
    row(fmt::format("s = {:g}", grid[i]), trained[i], i == 0 ? names : "", "");
  }
  row(fmt::format("untrained, {:g}", lengths), begun, "models as they begin", "guessing: 0.067");
  step.number("weight on all numbers", on_numbers, "trained, before any push: +u has none to add",
              3);
  std::vector<double> x = {0};
  x.insert(x.end(), grid.begin(), grid.end());
  auto& curves =
      step.picture(course::Curves("share of the weights that moved", "s, in lengths of a number"));
  for (const auto& [name, what] :
       {std::pair{"-u", &down}, {"random", &random}, {"+u", &up}, {"orthogonal", &orthogonal}}) {
    std::vector<double> y = {0};
    for (const auto& of : trained) y.push_back(mean(of, what));
    curves.series(name, x, y);
  }
  const course::Spread against = course::spread_of(all(judged, ratio));
  const course::Spread of_trained = course::spread_of(all(judged, down));
  const double untrained = mean(begun, down);
  const double still = course::spread_of(all(judged, orthogonal)).highest;
  step.number("-u / random, least", against.lowest, fmt::format("of {} models", models), 1);
  step.number("-u / random, mean", against.mean, "", 1);
  step.number("-u, trained / untrained", of_trained.lowest / untrained,
              "the least of the trained ones / the mean of the untrained", 1);
  step.predict("A number's keys are pushed in a direction drawn at random. What moves?",
               {"hardly anything", "most of the weights"}, mean(judged, random) < 0.2 ? 0 : 1);
  const bool depends =
      against.lowest > kTwice && against.mean > kFive && of_trained.lowest > kFive * untrained;
  step.claim("A20", Evidence::kTensor, /*cases=*/2 * models * kPushTexts)
      .seeds(static_cast<int>(models))
      .as_stated(depends)
      .right(depends && still < kUnmoved)
      .value(of_trained.mean)
      .interval(of_trained.lowest, of_trained.highest)
      .expected("-u > 2 random in all, > 5 in the mean, > 5 untrained; orthogonal < 1e-6")
      .tolerance(fmt::format("bounds of the rule, at s = {:g}; untrained: their mean", lengths))
      .found(fmt::format("-u {:.2f}, random {:.3f}, ratio {:.1f} to {:.1f}; untrained {:.3f}; "
                         "orthogonal {:.0e}",
                         of_trained.mean, mean(judged, random), against.lowest, against.highest,
                         untrained, still));
  step.why(
      "A push shows dependence only where q reads: a direction drawn at random moves little, and "
      "nothing at all without its part along W_K^T q.");
  step.try_next({"./gradwalk run 20 --claim=A20 --break=blind-push",
                 "./gradwalk run 20 --claim=A20 --set=push=1"});
}

}  // namespace gradwalk::lesson_20
