// Trains a model for a few steps and prints one number: with "peak" MiB of memory that the process
// had at most, with "allocations" how often a step asks the system for memory after the third.
//
//     gradwalk_bench_memory CONFIG peak|allocations
//
// Linked without peers it trains ours, with libtorch that one's.

#include <cstdio>
#include <cstring>
#include <functional>

#include "bench/gpt.h"
#include "bench/memory.h"
#include "bench/peers/peer.h"
#include "tensor/allocator.h"

namespace gradwalk::bench {
namespace {

// The step owns all that it needs. What libtorch's model was copied from is gone when it runs.
std::function<void()> training_step(const GptConfig& config) {
  if (found_peers().empty()) {
    const auto setup = std::make_shared<GptSetup>(config);
    const auto optimizer = std::make_shared<nn::AdamW>(gpt_optimizer(setup->model));
    return [=] { gpt_step(setup->model, *optimizer, setup->batch); };
  }
  std::function<void()> step;
  {
    const GptSetup initial(config);
    for (const auto& peer : found_peers()) {
      peer->set_threads(1);
      for (const Contender& way : peer->gpt({config, Pass::kStep, &initial.model, initial.batch})) {
        step = way.run;
      }
    }
  }
  release_free_memory();
  return step;
}

double measure(const GptConfig& config, bool peak) {
  const auto step = training_step(config);
  for (int i = 0; i < 3; ++i) step();
  constexpr int kMore = 3;
  const std::int64_t before = memory_stats().system_allocations;
  for (int i = 0; i < kMore; ++i) step();
  const auto asked = static_cast<double>(memory_stats().system_allocations - before);
  return peak ? peak_memory() : asked / kMore;
}

}  // namespace
}  // namespace gradwalk::bench

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  for (const auto& config : gradwalk::bench::gpt_configs()) {
    if (config.name != argv[1]) continue;
    const bool peak = std::strcmp(argv[2], "peak") == 0;
    std::printf("%g\n", gradwalk::bench::measure(config, peak));
    return 0;
  }
  return 2;
}
