#include "store/write/sources/capture.hpp"

#include "schemas/session.hpp"

namespace memd::ingestion {

void disable_capture(sqlite::Database& db, SourceHistory& history, Platform platform, std::string_view why,
                     TimeMs now) {
  const auto key = to_string(platform);
  const auto type = to_string(DiagnosticType::contract_mismatch);
  // Only what is active may be disabled (is_legal_transition): a session that has stopped lacks nothing.
  db.prepare("UPDATE sessions SET state = ? WHERE platform = ? AND state = ?")
      .bind(static_cast<int>(SessionState::capture_disabled), key, static_cast<int>(SessionState::active))
      .run();
  auto& said = db.prepare("SELECT 1 FROM diagnostics WHERE platform = ? AND error_type = ? AND time > ?")
                   .bind(key, type, now - kMsPerDay);
  const bool said_today = said.step();
  said.reset();
  if (said_today) return;
  db.prepare(
        "INSERT INTO diagnostics (time, platform, error_type, field_names, severity, redacted, expires_at)"
        " VALUES (?, ?, ?, 'contract_version', ?, 1, ?)")
      .bind(now, key, type, static_cast<int>(Severity::error), now + kDiagnosticRetention)
      .run();
  history.add(platform, 0, IngestionStep::unsupported, why, now);
}

}  // namespace memd::ingestion
