#include "store/insight/continuity/name_weight.hpp"

#include "store/text/words.hpp"

#include <algorithm>
#include <cmath>

namespace memd::continuity {
namespace {

double rarity(std::size_t with, std::size_t all) {
  const auto n = static_cast<double>(std::max(all, with)) + 1;
  return std::clamp(std::log(n / (static_cast<double>(with) + 0.5)) / std::log(n / 1.5), 0.0, 1.0);
}

}  // namespace

bool is_standard_name(std::string_view name) {
  if (words(WordClass::standard_name).has(name)) return true;
  const auto end = name.find_first_of(".:");
  return end != std::string_view::npos && words(WordClass::standard_module).has(name.substr(0, end));
}

double name_weight(std::string_view name, const NameSpread& spread) {
  if (is_standard_name(name)) return 0;
  return (rarity(spread.sessions, spread.all_sessions) + rarity(spread.projects, spread.all_projects)) / 2;
}

}  // namespace memd::continuity
