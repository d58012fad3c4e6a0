#include "adapters/gemini/message_context.hpp"

#include "schemas/time.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace memd::gemini {

Event& MessageContext::add(EventKind kind, Role role, std::size_t block) {
  Event& e = out_.events.emplace_back();
  e.session_uid = session_uid_;
  e.event_id = event_key(key, index_++);
  e.time = time;
  e.kind = kind;
  e.role = role;
  e.raw = raw_;
  e.raw.block = static_cast<std::uint16_t>(std::min<std::size_t>(block, std::numeric_limits<std::uint16_t>::max()));
  e.model = model;
  e.is_sidechain = sidechain_;
  return e;
}

Event& MessageContext::add_lifecycle(std::string_view name, std::size_t block) {
  Event& e = add(EventKind::lifecycle, Role::system, block);
  e.lifecycle = name;
  return e;
}

void MessageContext::diagnose(DiagnosticType type, std::vector<FieldName> fields) {
  out_.diagnostics.push_back({Platform::gemini, type, Severity::warning, std::move(fields), 0, raw_.offset});
}

TimeMs time_of(TextReader& reader, std::string_view token) {
  return is_string(token) ? parse_rfc3339(reader.text(token, 64)).value_or(0) : 0;
}

}  // namespace memd::gemini
