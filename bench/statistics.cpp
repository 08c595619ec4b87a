#include "bench/statistics.h"

#include <algorithm>

namespace gradwalk::bench {

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  const std::size_t middle = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[middle] : (numbers[middle - 1] + numbers[middle]) / 2;
}

std::size_t count_clean(const std::vector<Sample>& samples) {
  return static_cast<std::size_t>(
      std::count_if(samples.begin(), samples.end(),
                    [](const Sample& sample) { return sample.waited <= kMostWaiting; }));
}

Summary summarize(const std::vector<Sample>& samples, int threads) {
  std::vector<double> clean;
  std::vector<double> cpu;
  std::vector<double> all;
  for (const Sample& sample : samples) {
    if (sample.waited <= kMostWaiting) clean.push_back(sample.seconds);
    cpu.push_back(sample.cpu_seconds);
    all.push_back(sample.seconds);
  }
  // Slow workloads have fewer samples than three.
  if (clean.size() >= std::min<std::size_t>(3, samples.size())) return {median(clean), true};
  if (threads == 1) return {median(cpu), false};
  return {*std::min_element(all.begin(), all.end()), false};
}

std::optional<double> ratio(const Unit& unit, std::optional<double> ours,
                            std::optional<double> other) {
  if (!ours || !other) return std::nullopt;
  return unit.higher_is_better ? *ours / *other : *other / *ours;
}

std::optional<double> better(const Unit& unit, std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return a ? a : b;
  return unit.higher_is_better == (*a > *b) ? a : b;
}

}  // namespace gradwalk::bench
