#include "nn/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "tensor/error.h"
#include "tensor/layout.h"
#include "tensor/random.h"

namespace gradwalk::nn {
namespace {

constexpr std::size_t kRoom = 1024;  // new positions that a cache has room for at first

// Puts a model into evaluation mode for a scope.
class Evaluating {
 public:
  explicit Evaluating(Module& module) : module_(module), before_(module.training()) {
    module_.eval();
  }
  ~Evaluating() { module_.train(before_); }
  Evaluating(const Evaluating&) = delete;
  Evaluating& operator=(const Evaluating&) = delete;

 private:
  Module& module_;
  bool before_;
};

Tensor as_ids(std::span<const std::int64_t> tokens) {
  Tensor ids("generate", {1, static_cast<std::int64_t>(tokens.size())}, DType::kInt64);
  std::copy(tokens.begin(), tokens.end(), ids.mutable_data<std::int64_t>());
  return ids;
}

}  // namespace

std::vector<std::int64_t> generate(CausalLm& model, std::span<const std::int64_t> prompt,
                                   const GenerateOptions& options,
                                   const std::function<bool(std::int64_t)>& on_token) {
  if (prompt.empty()) throw_argument_error("generate", "a prompt of at least one token", "none");
  if (options.steps < 0) {
    throw_argument_error("generate", "steps >= 0", fmt::format("{}", options.steps));
  }
  const NoGrad no_grad;
  const Evaluating evaluating(model);
  Generator generator(options.seed, "generate");
  std::vector<std::int64_t> tokens(prompt.begin(), prompt.end());
  std::size_t end = tokens.size() + static_cast<std::size_t>(options.steps);
  std::size_t window = end;  // tokens that the model can see at once
  if (model.learns_positions()) {
    const auto most = static_cast<std::size_t>(model.options().max_positions);
    window = std::min(end, most);
    if (tokens.size() > most && !options.slide) {
      throw std::out_of_range(
          error_text("generate", fmt::format("a prompt of at most {} tokens, its positions", most),
                     fmt::format("{}", tokens.size())));
    }
    if (!options.slide) end = window;
  }
  std::optional<KvCache> cache;
  CausalLmContext context;
  if (options.use_cache) {
    // `steps` may be more than a text will ever have.
    cache = model.make_cache(/*batch=*/1,
                             static_cast<std::int64_t>(std::min(window, tokens.size() + kRoom)),
                             CacheGrowth::kDoubling);
    context.cache = &*cache;
  }
  std::size_t seen = 0;  // tokens that the cache has
  while (tokens.size() < end) {
    if (tokens.size() > window) {  // the positions of all have changed
      context.cache = nullptr;
      seen = tokens.size() - window;
    }
    const Tensor logits = model(as_ids(std::span(tokens).subspan(seen)), context).value();
    if (context.cache != nullptr) seen = tokens.size();
    const Tensor last = select(select(logits, 0, 0), 0, -1);  // [V]
    const std::int64_t next =
        pick(candidates(last, options.sampling, tokens, "generate"), generator.uniform());
    const auto& stops = options.stop_tokens;
    if (std::find(stops.begin(), stops.end(), next) != stops.end()) break;
    tokens.push_back(next);
    if (on_token && !on_token(next)) break;
  }
  return {tokens.begin() + static_cast<std::ptrdiff_t>(prompt.size()), tokens.end()};
}

}  // namespace gradwalk::nn
