#pragma once

#include "protocol/mcp/describe.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/store_health.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// The output form of diagnostics, for the command line and as a resource. Pure functions; any thread.
namespace memd::tools {

struct DiagnosticsParams {
  std::string platform;
  std::int64_t limit = 50;
  std::int64_t offset = 0;
};

struct DiagnosticLine {
  std::int64_t id = 0;
  std::string time;  // RFC 3339
  std::string age;   // "3 h"
  std::string platform;
  std::string error_type;
  std::string severity;
  std::vector<std::string> fields;
  std::string source;  // empty: the platform as a whole
  std::string place;   // "byte 4096", "item 7", or empty
  std::string action;  // empty: nothing to do
};

struct DiagnosticsReport {
  std::vector<DiagnosticLine> diagnostics;  // newest first
  std::int64_t total = 0;                   // of the requested platforms, not yet expired
};
std::string render_text(const DiagnosticsReport& r);

// Returns what a person can do about diagnostics of this type; empty: nothing, memd has handled them.
std::string_view action_for(DiagnosticType type);

DiagnosticLine diagnostic_line(const DiagnosticRow& row, TimeMs now);
DiagnosticsReport diagnostics_report(const DiagnosticList& list, TimeMs now);

}  // namespace memd::tools

MEMD_DESCRIBE(memd::tools::DiagnosticsParams, field<&T::platform>("Only this platform."),
              field<&T::limit>("How many; 0: all.", range(0, 1000000)),
              field<&T::offset>("How many newer ones to leave out.", range(0, 1000000000)));

MEMD_DESCRIBE(memd::tools::DiagnosticLine, field<&T::id>(), field<&T::time>("When it was found, RFC 3339."),
              field<&T::age>("How long ago that is."), plain<&T::platform, &T::error_type>(),
              field<&T::severity>("warning or error."),
              field<&T::fields>("Names of the fields; never what was in them."),
              field<&T::source>("Path; empty: the platform as a whole."),
              field<&T::place>("Byte or item of the source."),
              field<&T::action>("What to do about it; empty: nothing."));

MEMD_DESCRIBE(memd::tools::DiagnosticsReport, field<&T::diagnostics>("Newest first."),
              field<&T::total>("Not yet expired."));
