#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/event.hpp"
#include "schemas/platform.hpp"
#include "schemas/session.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// The treatment of a record of a source.
enum class Disposition : std::uint8_t { indexed = 0, skipped = 1, unknown = 2 };
std::string_view to_string(Disposition d);

// One line of a source's ledger: number and bytes (newlines included) of the records of one type with one disposition.
// The lines of a source add up to its size exactly. `reason` is empty for indexed.
struct CoverageEntry {
  std::string record_type;
  Disposition disposition = Disposition::indexed;
  std::string reason;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
};

enum class Severity : std::uint8_t { warning = 0, error = 1 };
std::string_view to_string(Severity s);

enum class DiagnosticType : std::uint8_t {
  damaged_record,       // bytes that are no record; skipped and counted
  recovered_record,     // a record recovered from a damaged line
  invalid_encoding,     // bytes that are not UTF-8; replaced
  unknown_record_type,  // a shape that the adapter does not support
  unknown_field_value,
  missing_field,
  wrong_field_type,
  oversized_record,
  source_truncated,
  source_replaced,
  source_unreadable,
  not_a_transcript,  // e.g. a git-lfs pointer in place of the file
  contract_mismatch,
  schema_drift,
  raw_layer_lost,  // the raw layer lacks what the store says it has; the source is read again
};
std::string_view to_string(DiagnosticType t);
std::optional<DiagnosticType> parse_diagnostic_type(std::string_view text);

// The name of a field. Only string literals convert to it, so it cannot be the content of a field. Copyable; borrows
// the literal.
class FieldName {
 public:
  template <std::size_t N>
  consteval FieldName(const char (&literal)[N]) : name_(literal, N - 1) {}  // NOLINT(google-explicit-constructor)
  std::string_view view() const { return name_; }

 private:
  std::string_view name_;
};

// The type of a problem with input, and the fields concerned. Cannot hold their content. Expires kDiagnosticRetention
// after `time`.
struct Diagnostic {
  Platform platform{};
  DiagnosticType type{};
  Severity severity = Severity::warning;
  std::vector<FieldName> fields;
  TimeMs time = 0;           // 0: set by the writer
  std::uint64_t offset = 0;  // byte in the source, to find the place again
};

// A record without events, which others may name as the record they follow. Both ids are keys like Event::event_id.
struct EventlessRecord {
  std::string session_uid;
  std::uint64_t record_id = 0;
  std::uint64_t parent_id = 0;  // 0: none
};

// The result of decoding a range of a source. `events` are in the order of the source.
struct EventBatch {
  std::vector<SessionUpdate> sessions;
  std::vector<Event> events;
  std::vector<EventlessRecord> silent;  // in the order of the source
  std::vector<CoverageEntry> coverage;  // aggregated: one entry per (type, disposition, reason)
  std::vector<Diagnostic> diagnostics;

  // Adds one record to the ledger.
  void cover(std::string_view record_type, Disposition disposition, std::string_view reason, std::uint64_t bytes,
             std::uint64_t records = 1);
  void clear();

  // Sizes of the lists without the ledger, for undoing the additions of a broken record.
  struct Length {
    std::size_t sessions = 0;
    std::size_t events = 0;
    std::size_t silent = 0;
    std::size_t diagnostics = 0;
  };
  Length length() const { return {sessions.size(), events.size(), silent.size(), diagnostics.size()}; }
  // Drops what was added since `length` was taken.
  void cut_back(const Length& length) {
    sessions.resize(length.sessions);
    events.resize(length.events);
    silent.resize(length.silent);
    diagnostics.erase(diagnostics.begin() + static_cast<std::ptrdiff_t>(length.diagnostics), diagnostics.end());
  }
};

}  // namespace memd
