#include "bench/machine.h"

#include <fmt/format.h>

#include <fstream>
#include <thread>

#include "bench/limits.h"
#include "tensor/arch.h"

namespace gradwalk::bench {
namespace {

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos && line.starts_with("model name")) return line.substr(colon + 2);
  }
  return "unknown";
}

Workload limit_workload(const Unit& unit, double amount, Contender (*limit)(double)) {
  return {"limits", unit, amount, 0, [amount, limit] { return std::vector{limit(amount * 1e9)}; }};
}

}  // namespace

int count_cores() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

Machine look_at_machine(const Peers& peers, const MeasureOptions& options,
                        const SetThreads& set_threads) {
  Machine machine{cpu_name(), count_cores(), GRADWALK_COMPILER, simd_target(), {}, {}};
  for (const auto& peer : peers) machine.peers.push_back(peer->describe());
  const auto measure_limit = [&](const Workload& workload, double Machine::Limits::*field) {
    for (const Row& row : measure(workload, options, set_threads)) {
      machine.limits[row.threads].*field = row.limit.value_or(0);
    }
  };
  measure_limit(limit_workload(kGflops, 0.2, fma_limit), &Machine::Limits::fma_gflops);
  measure_limit(limit_workload(kGigabytes, 0.5, copy_limit), &Machine::Limits::copy_gbs);
  measure_limit(limit_workload(kGigabytes, 0.5, read_limit), &Machine::Limits::read_gbs);
  return machine;
}

std::string describe(const Machine& machine) {
  std::string text = fmt::format("{}, {} cores\n{}, {}\n", machine.cpu, machine.cores,
                                 machine.compiler, machine.simd);
  for (const std::string& peer : machine.peers) text += peer + "\n";
  for (const auto& [threads, limits] : machine.limits) {
    text += fmt::format("limits, {} thread{}: {:.0f} GFLOP/s, copy {:.0f} GB/s, read {:.0f} GB/s\n",
                        threads, threads == 1 ? "" : "s", limits.fma_gflops, limits.copy_gbs,
                        limits.read_gbs);
  }
  return text;
}

}  // namespace gradwalk::bench
