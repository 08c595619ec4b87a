#include "lessons/20_diagnosing/depths.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <variant>

#include "lessons/20_diagnosing/cls_encoder_checkpoint.h"
#include "nn/statistics/summary.h"

namespace gradwalk::lesson_20 {
namespace {

constexpr std::int64_t kTexts = 500;

}  // namespace

std::vector<double> EncoderDepth::of_layer(std::int64_t layer, double EncoderHead::*what) const {
  std::vector<double> values;
  for (const EncoderScore& model : models) {
    for (const EncoderHead& head : model.heads) {
      if (head.layer == layer) values.push_back(head.*what);
    }
  }
  return values;
}

double EncoderDepth::mean_of(std::int64_t layer, double EncoderHead::*what) const {
  return nn::summarize(of_layer(layer, what)).mean;
}

double EncoderDepth::later_less_first(double EncoderHead::*what) const {
  double later = 0;
  for (std::int64_t layer = 1; layer < options.layers; ++layer) later += mean_of(layer, what);
  return later / static_cast<double>(options.layers - 1) - mean_of(0, what);
}

double EncoderDepth::best(std::int64_t layer) const {
  double sum = 0;
  for (const EncoderScore& model : models) {
    double most = 0;
    for (const EncoderHead& head : model.heads) {
      if (head.layer == layer) most = std::max(most, head.on_answer);
    }
    sum += most;
  }
  return sum / static_cast<double>(models.size());
}

course::Spread EncoderDepth::right() const {
  std::vector<double> shares;
  for (const EncoderScore& model : models) shares.push_back(model.accuracy);
  return course::spread_of(shares);
}

EncoderDepth trained_depth(const course::Step& step, const ClsEncoderOptions& options,
                           std::int64_t models) {
  EncoderDepth depth{options, {}};
  for (std::int64_t i = 0; i < models; ++i) {
    const std::uint64_t seed = 100 * step.seed() + static_cast<std::uint64_t>(i);
    const auto model =
        trained_cls_encoder(options, seed, step.training_progress(i, models, options.updates));
    if (i == 0) {
      const char* task =
          std::holds_alternative<tasks::NumberTask>(options.task) ? "numbers" : "digits";
      step.keep_model(
          fmt::format("{}_{}_layers", task, options.layers),
          [&](const std::filesystem::path& folder) { save_cls_encoder(*model, seed, folder); });
    }
    Generator generator(seed, "diagnosing.texts");
    depth.models.push_back(encoder_score(*model, draw_texts(kTexts, options, generator)));
  }
  return depth;
}

}  // namespace gradwalk::lesson_20
