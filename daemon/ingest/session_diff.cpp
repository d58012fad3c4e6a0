#include "daemon/ingest/session_diff.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace memd {
namespace {

using Keys = std::unordered_set<std::string_view>;

// Items before this one are not read again, changed or not: something behind them could not be read again.
std::size_t first_that_may_change(std::span<const SourceItem> known, const std::vector<bool>& is_gone) {
  const auto starts = [&](std::size_t i) { return known[i].starts_exchange; };
  std::size_t newest = known.size();
  while (newest > 0 && !starts(newest - 1))
    --newest;
  if (newest == 0) return 0;  // no exchange begins with an item of its own: all are one
  --newest;
  if (is_gone[newest]) return newest;
  std::size_t first = newest;
  while (first > 0 && !is_gone[first - 1])
    --first;
  if (first == 0) return 0;
  while (!starts(first))
    ++first;
  return first;
}

}  // namespace

SessionDiff compare_session(std::span<const SourceItem> known, std::span<const SnapshotReader::Item> listed) {
  Keys listed_keys;
  for (const auto& item : listed)
    listed_keys.insert(item.key);
  std::vector<bool> is_gone(known.size());
  for (std::size_t i = 0; i < known.size(); ++i)
    is_gone[i] = !listed_keys.contains(known[i].key);

  const std::size_t fixed = first_that_may_change(known, is_gone);
  Keys settled;  // keys that have their place among the kept items
  for (std::size_t i = 0; i < fixed; ++i)
    settled.insert(known[i].key);

  SessionDiff diff;
  diff.keep = static_cast<std::uint32_t>(known.size());
  std::size_t at = 0;
  const auto skip_settled = [&] {
    while (at < listed.size() && settled.contains(listed[at].key))
      ++at;
  };
  std::size_t back = fixed;  // the start of the exchange being compared
  std::size_t back_at = 0;   // and its place in the list
  bool any_exchange = fixed > 0;
  for (std::size_t i = fixed; i < known.size(); ++i) {
    skip_settled();
    // What stands before the first exchange goes with it: it is not much, and has nowhere to be remembered.
    if (known[i].starts_exchange && any_exchange) back = i, back_at = at;
    any_exchange = any_exchange || known[i].starts_exchange;
    if (is_gone[i]) continue;  // from the newest exchange
    const bool came_back = known[i].gone;
    const bool same = at < listed.size() && listed[at].key == known[i].key && !came_back &&
                      (listed[at].version == 0 || listed[at].version == known[i].version);
    if (same) {
      ++at;
      continue;
    }
    diff.keep = static_cast<std::uint32_t>(back);
    at = back_at;
    break;
  }
  for (std::size_t i = fixed; i < diff.keep; ++i)
    settled.insert(known[i].key);
  for (; at < listed.size(); ++at)
    if (settled.insert(listed[at].key).second) diff.added.push_back(at);
  for (std::size_t i = 0; i < diff.keep; ++i)
    if (is_gone[i] && !known[i].gone) diff.gone.push_back(static_cast<std::uint32_t>(i + 1));
  return diff;
}

}  // namespace memd
