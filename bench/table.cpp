#include "bench/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace gradwalk::bench {
namespace {

struct Column {
  std::string head;
  std::function<std::string(const Row&)> cell;
};

std::string figure(const Row& row, const std::string& contender, std::optional<double> value) {
  if (!value) return "-";
  const bool unclean =
      std::any_of(row.unclean.begin(), row.unclean.end(),
                  [&](const std::string& name) { return peer_of(name) == contender; });
  return short_number(*value) + (unclean ? "~" : "");
}

std::vector<Column> columns_for(const std::vector<Row>& rows) {
  std::vector<Column> columns{
      {"T", [](const Row& row) { return fmt::format("{}", row.threads); }},
      {"naive", [](const Row& row) { return figure(row, "naive", row.naive); }},
      {"ours", [](const Row& row) { return figure(row, "ours", row.ours); }}};
  std::vector<std::string> peers;
  for (const Row& row : rows) {
    for (const auto& [name, value] : row.peers) {
      const std::string peer = peer_of(name);
      if (std::find(peers.begin(), peers.end(), peer) == peers.end()) peers.push_back(peer);
    }
  }
  for (const std::string& peer : peers) {
    columns.push_back(
        {peer, [peer](const Row& row) { return figure(row, peer, row.best_of(peer)); }});
  }
  columns.push_back({"ratio", [](const Row& row) {
                       const auto ratio = row.ratio_best_peer();
                       return ratio ? fmt::format("{:.2f}x", *ratio) : "-";
                     }});
  if (std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.limit.has_value(); })) {
    columns.push_back({"limit", [](const Row& row) {
                         const auto share = row.of_limit();
                         return share ? fmt::format("{:.3g}%", *share * 100) : "-";
                       }});
  }
  return columns;
}

}  // namespace

std::string short_number(double number) {
  const double size = std::abs(number);
  if (size >= 999.5e3) return fmt::format("{:#.3g}M", number / 1e6);
  if (size >= 999.5)
    return fmt::format("{:.{}f}k", number / 1e3, size < 9995 ? 2 : size < 99950 ? 1 : 0);
  return fmt::format("{:.3g}", number);
}

std::string family_of(const Row& row) {
  const std::string word = row.workload.substr(0, row.workload.find('.'));
  const bool large = word == "gemm" || word == "attention" || word == "overhead" || word == "gpt" ||
                     word == "decode";
  return fmt::format("{}, {}, {} is better", large ? word : "ops", row.unit.name,
                     row.unit.higher_is_better ? "more" : "less");
}

std::string render_table(const std::vector<Row>& rows) {
  const std::vector<Column> columns = columns_for(rows);
  std::size_t name_width = 0;
  for (const Row& row : rows) name_width = std::max(name_width, row.workload.size());
  std::vector<std::size_t> widths;
  for (const Column& column : columns) {
    std::size_t width = column.head.size();
    for (const Row& row : rows) {
      if (row.error.empty()) width = std::max(width, column.cell(row).size());
    }
    widths.push_back(width);
  }
  std::string text = fmt::format("\n{}\n{:<{}}", family_of(rows.front()), "", name_width);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    text += fmt::format(" {:>{}}", columns[i].head, widths[i]);
  }
  text += "\n";
  for (const Row& row : rows) {
    text += fmt::format("{:<{}}", row.workload, name_width);
    if (!row.error.empty()) {
      text += fmt::format(" {}  ERROR {}\n", row.threads, row.error);
      continue;
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      text += fmt::format(" {:>{}}", columns[i].cell(row), widths[i]);
    }
    text += "\n";
  }
  return text;
}

}  // namespace gradwalk::bench
