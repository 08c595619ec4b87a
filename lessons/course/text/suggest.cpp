#include "lessons/course/text/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace gradwalk::course {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// What is only a part of a name is near to it, however long the name is.
std::size_t distance(std::string_view wanted, std::string_view name) {
  const std::string a = lower(wanted);
  const std::string b = lower(name);
  const std::size_t edits = 2 * edit_distance(a, b) + (wanted == name ? 0 : 1);
  return a.size() > 1 && b.find(a) != std::string::npos ? std::min<std::size_t>(edits, 3) : edits;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::vector<std::string> nearest(std::string_view wanted, std::vector<std::string> names,
                                 std::size_t count) {
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return distance(wanted, a) < distance(wanted, b);
  });
  if (names.size() > count) names.resize(count);
  return names;
}

std::string unknown(std::string_view kind, std::string_view wanted,
                    const std::vector<std::string>& names, std::size_t count) {
  if (names.empty()) return fmt::format("unknown {} '{}': there is none", kind, wanted);
  return fmt::format("unknown {} '{}', nearest: {}", kind, wanted,
                     fmt::join(nearest(wanted, names, count), ", "));
}

}  // namespace gradwalk::course
