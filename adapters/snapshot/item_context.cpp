#include "adapters/snapshot/item_context.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace memd::snapshot {

Event& ItemContext::add(EventKind kind, Role role) {
  const std::uint32_t index = index_++;
  Event& e = emplace(event_key(key_, index), time, kind, role, index);
  e.time_estimated = time_estimated;
  e.cwd = cwd;
  if (role == Role::assistant) e.model = model;
  e.is_sidechain = is_sidechain;
  return e;
}

Event& ItemContext::add_lifecycle(std::string_view name, std::string_view summary) {
  Event& e = add(EventKind::lifecycle, Role::system);
  e.lifecycle = name;
  e.summary = summary;
  return e;
}

void ItemContext::add_usage(const TokenUsage& usage, std::uint64_t response_key) {
  if (usage == TokenUsage{}) return;
  if (!emitted()) add_lifecycle("usage");
  first_event().response_key = response_key;
  first_event().usage = usage;
}

}  // namespace memd::snapshot
