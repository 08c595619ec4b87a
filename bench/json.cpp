#include "bench/json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

namespace gradwalk::bench {
namespace {

using Json = nlohmann::ordered_json;

Json number(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }

Json machine_json(const Machine& machine, const std::vector<Row>& rows) {
  Json limits = Json::object();
  for (const auto& [threads, of] : machine.limits) {
    limits[fmt::format("{}", threads)] = {
        {"fma_gflops", of.fma_gflops}, {"copy_gbs", of.copy_gbs}, {"read_gbs", of.read_gbs}};
  }
  Json notes = Json::array();
  for (const Row& row : rows) {
    const std::string where = fmt::format("{}, threads {}: ", row.workload, row.threads);
    if (!row.error.empty()) notes.push_back(where + row.error);
    if (!row.unclean.empty()) {
      notes.push_back(where + fmt::format("disturbed: {}", fmt::join(row.unclean, ", ")));
    }
  }
  return {{"cpu", machine.cpu},       {"cores", machine.cores}, {"compiler", machine.compiler},
          {"simd", machine.simd},     {"peers", machine.peers}, {"limits", std::move(limits)},
          {"notes", std::move(notes)}};
}

}  // namespace

std::string to_json(const Machine& machine, const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) {
    list.push_back({{"workload", row.workload},
                    {"threads", row.threads},
                    {"unit", row.unit.name},
                    {"better", row.unit.higher_is_better ? "higher" : "lower"},
                    {"ours", number(row.ours)},
                    {"naive", number(row.naive)},
                    {"peers", row.peers.empty() ? Json::object() : Json(row.peers)},
                    {"limit", number(row.limit)},
                    {"ratio_best_peer", number(row.ratio_best_peer())},
                    {"of_limit", number(row.of_limit())}});
  }
  const Json record{
      {"schema", 1}, {"machine", machine_json(machine, rows)}, {"rows", std::move(list)}};
  return record.dump(1) + "\n";
}

}  // namespace gradwalk::bench
