#include "bench/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cxxopts.hpp>
#include <optional>

namespace gradwalk::bench {
namespace {

cxxopts::Options specs() {
  cxxopts::Options options("gradwalk bench",
                           "Times ours, the naive loops and installed libraries side by side.");
  options.add_options()  //
      ("filter", "only workloads with TEXT in their names; several with commas",
       cxxopts::value<std::vector<std::string>>(), "TEXT")                                        //
      ("threads", "numbers of threads (1,2)", cxxopts::value<std::vector<std::string>>(), "N,N")  //
      ("json", "write the figures to a file", cxxopts::value<std::string>(), "FILE")              //
      ("list", "the workloads' names, and nothing else")                                          //
      ("min-time", "milliseconds that a sample lasts at least (1)", cxxopts::value<std::string>(),
       "MS")  //
      ("samples", "samples of each contender (15); slow ones have fewer",
       cxxopts::value<std::string>(), "N")  //
      ("help", "this page");
  return options;
}

constexpr const char* kExplanation = R"(
A ratio above 1 means that ours is better than the best peer, and the last column
is ours as a share of what the machine allows at most, measured in the same run:
multiply-adds on registers, or copying or reading the same bytes. Results are
compared before anything is timed. A figure is the median of its samples; with a ~
all were disturbed by other processes. The naive loops have one thread, and where
they would take long they do a part of the workload; their gradient of layer norm is
its whole Jacobian, as the definition has it.

  gradwalk bench --filter=gemm.nn            one family
  gradwalk bench --filter=softmax,layer_norm --threads=1 --json=rows.json

Exit code 0, 1 if results differ, 2 if the command line is wrong.
)";

template <class Number>
std::optional<Number> parse(const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

int parse_count(const std::string& option, const std::string& text, int most) {
  const auto count = parse<int>(text);
  if (!count || *count < 1 || *count > most) {
    throw UsageError(
        fmt::format("--{}: expected a whole number from 1 to {}, got '{}'", option, most, text));
  }
  return *count;
}

double parse_milliseconds(const std::string& text) {
  constexpr double kMost = 10'000;
  const auto time = parse<double>(text);
  if (!time || !(*time > 0 && *time <= kMost)) {
    throw UsageError(fmt::format("--min-time: expected milliseconds above 0, at most {}, got '{}'",
                                 kMost, text));
  }
  return *time;
}

}  // namespace

Options parse_options(const std::vector<std::string>& words, int cores) {
  Options options;
  options.measure.threads = cores > 1 ? std::vector<int>{1, 2} : std::vector<int>{1};
  std::vector<const char*> argv{"gradwalk bench"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  try {
    cxxopts::Options known = specs();
    const auto given = known.parse(static_cast<int>(argv.size()), argv.data());
    if (!given.unmatched().empty()) {
      throw UsageError(fmt::format("expected options only, got '{}'", given.unmatched().front()));
    }
    options.help = given.count("help") > 0;
    options.list = given.count("list") > 0;
    if (given.count("filter") > 0) options.filter = given["filter"].as<std::vector<std::string>>();
    if (given.count("json") > 0) options.json = given["json"].as<std::string>();
    if (given.count("threads") > 0) {
      options.measure.threads.clear();
      for (const auto& text : given["threads"].as<std::vector<std::string>>()) {
        options.measure.threads.push_back(parse_count("threads", text, cores));
      }
    }
    if (given.count("min-time") > 0) {
      options.measure.min_time = parse_milliseconds(given["min-time"].as<std::string>()) * 1e-3;
    }
    if (given.count("samples") > 0) {
      options.measure.samples = parse_count("samples", given["samples"].as<std::string>(), 10'000);
    }
  } catch (const cxxopts::exceptions::exception& error) {
    throw UsageError(error.what());
  }
  return options;
}

std::string help_page() { return specs().help() + kExplanation; }

std::vector<Workload> select_workloads(std::vector<Workload> all,
                                       const std::vector<std::string>& filter) {
  if (filter.empty()) return all;
  std::erase_if(all, [&](const Workload& workload) {
    return std::none_of(filter.begin(), filter.end(), [&](const std::string& text) {
      return workload.name.find(text) != std::string::npos;
    });
  });
  if (all.empty()) {
    throw UsageError(fmt::format("--filter: no workload has '{}' in its name; --list shows all",
                                 fmt::join(filter, "' or '")));
  }
  return all;
}

}  // namespace gradwalk::bench
