#include "lessons/07_what_is_needed/variants.h"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "lessons/course/engine/memo.h"
#include "lessons/tasks/module_weight.h"
#include "tensor/inplace.h"

namespace gradwalk::lesson_07 {
namespace {

constexpr std::int64_t kTestPages = 1024;
constexpr double kLearned = 0.7, kDone = 0.01;  // nats

std::unique_ptr<TrainedVariant> train_variant(const course::Step& step,
                                              const VariantOptions& options, std::int64_t seed,
                                              std::int64_t seeds) {
  // In place: a module does not move.
  std::unique_ptr<TrainedVariant> trained(
      new TrainedVariant{.model = {nn::Seed(step.seed()) / fmt::format("what_is_needed/{}", seed),
                                   model_options(options)},
                         .losses = {},
                         .accuracy = 0});
  const tasks::DictionaryModel& model = trained->model;
  mul_into(tasks::weight_of(model, "mark.weight"), options.mark);
  Generator pages = step.generator(fmt::format("pages {}", seed));
  Generator tests = step.generator(fmt::format("test pages {}", seed));
  const auto updates = static_cast<int>(options.updates);
  trained->losses = train_dictionary(
      model, options.tables ? model.parameters() : attention_and_readout(model),
      {.steps = updates, .until = kDone, .progress = step.training_progress(seed, seeds, updates)},
      pages);
  trained->accuracy = dictionary_accuracy(model, kTestPages, tests);
  return trained;
}

}  // namespace

std::string name_of(const Matrices& matrices) {
  if (matrices.tied) return "W_K = W_Q";
  if (matrices == kAll) return "all three";
  std::string name;
  if (!matrices.query) name += "Q = ";
  if (!matrices.key) name += "K = ";
  if (!matrices.value) name += "V = ";
  return name + "x";
}

tasks::DictionaryModel::Options model_options(const VariantOptions& options) {
  tasks::DictionaryModel::Options of_model;
  of_model.sizes.shift = options.shift;
  of_model.attention.has_q_proj = options.matrices.query;
  of_model.attention.has_k_proj = options.matrices.key || options.matrices.tied;
  of_model.attention.has_v_proj = options.matrices.value;
  of_model.attention.has_o_proj = options.matrices.output;
  of_model.attention.tie_q_k = options.matrices.tied;
  return of_model;
}

const TrainedVariant& trained_variant(const course::Step& step, const VariantOptions& options,
                                      std::int64_t seed, std::int64_t seeds) {
  static course::Memo<std::tuple<std::uint64_t, std::int64_t, VariantOptions>,
                      std::unique_ptr<TrainedVariant>>
      memo;
  return *memo({step.seed(), seed, options},
               [&] { return train_variant(step, options, seed, seeds); });
}

VariantSpread variant_over_seeds(const course::Step& step, const VariantOptions& options,
                                 std::int64_t seeds) {
  std::vector<double> accuracy, losses;
  double updates = 0;
  bool all_below = true;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    const TrainedVariant& trained = trained_variant(step, options, seed, seeds);
    accuracy.push_back(trained.accuracy);
    const int below = tasks::steps_below(trained.losses, kLearned);
    all_below = all_below && below > 0;
    updates += static_cast<double>(below) / static_cast<double>(seeds);
    if (seed == 0) losses = tasks::moving_mean(trained.losses);
  }
  return {course::spread_of(accuracy), all_below ? updates : 0, std::move(losses)};
}

tasks::LanguageModelOptions options_of(const LanguageVariant& options) {
  tasks::LanguageModelOptions of_model;
  of_model.query_projection = options.matrices.query;
  of_model.key_projection = options.matrices.key || options.matrices.tied;
  of_model.value_projection = options.matrices.value;
  of_model.output_projection = options.matrices.output;
  of_model.tied_query_key = options.matrices.tied;
  if (options.even) of_model.scale = 0;
  of_model.batch = options.batch;
  of_model.steps = options.updates;
  return of_model;
}

std::unique_ptr<nn::CausalLm> language_model(const course::Step& step,
                                             const LanguageVariant& options) {
  const auto progress = [&step](std::int64_t done, std::int64_t total) {
    step.progress("train a language model", done, total);
  };
  return tasks::trained_language_model(options_of(options), options.seed, progress).model;
}

double language_loss(nn::CausalLm& model, const LanguageVariant& options) {
  const tasks::LanguageModelOptions of_model = options_of(options);
  return tasks::language_model_loss(model, tasks::test_text(of_model, options.seed),
                                    of_model.context);
}

std::vector<double> language_losses(const course::Step& step, LanguageVariant options,
                                    std::int64_t models) {
  static course::Memo<LanguageVariant, double> memo;
  std::vector<double> losses;
  for (std::int64_t model = 0; model < models; ++model, ++options.seed) {
    losses.push_back(memo(options, [&] {
      const auto trained = language_model(step, options);
      return language_loss(*trained, options);
    }));
  }
  return losses;
}

}  // namespace gradwalk::lesson_07
