#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lessons/course/engine/measure.h"
#include "lessons/course/engine/step.h"
#include "lessons/tasks/dictionary.h"
#include "lessons/tasks/language_model.h"

/// Models that lack some of the matrices before the scores and the values.
namespace gradwalk::lesson_07 {

/// Which of W_Q, W_K, W_V, W_O there are. Without one, what would go into it stands in its place.
struct Matrices {
  bool query = true;
  bool key = true;
  bool value = true;
  bool output = true;
  bool tied = false;  ///< W_K is W_Q

  auto operator<=>(const Matrices&) const = default;
};

inline constexpr Matrices kAll, kTied{.key = false, .tied = true};
inline constexpr Matrices kNoQuery{.query = false}, kNoKey{.key = false}, kNoValue{.value = false};
inline constexpr Matrices kQueryOnly{.key = false, .value = false};
inline constexpr Matrices kNone{.query = false, .key = false, .value = false, .output = false};

/// "all three", "W_K = W_Q", "K = x", "K = V = x", ...
std::string name_of(const Matrices& matrices);

struct VariantOptions {
  Matrices matrices = kAll;
  bool tables = true;      ///< whether the tables of keys and values learn too
  std::int64_t shift = 0;  ///< what is looked for, less what is asked
  double mark = 1;         ///< times the mark that every question begins with
  std::int64_t updates = 800;

  auto operator<=>(const VariantOptions&) const = default;
};

tasks::DictionaryModel::Options model_options(const VariantOptions& options);

struct TrainedVariant {
  tasks::DictionaryModel model;
  std::vector<double> losses;  ///< before each update, nats
  double accuracy;             ///< share of 1024 fresh pages that are answered right
};

/// Trained on 32 pages an update until 20 losses in a row have a mean below 0.01 nats, or until the
/// updates are made; once a process. Models of one seed begin with the same numbers and see the
/// same pages, whichever matrices they lack.
/// @param seed   from 0
/// @param seeds  how many follow each other, for the line of progress
const TrainedVariant& trained_variant(const course::Step& step, const VariantOptions& options,
                                      std::int64_t seed, std::int64_t seeds);

/// Over seeds 0, 1, ...
struct VariantSpread {
  course::Spread accuracy;
  double updates;  ///< until the mean of 20 losses is below 0.7; mean of the seeds, 0: not all get
                   ///< there
  std::vector<double> losses;  ///< of seed 0, means of 20
};
VariantSpread variant_over_seeds(const course::Step& step, const VariantOptions& options,
                                 std::int64_t seeds);

/// Models of the little language.
struct LanguageVariant {
  Matrices matrices = kAll;
  bool even = false;  ///< all scores 0: each word takes the mean of those it may see
  std::int64_t batch = 16;
  std::int64_t updates = 300;
  std::uint64_t seed = 1;

  auto operator<=>(const LanguageVariant&) const = default;
};

tasks::LanguageModelOptions options_of(const LanguageVariant& options);
std::unique_ptr<nn::CausalLm> language_model(const course::Step& step,
                                             const LanguageVariant& options);

/// On all of the test text, nats a word.
double language_loss(nn::CausalLm& model, const LanguageVariant& options);

/// Of models as trained, whose seeds follow each other from that of the options.
std::vector<double> language_losses(const course::Step& step, LanguageVariant options,
                                    std::int64_t models);

}  // namespace gradwalk::lesson_07
