#include "schemas/event_batch.hpp"

#include "schemas/base/reflected_name.hpp"

namespace memd {

std::string_view to_string(Severity s) { return s == Severity::error ? "error" : "warning"; }

std::string_view to_string(DiagnosticType t) { return reflect::enum_name(t, "unknown"); }

std::optional<DiagnosticType> parse_diagnostic_type(std::string_view text) {
  return reflect::enum_of<DiagnosticType>(text);
}

std::string_view to_string(Disposition d) { return reflect::enum_name(d, "unknown"); }

void EventBatch::cover(std::string_view record_type, Disposition disposition, std::string_view reason,
                       std::uint64_t bytes, std::uint64_t records) {
  // Searches from the back: a source has a few dozen record types, and neighbouring records are often alike.
  for (auto it = coverage.rbegin(); it != coverage.rend(); ++it) {
    if (it->disposition == disposition && it->record_type == record_type && it->reason == reason) {
      it->records += records;
      it->bytes += bytes;
      return;
    }
  }
  coverage.push_back({std::string(record_type), disposition, std::string(reason), records, bytes});
}

void EventBatch::clear() {
  sessions.clear();
  events.clear();
  silent.clear();
  coverage.clear();
  diagnostics.clear();
}

}  // namespace memd
