#include "bench/bench.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <fstream>
#include <ostream>

#include "bench/json.h"
#include "bench/machine.h"
#include "bench/measure.h"
#include "bench/options.h"
#include "bench/table.h"
#include "bench/workloads.h"
#include "tensor/threads.h"

namespace gradwalk::bench {
namespace {

// Opened before anything is measured, so that a name that cannot be is an error at once.
std::ofstream open_json(const std::string& name) {
  std::ofstream file;
  if (name.empty()) return file;
  file.open(name);
  if (!file) throw UsageError(fmt::format("--json: cannot write '{}'", name));
  return file;
}

std::vector<Row> measure_all(const std::vector<Workload>& workloads, const Options& options,
                             const SetThreads& set_threads, std::ostream& out, std::ostream& err) {
  std::vector<Row> rows;
  std::vector<Row> family;  // rows that are not printed yet
  const auto print_family = [&] {
    if (!family.empty()) out << render_table(family) << std::flush;
    family.clear();
  };
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    err << fmt::format("[{}/{}] {}\n", i + 1, workloads.size(), workloads[i].name) << std::flush;
    for (const Row& row : measure(workloads[i], options.measure, set_threads)) {
      if (!family.empty() && family_of(family.front()) != family_of(row)) print_family();
      family.push_back(row);
      rows.push_back(row);
    }
  }
  print_family();
  return rows;
}

int run(const std::vector<std::string>& words, const Peers& peers, std::ostream& out,
        std::ostream& err) {
  const Options options = parse_options(words, count_cores());
  if (options.help) {
    out << help_page();
    return 0;
  }
  const std::vector<Workload> workloads = select_workloads(all_workloads(peers), options.filter);
  if (options.list) {
    for (const Workload& workload : workloads) out << workload.name << "\n";
    return 0;
  }
  std::ofstream json = open_json(options.json);
  const SetThreads set_threads = [&peers](int threads) {
    set_num_threads(threads);
    omp_set_num_threads(threads);
    for (const auto& peer : peers) peer->set_threads(threads);
  };
  initialize_measuring("gradwalk_bench");
  const Machine machine = look_at_machine(peers, options.measure, set_threads);
  out << describe(machine) << std::flush;
  const std::vector<Row> rows = measure_all(workloads, options, set_threads, out, err);
  if (json.is_open()) json << to_json(machine, rows) << std::flush;
  const bool differ =
      std::any_of(rows.begin(), rows.end(), [](const Row& row) { return !row.error.empty(); });
  return differ ? 1 : 0;
}

}  // namespace

int run_bench(const std::vector<std::string>& words, const Peers& peers, std::ostream& out,
              std::ostream& err) {
  try {
    return run(words, peers, out, err);
  } catch (const UsageError& error) {
    err << "gradwalk bench: " << error.what() << "\nsee gradwalk bench --help\n";
    return 2;
  }
}

}  // namespace gradwalk::bench
