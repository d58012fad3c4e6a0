#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/platform.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Health of the store and of its sources.
namespace memd {

// Lag of the store behind the agents' files, per platform.
struct PlatformFreshness {
  Platform platform{};
  TimeMs last_event = 0;  // newest event in the store
  TimeMs checked_at = 0;  // last check of the sources; 0: none by this process
  std::int64_t sources = 0;
  std::int64_t sources_behind = 0;
  std::int64_t bytes_behind = 0;

  // Returns whether the platform's sources exist but nothing of them is stored yet. A process that only answers queries
  // never checks sources: its checked_at is 0, and stored events show that another process has read them.
  bool is_unread() const { return checked_at == 0 && last_event == 0 && sources_behind > 0; }
};

// What a process that reads sources has done since its start.
struct IngestFigures {
  bool idle = true;
  std::uint64_t sources = 0;
  std::uint64_t sources_pending = 0;  // waiting to be read
  std::uint64_t bytes_total = 0;      // sizes of the sources, as last seen
  std::uint64_t bytes_done = 0;       // accounted for in the store
  std::string current;                // path being read; empty when idle
  std::uint64_t commits = 0;
  std::string last_error;  // reported by the store; empty: none
  // Sources, or directories of sources, that could not be read because this process lacked descriptors or memory.
  std::uint64_t sources_short = 0;
  std::string shortage;  // the error message
};

// Figures of the language model that judges decisions, since the process started.
struct DecisionsStatus {
  std::int64_t waiting = 0;     // sessions waiting, at the last query
  std::int64_t exchanges = 0;   // judged
  std::int64_t decisions = 0;   // kept
  std::int64_t not_said = 0;    // dropped quotations that are not in the exchange
  std::int64_t unreadable = 0;  // unreadable answers; the decisions of these exchanges stay unchanged
  std::string trouble;          // why nothing is judged now; empty: no problem
};

// Bytes of sources by what became of them.
struct SourceBytes {
  std::uint64_t bytes_total = 0;  // sizes of the sources
  std::uint64_t bytes_indexed = 0;
  std::uint64_t bytes_skipped = 0;  // includes bytes_pending
  std::uint64_t bytes_unknown = 0;
  std::uint64_t bytes_pending = 0;  // after the cursor: an unfinished last line

  void add(const SourceBytes& o) {
    bytes_total += o.bytes_total;
    bytes_indexed += o.bytes_indexed;
    bytes_skipped += o.bytes_skipped;
    bytes_unknown += o.bytes_unknown;
    bytes_pending += o.bytes_pending;
  }
};

// What is in the store, of a platform or of all.
struct StoredCounts : SourceBytes {
  std::int64_t sources = 0;
  std::int64_t sessions = 0;  // main sessions
  std::int64_t subagent_sessions = 0;
  std::int64_t exchanges = 0;  // of main sessions
  std::int64_t subagent_exchanges = 0;
  std::int64_t events = 0;
  std::int64_t diagnostics = 0;

  void add(const StoredCounts& o) {
    SourceBytes::add(o);
    sources += o.sources;
    sessions += o.sessions;
    subagent_sessions += o.subagent_sessions;
    exchanges += o.exchanges;
    subagent_exchanges += o.subagent_exchanges;
    events += o.events;
    diagnostics += o.diagnostics;
  }
};

struct PlatformCounts : StoredCounts {
  // Records and those of unknown shape: recent (about the last 1,000 ingested) and all.
  std::int64_t recent_records = 0;
  std::int64_t recent_unknown_records = 0;
  std::int64_t records = 0;
  std::int64_t unknown_records = 0;
};

struct PlatformTotals : PlatformCounts {
  Platform platform{};
  TokenUsage tokens;  // of all sessions
  TimeRange span;
  TimeMs drift_at = 0;  // newest schema_drift diagnostic; 0: none is left
};

// A source in trouble: unreachable, quarantined or failing.
struct SourceTrouble {
  Platform platform{};
  std::string path;
  SourceState state = SourceState::active;
  std::string reason;
  std::uint32_t failures = 0;
  TimeMs retry_at = 0;
};

// Sources by state.
struct SourceStates {
  std::int64_t active = 0;
  std::int64_t gone = 0;
  std::int64_t unreachable = 0;
  std::int64_t quarantined = 0;
  std::int64_t failing = 0;  // active ones whose last reads failed
};

// Those in trouble (unreachable, quarantined, failing) also by name.
struct SourceHealth : SourceStates {
  std::vector<SourceTrouble> troubles;  // a limited number of them
};

struct CoverageRow {
  Platform platform{};
  std::string path;  // source; empty when aggregated over sources
  CoverageEntry entry;
};

struct DiagnosticRow {
  std::int64_t id = 0;
  TimeMs time = 0;
  Platform platform{};
  std::string error_type;
  std::string field_names;  // as stored
  Severity severity = Severity::warning;
  std::string path;                    // of the source; empty when it is not known
  std::optional<std::int64_t> offset;  // a byte of a log; of a source that is changed in place, the number of an item
  bool is_item = false;                // whether `offset` is the number of an item
};

struct DiagnosticList {
  std::vector<DiagnosticRow> diagnostics;  // newest first
  std::int64_t total = 0;
};

// The diagnostics of one type of a platform.
struct DiagnosticGroup {
  std::int64_t count = 0;
  DiagnosticRow newest;
};

}  // namespace memd
