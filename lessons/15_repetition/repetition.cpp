#include "lessons/15_repetition/repetition.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>

namespace gradwalk::lesson_15 {
namespace {

std::vector<std::vector<double>> rows(const Tensor& texts) {
  const std::vector<double> ids = texts.to_vector();
  const auto words = static_cast<std::ptrdiff_t>(texts.shape()[1]);
  std::vector<std::vector<double>> split;
  for (auto at = ids.begin(); at != ids.end(); at += words) split.emplace_back(at, at + words);
  return split;
}

}  // namespace

std::vector<double> repeated_share(const Tensor& texts, std::int64_t length) {
  if (texts.shape()[1] < length) {
    throw std::invalid_argument("repeated_share: expected texts of at least `length` words");
  }
  std::vector<double> shares;
  for (const std::vector<double>& text : rows(texts)) {
    std::set<std::vector<double>> seen;
    std::int64_t all = 0, again = 0;
    for (auto at = text.begin(); text.end() - at >= length; ++at, ++all) {
      if (!seen.emplace(at, at + length).second) ++again;
    }
    shares.push_back(static_cast<double>(again) / static_cast<double>(all));
  }
  return shares;
}

double share_in_loop(const Tensor& texts, std::int64_t first, std::int64_t longest) {
  if (first < 0 || longest < 1 || first + 2 * longest > texts.shape()[1]) {
    throw std::invalid_argument("share_in_loop: expected first >= 0 and room for two rounds");
  }
  std::int64_t loops = 0;
  for (const std::vector<double>& text : rows(texts)) {
    const auto begin = text.begin() + first;
    for (std::int64_t period = 1; period <= longest; ++period) {
      if (std::equal(begin + period, text.end(), begin)) {
        ++loops;
        break;
      }
    }
  }
  return static_cast<double>(loops) / static_cast<double>(texts.shape()[0]);
}

std::vector<Cycle> cycles_of(const std::vector<std::int64_t>& next) {
  const auto after = [&](std::int64_t id) { return next[static_cast<std::size_t>(id)]; };
  std::map<std::int64_t, Cycle> cycles;  // by smallest id
  for (std::int64_t start = 0; start < std::ssize(next); ++start) {
    std::int64_t id = start;
    for (std::size_t i = 0; i < next.size(); ++i) id = after(id);  // now it is in a cycle
    std::int64_t smallest = id;
    for (std::int64_t at = after(id); at != id; at = after(at)) smallest = std::min(smallest, at);
    Cycle& cycle = cycles[smallest];
    if (cycle.basin++ > 0) continue;
    cycle.ids = {smallest};
    for (std::int64_t at = after(smallest); at != smallest; at = after(at)) cycle.ids.push_back(at);
  }
  std::vector<Cycle> sorted;
  for (auto& [smallest, cycle] : cycles) sorted.push_back(std::move(cycle));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Cycle& a, const Cycle& b) { return a.basin > b.basin; });
  return sorted;
}

}  // namespace gradwalk::lesson_15
