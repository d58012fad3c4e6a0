#pragma once

#include "schemas/platform.hpp"
#include "schemas/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

enum class Severity : std::uint8_t { warning = 0, error = 1 };
std::string_view to_string(Severity s);

enum class DiagnosticType : std::uint8_t {
  damaged_record,       // bytes that are no record; skipped and counted
  recovered_record,     // a record saved out of a damaged line
  invalid_encoding,     // bytes that are not UTF-8; replaced
  unknown_record_type,  // a shape this adapter does not know
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

// The name of a field, by construction not a value: only string literals convert to it.
class FieldName {
 public:
  template <std::size_t N>
  consteval FieldName(const char (&literal)[N]) : name_(literal, N - 1) {}  // NOLINT(google-explicit-constructor)
  std::string_view view() const { return name_; }

 private:
  std::string_view name_;
};

// Redacted by construction: it can say which kind of thing went wrong and in which fields, never what was in them.
// Expires kDiagnosticRetention after `time`.
struct Diagnostic {
  Platform platform{};
  DiagnosticType type{};
  Severity severity = Severity::warning;
  std::vector<FieldName> fields;
  TimeMs time = 0;           // 0: the writer stamps it
  std::uint64_t offset = 0;  // byte in the source, to find the place again
};

}  // namespace memd
