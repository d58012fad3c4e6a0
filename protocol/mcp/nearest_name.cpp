#include "protocol/mcp/nearest_name.hpp"

#include "schemas/ascii.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace memd::mcp {
namespace {

constexpr std::size_t kLongestName = 64;

// Letters and digits in lower case: "nResults", "n-results" and "n_results" are the same word.
std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, kLongestName))
    if (ascii::is_alnum(c)) out += ascii::lower(c);
  return out;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string_view> nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  const std::string wanted = folded(name);
  std::optional<std::string_view> best;
  std::size_t best_distance = 0;
  for (const std::string_view candidate : candidates) {
    const std::string have = folded(candidate);
    std::size_t distance = edit_distance(wanted, have);
    const bool contains = std::min(wanted.size(), have.size()) >= 3 &&
                          (wanted.find(have) != std::string::npos || have.find(wanted) != std::string::npos);
    if (!contains && distance * 3 > std::max(wanted.size(), have.size())) continue;
    if (!best || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace memd::mcp
