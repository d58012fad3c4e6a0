#include "adapters/json/record_events.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace memd::json {

void RecordEvents::diagnose(DiagnosticType type, std::vector<FieldName> fields) {
  out_.diagnostics.push_back({platform_, type, Severity::warning, std::move(fields), 0, raw_.offset});
}

Event& RecordEvents::emplace(std::uint64_t event_id, TimeMs time, EventKind kind, Role role, std::size_t block) {
  Event& e = out_.events.emplace_back();
  e.session_uid = session_uid_;
  e.event_id = event_id;
  e.time = time;
  e.kind = kind;
  e.role = role;
  e.raw = raw_;
  e.raw.block = static_cast<std::uint16_t>(std::min<std::size_t>(block, std::numeric_limits<std::uint16_t>::max()));
  return e;
}

}  // namespace memd::json
