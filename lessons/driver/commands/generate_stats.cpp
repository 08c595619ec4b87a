#include "lessons/driver/commands/generate_stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "tensor/create.h"
#include "tensor/reduce.h"
#include "tensor/threads.h"

namespace gradwalk::commands {
namespace {

// Past the last cache of most machines.
constexpr std::int64_t kLeastBlock = std::int64_t{64} << 20;
constexpr int kReads = 10;

std::string bytes_text(double bytes) {
  const char* unit = "bytes";
  for (const char* larger : {"KiB", "MiB", "GiB"}) {
    if (bytes < 1024) break;
    bytes /= 1024;
    unit = larger;
  }
  return fmt::format("{:.4g} {}", bytes, unit);
}

std::string speed_text(const std::string& what, std::int64_t tokens, double seconds) {
  const std::string time =
      seconds < 1 ? fmt::format("{:.3g} ms", 1e3 * seconds) : fmt::format("{:.2f} s", seconds);
  return fmt::format("{} {} in {}: {:.0f} tokens/s\n", tokens, what, time,
                     static_cast<double>(tokens) / seconds);
}

}  // namespace

std::int64_t weight_bytes_per_token(const nn::CausalLm& model) {
  std::int64_t bytes = 0;
  for (const nn::NamedParameter& parameter : model.named_parameters()) {
    const Tensor& value = parameter.variable.value();
    // A tied table is the output layer too, which reads all of it.
    const bool is_table =
        (parameter.name == "embed_tokens.weight" && !model.options().tie_embeddings) ||
        parameter.name == "embed_positions.weight";
    const std::int64_t numbers = is_table ? value.shape()[1] : value.numel();
    bytes += numbers * static_cast<std::int64_t>(size_of(value.dtype()));
  }
  return bytes;
}

double read_bandwidth(std::int64_t bytes) {
  // Whole numbers: adding them up takes no more time than reading them.
  const Tensor block = ones({bytes / 8}, DType::kInt64);
  double best = 0;
  for (int i = 0; i < kReads; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const double total = sum(block).item();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (total > 0) best = std::max(best, static_cast<double>(bytes) / seconds.count());
  }
  return best;
}

std::string stats_text(const nn::CausalLm& model, const GenerateTimes& times, bool use_cache) {
  std::string text = "prompt   " + speed_text(times.prompt == 1 ? "token" : "tokens", times.prompt,
                                              times.prompt_seconds);
  if (times.steps > 0) {
    text += "new      " + speed_text("after the first", times.steps, times.step_seconds);
  }
  const std::int64_t per_position = model.make_cache(/*batch=*/1, /*capacity=*/1).bytes_allocated();
  std::int64_t positions = times.prompt + times.steps;
  const bool slides = model.learns_positions() && positions > model.options().max_positions;
  if (slides) positions = model.options().max_positions;
  text += use_cache ? fmt::format("cache    {}: {} for each of {} positions\n",
                                  bytes_text(static_cast<double>(per_position * positions)),
                                  bytes_text(static_cast<double>(per_position)), positions)
                    : "cache    none: every token computed all positions anew\n";
  if (slides) text += fmt::format("slide    later tokens computed {} positions anew\n", positions);
  if (times.steps == 0 || slides) return text;

  const auto weights = static_cast<double>(weight_bytes_per_token(model));
  // The first step sees one position more than the prompt, the last all of them.
  const double cached = use_cache ? static_cast<double>(per_position) *
                                        static_cast<double>(times.prompt + 1 + positions) / 2
                                  : 0;
  const double rate = (weights + cached) * static_cast<double>(times.steps) / times.step_seconds;
  const std::int64_t block = std::max(kLeastBlock, static_cast<std::int64_t>(weights));
  const double limit = read_bandwidth(block);
  text += fmt::format("read     {} a token, {} of them weights: {:.3g} GB/s\n",
                      bytes_text(weights + cached), bytes_text(weights), rate / 1e9);
  text += fmt::format("limit    {:.3g} GB/s, the best of {} reads of {} with {}\n", limit / 1e9,
                      kReads, bytes_text(static_cast<double>(block)),
                      num_threads() == 1 ? "1 thread" : fmt::format("{} threads", num_threads()));
  text += fmt::format("share    {:.1f} %{}\n", 100 * rate / limit,
                      weights < static_cast<double>(kLeastBlock)
                          ? "; weights this small may stay in a cache, which is faster"
                          : "");
  return text;
}

}  // namespace gradwalk::commands
