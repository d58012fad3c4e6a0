#include "adapters/snapshot/item_context.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace memd::snapshot {

Event& ItemContext::add(EventKind kind, Role role, std::size_t block) {
  Event& e = out_.events.emplace_back();
  e.session_uid = session_uid_;
  e.event_id = event_key(key_, index_++);
  e.time = time;
  e.time_estimated = time_estimated;
  e.kind = kind;
  e.role = role;
  e.raw = raw_;
  e.raw.block = static_cast<std::uint16_t>(std::min<std::size_t>(block, std::numeric_limits<std::uint16_t>::max()));
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

void ItemContext::diagnose(DiagnosticType type, std::vector<FieldName> fields) {
  out_.diagnostics.push_back({platform_, type, Severity::warning, std::move(fields), 0, raw_.offset});
}

void ItemContext::add_usage(const TokenUsage& usage, std::uint64_t response_key) {
  if (usage == TokenUsage{}) return;
  if (index_ == 0) add_lifecycle("usage");
  Event& first = *(out_.events.end() - index_);
  first.response_key = response_key;
  first.usage = usage;
}

}  // namespace memd::snapshot
