#include "bench/measure.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <map>
#include <optional>

#include "bench/statistics.h"
#include "bench/waiting.h"

namespace gradwalk::bench {
namespace {

constexpr double kSecondsEach = 0.5;  // for the samples of one contender, unless a few take longer
constexpr int kFewestSamples = 3;     // of the naive loops: 1
constexpr int kMostBatches = 3;       // of samples, while they are disturbed
constexpr double kSettle = 0.2e-3;    // untimed calls before a sample: they warm the caches
constexpr double kSettleTeam = 2e-3;  // and wake the team's threads

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool is_naive(const Contender& contender) { return contender.name == "naive"; }

// The fastest of a few calls; of one, if it is slow.
double seconds_of_a_call(const Contender& contender) {
  const double start = now();
  double fastest = 0;
  double end = start;
  do {
    const double before = end;
    contender.run();
    end = now();
    fastest = before == start ? end - before : std::min(fastest, end - before);
  } while (end - start < 2e-3);
  return fastest;
}

// A contender with what is known of its time.
struct Timed {
  const Contender* contender;
  double seconds;  // of a call, roughly
  std::vector<Sample> samples{};

  int wanted(const MeasureOptions& options) const {
    const double time = is_naive(*contender) ? kSecondsEach / 2 : kSecondsEach;
    const auto fit = static_cast<int>(time / std::max(seconds, options.min_time));
    const int fewest = is_naive(*contender) ? 1 : kFewestSamples;
    return std::clamp(fit, std::min(fewest, options.samples), options.samples);
  }
  bool disturbed(const MeasureOptions& options) const {
    const auto half = static_cast<std::size_t>((wanted(options) + 1) / 2);
    return !is_naive(*contender) && count_clean(samples) < half;
  }
};

// Gathers what Google Benchmark measured, by contender.
class Collector : public benchmark::BenchmarkReporter {
 public:
  explicit Collector(std::vector<Timed>& timed) : timed_(timed) {}

  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      const auto calls = static_cast<double>(run.iterations);
      const double wall = run.real_accumulated_time;
      const double waited = run.counters.at("waited");
      for (Timed& timed : timed_) {
        if (timed.contender->name != run.run_name.function_name) continue;
        timed.samples.push_back({wall / calls, run.cpu_accumulated_time / calls, waited / wall});
      }
    }
  }

 private:
  std::vector<Timed>& timed_;
};

void take_sample(benchmark::State& state, const Timed& timed, int threads) {
  const double settle = threads > 1 ? kSettleTeam : kSettle;
  const double start = now();
  while (timed.seconds < kSecondsEach / 10 && now() - start < settle) timed.contender->run();
  const double before = seconds_waited();
  for ([[maybe_unused]] auto _ : state) timed.contender->run();
  state.counters["waited"] = seconds_waited() - before;
}

// One batch of samples of each, in random order.
void take_batch(std::vector<Timed>& timed, const MeasureOptions& options, int threads,
                bool with_naive) {
  for (Timed& one : timed) {
    if (is_naive(*one.contender) && !with_naive) continue;
    const auto calls = std::max(1.0, std::ceil(options.min_time / one.seconds));
    benchmark::RegisterBenchmark(
        one.contender->name.c_str(),
        [&one, threads](benchmark::State& state) { take_sample(state, one, threads); })
        ->Iterations(static_cast<benchmark::IterationCount>(calls))
        ->Repetitions(one.wanted(options))
        ->UseRealTime();
  }
  Collector collector(timed);
  benchmark::RunSpecifiedBenchmarks(&collector, ".");
  benchmark::ClearRegisteredBenchmarks();
}

void put(Row& row, const Contender& contender, double figure, bool clean) {
  if (!clean) row.unclean.insert(contender.name);
  if (contender.name == "ours") {
    row.ours = figure;
  } else if (is_naive(contender)) {
    row.naive = figure;
  } else if (contender.name == "limit") {
    row.limit = figure;
  } else {
    row.peers[contender.name] = figure;
  }
}

void time_contenders(Row& row, const std::vector<Contender>& contenders, const Workload& workload,
                     const MeasureOptions& options, bool with_naive) {
  std::vector<Timed> timed;
  for (const Contender& contender : contenders) {
    if (contender.reading) {
      put(row, contender, contender.reading(), true);
    } else if (with_naive || !is_naive(contender)) {
      timed.push_back({&contender, seconds_of_a_call(contender)});
    }
  }
  if (timed.empty()) return;
  for (int batch = 0; batch < kMostBatches; ++batch) {
    take_batch(timed, options, row.threads, with_naive && batch == 0);
    if (std::none_of(timed.begin(), timed.end(),
                     [&](const Timed& one) { return one.disturbed(options); })) {
      break;
    }
  }
  for (const Timed& one : timed) {
    const int threads = is_naive(*one.contender) ? 1 : row.threads;
    const Summary summary = summarize(one.samples, threads);
    put(row, *one.contender,
        to_figure(workload.unit, workload.amount * one.contender->share, summary.seconds),
        summary.clean);
  }
}

// What each contender's result is held against: that of the naive loops, else the first one's.
class Truth {
 public:
  // The first disagreement, in words.
  std::string check(const std::vector<Contender>& contenders, double tolerance) {
    if (!known_) {
      const auto has_result = [](const Contender& one) { return static_cast<bool>(one.result); };
      auto source = std::find_if(contenders.begin(), contenders.end(), is_naive);
      if (source == contenders.end()) {
        source = std::find_if(contenders.begin(), contenders.end(), has_result);
      }
      if (source == contenders.end()) return "";
      known_ = source->result();
    }
    for (const Contender& contender : contenders) {
      if (is_naive(contender) || !contender.result) continue;
      const std::string apart = difference(contender.result(), *known_, tolerance);
      if (!apart.empty()) return contender.name + ": " + apart;
    }
    return "";
  }

 private:
  std::optional<Tensors> known_;
};

}  // namespace

void initialize_measuring(const char* program) {
  std::string name = program;
  std::string interleave = "--benchmark_enable_random_interleaving=true";
  std::vector<char*> words{name.data(), interleave.data()};
  int count = static_cast<int>(words.size());
  benchmark::Initialize(&count, words.data());
}

std::vector<Row> measure(const Workload& workload, const MeasureOptions& options,
                         const SetThreads& set_threads) {
  std::vector<Row> rows;
  std::vector<Contender> contenders;
  Truth truth;
  for (const int threads : workload.one_thread_only ? std::vector<int>{1} : options.threads) {
    Row row{workload.name, threads, workload.unit, {}, {}, {}, {}, {}, {}};
    try {
      set_threads(threads);
      if (contenders.empty()) contenders = workload.contenders();
      row.error = truth.check(contenders, workload.tolerance);
      if (row.error.empty()) {
        time_contenders(row, contenders, workload, options, /*with_naive=*/rows.empty());
        if (!rows.empty()) row.naive = rows.front().naive;
      }
    } catch (const std::exception& error) {
      row.error = error.what();
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace gradwalk::bench
