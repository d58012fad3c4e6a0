#include "daemon/cli/spelling.hpp"

#include <algorithm>
#include <cstddef>

namespace memd::cli {
namespace {

// Returns the optimal string alignment distance: insertions, deletions, replacements, transpositions of neighbours.
std::size_t slips_between(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> rows((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return rows[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i)
    at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j)
    at(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t other = a[i - 1] == b[j - 1] ? 0 : 1;
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + other});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(a.size(), b.size());
}

}  // namespace

std::string nearest_name(std::string_view typed, const std::vector<std::string>& names) {
  constexpr std::size_t kLongName = 6;
  constexpr std::size_t kBeginning = 3;
  std::string best;
  std::size_t fewest = typed.size() < kLongName ? 2 : 3;  // one more than allowed
  for (const std::string& name : names) {
    const std::size_t slips = slips_between(typed, name);
    if (slips >= fewest) continue;
    fewest = slips;
    best = name;
  }
  if (!best.empty() || typed.size() < kBeginning) return best;
  const auto begins = std::ranges::find_if(names, [&](const std::string& name) { return name.starts_with(typed); });
  return begins == names.end() ? std::string() : *begins;
}

}  // namespace memd::cli
