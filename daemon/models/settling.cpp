#include "daemon/models/settling.hpp"

#include <algorithm>

namespace memd {
namespace {

constexpr std::size_t kMostRemembered = 4096;

}  // namespace

bool Settling::settled(const PendingExchange& exchange, TimeMs now, const Limits& limits) {
  const TimeMs quiet_since = exchange.ended_at;
  // A time to come is an agent's mistake, or a clock's: not to be waited for.
  const bool is_quiet = now - quiet_since >= limits.quiet || quiet_since > now;
  const auto it = first_seen_.find(exchange.id);
  const TimeMs first = it == first_seen_.end() ? now : it->second;
  if (is_quiet || now - first >= limits.most || now < first) {
    if (it != first_seen_.end()) first_seen_.erase(it);
    return true;
  }
  if (it == first_seen_.end()) {
    if (first_seen_.size() >= kMostRemembered) first_seen_.clear();
    first_seen_.emplace(exchange.id, now);
  }
  const TimeMs due = std::min(quiet_since + limits.quiet, first + limits.most);
  next_ = next_ ? std::min(*next_, due) : due;
  return false;
}

}  // namespace memd
