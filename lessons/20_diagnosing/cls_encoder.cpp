#include "lessons/20_diagnosing/cls_encoder.h"

#include <limits>
#include <utility>

#include "autograd/cross_entropy.h"
#include "lessons/course/engine/memo.h"
#include "lessons/tasks/by_width.h"
#include "lessons/tasks/head_targets.h"
#include "lessons/tasks/training.h"
#include "nn/diagnostics/qk_match.h"
#include "nn/statistics/accuracy.h"
#include "nn/statistics/rank_correlation.h"
#include "tensor/create.h"
#include "tensor/layout.h"

namespace gradwalk::lesson_20 {
namespace {

std::int64_t vocabulary(const ClsEncoderOptions& options) {
  return std::visit([](const auto& task) { return task.vocabulary(); }, options.task);
}

std::int64_t classes(const ClsEncoderOptions& options) {
  return std::visit([](const auto& task) { return task.classes(); }, options.task);
}

std::int64_t places(const ClsEncoderOptions& options) {
  const auto* numbers = std::get_if<tasks::NumberTask>(&options.task);
  return 1 + (numbers ? numbers->tokens : std::get<DigitTask>(options.task).tokens());
}

nn::EncoderOptions encoder_options(const ClsEncoderOptions& options) {
  nn::EncoderOptions encoder;
  encoder.vocab_size = vocabulary(options);
  encoder.d_model = options.d_model;
  encoder.num_layers = options.layers;
  encoder.max_positions = places(options);
  encoder.embedding_norm = false;
  encoder.embedding = {.init = {nn::InitScheme::kNormal, 0.3}};
  encoder.block.norm_place = nn::NormPlace::kPre;
  encoder.block.norm_options = {.learned = false};
  encoder.block.attention = {.num_heads = options.heads,
                             .linear = {.bias = false, .init = tasks::kByWidth}};
  encoder.block.d_hidden = 2 * options.d_model;
  encoder.block.feed_forward.linear = {.bias = true, .init = tasks::kByWidth};
  return encoder;
}

// What a measure needs to know of each token of the texts, by place.
struct TokenKinds {
  std::vector<double> numbers, nouns;  // 1 or 0
  std::vector<double> ranks;           // of numbers
};

TokenKinds kinds_of(const ClsEncoderOptions& options, const Tensor& ids) {
  TokenKinds kinds;
  const std::vector<double> tokens = ids.to_vector();
  const auto* task = std::get_if<tasks::NumberTask>(&options.task);
  const std::vector<double> ranks = task ? task->ranks() : std::vector<double>();
  const auto length = static_cast<std::size_t>(ids.shape()[1]);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::size_t place = i % length;
    double rank = 0;
    bool number = place > 0;
    if (task) {
      number = number && tokens[i] <= static_cast<double>(task->numbers);
      if (number) rank = ranks[static_cast<std::size_t>(tokens[i]) - 1];
    } else if (number) {
      const std::size_t high = place % 2 == 1 ? i : i - 1;
      const auto digits = static_cast<double>(std::get<DigitTask>(options.task).digits);
      rank = digits * (tokens[high] - 1) + tokens[high + 1] - 1;
    }
    kinds.numbers.push_back(number ? 1 : 0);
    kinds.nouns.push_back(place > 0 && !number ? 1 : 0);
    kinds.ranks.push_back(rank);
  }
  return kinds;
}

double mean_where(const std::vector<double>& values, const std::vector<double>& where) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i] * where[i];
    count += where[i];
  }
  return sum / count;
}

std::vector<double> where(const std::vector<double>& values, const std::vector<double>& mask) {
  std::vector<double> chosen;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (mask[i] != 0) chosen.push_back(values[i]);
  }
  return chosen;
}

}  // namespace

ClsEncoder::ClsEncoder(const ClsEncoderOptions& options, const nn::Seed& seed)
    : options_(options),
      encoder_(encoder_options(options), seed / "encoder"),
      readout_(options.d_model, classes(options), seed / "readout", {.init = tasks::kByWidth}) {
  add_module("encoder", encoder_);
  add_module("readout", readout_);
}

Variable ClsEncoder::operator()(const Tensor& ids, const nn::EncoderContext& context) {
  return readout_(nn::cls(encoder_(ids, context)));
}

tasks::NumberBatch draw_texts(std::int64_t batch, const ClsEncoderOptions& options,
                              Generator& generator) {
  if (const auto* numbers = std::get_if<tasks::NumberTask>(&options.task)) {
    return tasks::draw_numbers(batch, *numbers, generator);
  }
  return draw_digits(batch, std::get<DigitTask>(options.task), generator);
}

std::unique_ptr<ClsEncoder> trained_cls_encoder(const ClsEncoderOptions& options,
                                                std::uint64_t seed,
                                                const std::function<void(int)>& progress) {
  static course::Memo<std::pair<ClsEncoderOptions, std::uint64_t>, nn::StateDict> memo;
  auto model = std::make_unique<ClsEncoder>(options, nn::Seed(seed) / "cls_encoder");
  model->load_state_dict(memo({options, seed}, [&] {
    ClsEncoder trained(options, nn::Seed(seed) / "cls_encoder");
    Generator texts(seed, "cls_encoder.train");
    tasks::train(trained, trained.parameters(),
                 {.updates = options.updates, .lr = options.lr, .progress = progress}, [&] {
                   const tasks::NumberBatch batch = draw_texts(options.batch, options, texts);
                   return cross_entropy(trained(batch.ids), batch.answer);
                 });
    return trained.state_dict();
  }));
  return model;
}

EncoderScore encoder_score(ClsEncoder& model, const tasks::NumberBatch& texts) {
  const NoGrad no_grad;
  std::vector<nn::AttentionTrace> traces;
  const Tensor logits = model(texts.ids, {.traces = &traces}).value();
  const bool nouns = std::holds_alternative<tasks::NumberTask>(model.options().task);
  const TokenKinds kinds = kinds_of(model.options(), texts.ids);
  const Tensor numbers = from_vector(kinds.numbers, texts.ids.shape(), DType::kBool);
  const Tensor others = from_vector(kinds.nouns, texts.ids.shape(), DType::kBool);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  EncoderScore score{nn::accuracy(logits, texts.answer), {}};
  for (std::size_t layer = 0; layer < traces.size(); ++layer) {
    const nn::AttentionTrace& trace = traces[layer];
    const auto of_cls = [](const Variable& map) { return slice(map.value(), 2, 0, 1); };
    const std::vector<double> on_answer =
        tasks::weight_on(of_cls(trace.weights), unsqueeze(texts.holds, 1));
    for (std::int64_t h = 0; h < model.options().heads; ++h) {
      const auto of_head = [&](const Tensor& x) { return select(x, 1, h); };
      const std::vector<double> weights =
          select(of_head(of_cls(trace.weights)), 1, 0).to_vector();  // [B, T]
      const std::vector<double> z = select(of_head(of_cls(trace.scaled_scores)), 1, 0).to_vector();
      EncoderHead one{static_cast<std::int64_t>(layer),
                      h,
                      on_answer[static_cast<std::size_t>(h)],
                      kNone,
                      kNone,
                      nn::spearman(where(z, kinds.numbers), where(kinds.ranks, kinds.numbers))};
      if (nouns) {
        one.ratio = mean_where(weights, kinds.numbers) / mean_where(weights, kinds.nouns);
        one.gap = nn::qk_match(select(of_head(of_cls(trace.query)), 1, 0),
                               of_head(trace.key.value()), numbers, others)
                      .of_cosines.gap;
      }
      score.heads.push_back(one);
    }
  }
  return score;
}

}  // namespace gradwalk::lesson_20
