#include "lessons/driver/probe/checkpoint.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "lessons/driver/probe/reading.h"
#include "lessons/tasks/module_weight.h"
#include "nn/checkpoint/config.h"
#include "tensor/create.h"
#include "tensor/inplace.h"
#include "tensor/layout.h"

namespace gradwalk::probe {
namespace {

std::int64_t nonfinite(const Tensor& x) {
  std::int64_t count = 0;
  for (const double value : x.to_vector()) count += std::isfinite(value) ? 0 : 1;
  return count;
}

void require_finite(const nn::Module& model, const std::filesystem::path& path) {
  for (const auto& [name, tensor] : model.state_dict()) {
    if (const std::int64_t count = nonfinite(tensor); count > 0) {
      throw NonfiniteError(fmt::format(
          "probe: expected weights that are finite in float32, got {} NaN or Inf in {}; {}", count,
          name, path.string()));
    }
  }
}

// Weights that come back when this goes.
class Without {
 public:
  Without(const Tensor& o_weight, const nn::MultiHeadAttentionOptions& attention, std::int64_t head)
      : columns_(columns(o_weight, attention.num_heads, head)), kept_(clone(columns_)) {
    fill(columns_, 0);
  }
  ~Without() { copy_into(columns_, kept_); }
  Without(const Without&) = delete;
  Without& operator=(const Without&) = delete;

 private:
  static Tensor columns(const Tensor& o_weight, std::int64_t heads, std::int64_t head) {
    const std::int64_t width = o_weight.shape()[1] / heads;
    return slice(o_weight, 1, head * width, (head + 1) * width);
  }

  Tensor columns_;
  Tensor kept_;
};

}  // namespace

Checkpoint::Checkpoint(const std::filesystem::path& path, const std::filesystem::path& settings) {
  const nn::CheckpointFiles files = files_of(path, settings);
  if (files.config.empty()) {
    auto model = nn::load_model(files);
    reading_ = read_names(files, model->options());
    model_ = std::move(model);
  } else {
    const nn::ModelConfig config = nn::read_config(files.config);
    const bool causal = config.architecture == nn::Architecture::kLlama ||
                        config.architecture == nn::Architecture::kGpt2;
    if (causal) {
      model_ = nn::load_model(files);
    } else {
      model_ = nn::load_encoder(files);
    }
    reading_ = read_names(files, config);
  }
  reading_.taken = module().num_parameters();
  require_finite(module(), files.weights);
}

const nn::Module& Checkpoint::module() const {
  return std::visit([](const auto& model) -> const nn::Module& { return *model; }, model_);
}

const nn::MultiHeadAttentionOptions& Checkpoint::attention() const {
  return std::visit(
      [](const auto& model) -> const nn::MultiHeadAttentionOptions& {
        return model->options().block.attention;
      },
      model_);
}

std::int64_t Checkpoint::layers() const {
  return std::visit([](const auto& model) { return model->options().num_layers; }, model_);
}

std::int64_t Checkpoint::vocabulary() const {
  return std::visit([](const auto& model) { return model->options().vocab_size; }, model_);
}

std::optional<std::int64_t> Checkpoint::positions() const {
  const std::int64_t rows =
      std::visit([](const auto& model) { return model->options().max_positions; }, model_);
  if (attention().rope || rows == 0) return std::nullopt;
  return rows;
}

Tensor Checkpoint::weight(std::int64_t layer, char role) const {
  return tasks::weight_of(module(), fmt::format("layers.{}.self_attn.{}_proj.weight", layer, role));
}

Forward Checkpoint::run(const std::vector<std::int64_t>& text,
                        std::optional<LeftOut> without) const {
  const Tensor ids = from_vector(std::vector<double>(text.begin(), text.end()),
                                 {1, std::ssize(text)}, DType::kInt64);
  const NoGrad guard;
  std::optional<Without> hole;
  if (without) hole.emplace(weight(without->layer, 'o'), attention(), without->head);

  Forward forward;
  std::vector<Variable> hidden;
  const auto with = [&](auto context, auto& model) {
    context.traces = &forward.traces;
    context.hidden = &hidden;
    return (*model)(ids, context);
  };
  const Variable output = is_causal() ? with(nn::CausalLmContext(), std::get<LanguageModel>(model_))
                                      : with(nn::EncoderContext(), std::get<TextEncoder>(model_));
  forward.output = select(output.value(), 0, 0);
  for (const Variable& x : hidden) forward.hidden.push_back(select(x.value(), 0, 0));
  const auto require = [&](const std::string& what, const Tensor& x) {
    if (const std::int64_t count = nonfinite(x); count > 0) {
      throw NonfiniteError(fmt::format("probe: expected finite {}, got {} NaN or Inf; {}", what,
                                       count, reading_.weights.string()));
    }
  };
  for (std::size_t i = 0; i < forward.traces.size(); ++i) {
    require(fmt::format("scores in layer {}", i), forward.traces[i].scaled_scores.value());
  }
  require("results", forward.output);
  return forward;
}

}  // namespace gradwalk::probe
