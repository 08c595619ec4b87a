#include "lessons/tasks/write_texts.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/sampling.h"
#include "tensor/create.h"
#include "tensor/error.h"
#include "tensor/layout.h"

namespace gradwalk::tasks {
namespace {

// How many of the newest words the next one can depend on; all if there is no end to it.
std::int64_t words_seen(const nn::CausalLm& model, std::int64_t all) {
  if (model.learns_positions()) return std::min(all, model.options().max_positions);
  return model.options().block.has_attention ? all : 1;
}

}  // namespace

Tensor write_texts(nn::CausalLm& model, const Tensor& prompts, std::int64_t words,
                   double temperature, Generator& generator) {
  if (prompts.ndim() != 2 || prompts.shape()[1] < 1) {
    throw_shape_error("write_texts", "prompts [N, P] with P >= 1", prompts.shape().str(),
                      {{"prompts", prompts.shape()}});
  }
  if (words < 1) throw_argument_error("write_texts", "words >= 1", fmt::format("{}", words));
  const NoGrad no_grad;
  const std::int64_t texts = prompts.shape()[0], before = prompts.shape()[1];
  Tensor all = zeros({texts, before + words}, DType::kInt64);
  auto* const ids = all.mutable_data<std::int64_t>();
  for (std::int64_t text = 0; text < texts; ++text) {
    for (std::int64_t at = 0; at < before; ++at) {
      ids[text * (before + words) + at] = static_cast<std::int64_t>(prompts.at({text, at}));
    }
  }
  for (std::int64_t end = before; end < before + words; ++end) {
    const Tensor logits = model(slice(all, 1, end - words_seen(model, end), end)).value();
    for (std::int64_t text = 0; text < texts; ++text) {
      const Tensor of_text = select(select(logits, 0, text), 0, -1);
      const auto next = nn::candidates(of_text, {.temperature = temperature});
      ids[text * (before + words) + end] = nn::pick(next, generator.uniform());
    }
  }
  return slice(all, 1, before, before + words);
}

}  // namespace gradwalk::tasks
