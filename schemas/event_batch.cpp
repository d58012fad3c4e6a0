#include "schemas/event_batch.hpp"

namespace memd {

std::string_view to_string(Severity s) { return s == Severity::error ? "error" : "warning"; }

std::string_view to_string(DiagnosticType t) {
  switch (t) {
    case DiagnosticType::damaged_record: return "damaged_record";
    case DiagnosticType::recovered_record: return "recovered_record";
    case DiagnosticType::invalid_encoding: return "invalid_encoding";
    case DiagnosticType::unknown_record_type: return "unknown_record_type";
    case DiagnosticType::unknown_field_value: return "unknown_field_value";
    case DiagnosticType::missing_field: return "missing_field";
    case DiagnosticType::wrong_field_type: return "wrong_field_type";
    case DiagnosticType::oversized_record: return "oversized_record";
    case DiagnosticType::source_truncated: return "source_truncated";
    case DiagnosticType::source_replaced: return "source_replaced";
    case DiagnosticType::source_unreadable: return "source_unreadable";
    case DiagnosticType::not_a_transcript: return "not_a_transcript";
    case DiagnosticType::contract_mismatch: return "contract_mismatch";
    case DiagnosticType::schema_drift: return "schema_drift";
    case DiagnosticType::raw_layer_lost: return "raw_layer_lost";
  }
  return "unknown";
}

std::optional<DiagnosticType> parse_diagnostic_type(std::string_view text) {
  for (int i = 0; i <= static_cast<int>(DiagnosticType::raw_layer_lost); ++i)
    if (const auto type = static_cast<DiagnosticType>(i); to_string(type) == text) return type;
  return std::nullopt;
}

std::string_view to_string(Disposition d) {
  switch (d) {
    case Disposition::indexed: return "indexed";
    case Disposition::skipped: return "skipped";
    case Disposition::unknown: return "unknown";
  }
  return "unknown";
}

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
