#pragma once

#include "daemon/ingest/record_finder.hpp"
#include "schemas/error.hpp"
#include "schemas/event.hpp"
#include "schemas/stored_session.hpp"
#include "store/reader.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace memd::interchange {

struct ExportReport {
  std::int64_t events = 0;   // with those below
  std::int64_t derived = 0;  // concluded by memd; an import leaves them out and makes them again
  std::int64_t partial = 0;  // their records are gone: as far as the store kept them

  ExportReport& operator+=(const ExportReport& o) {
    events += o.events;
    derived += o.derived;
    partial += o.partial;
    return *this;
  }
};

// What a walk knows of an event beside the event itself.
struct WalkedEvent {
  std::int64_t seq = 0;
  std::uint32_t flags = 0;                    // bits of EventFlag, as stored
  std::optional<std::string_view> full_text;  // when it is more than Event::text: whole inputs and results
  std::uint64_t derived_from = 0;             // concluded by memd from this event
  bool partial = false;                       // its record is gone: only what the store kept
};

// Is told a session in order, on one thread. What a call is given is valid during the call.
class SessionVisitor {
 public:
  virtual ~SessionVisitor() = default;
  // What the events say themselves (directory, branch, model, version) is left out of the facts.
  virtual Result<void> begin(const SessionUpdate& facts, const StoredSession& session) = 0;
  virtual Result<void> event(const Event& event, const WalkedEvent& walked) = 0;
  // Of a session that came as events.v1 from elsewhere, a visitor that wants lines is told the lines themselves, as
  // they came but for masked secrets, and neither begin() nor what memd concluded. Lines whose record is gone are told
  // as events.
  virtual bool wants_lines() const { return false; }
  virtual Result<void> line(std::string_view line) {
    (void)line;
    return {};
  }
  virtual Result<void> end(const ExportReport& report) = 0;
};

using WalkProgress = std::function<void(double done, double total)>;  // bytes of records; may be empty

// Shows every event of a session, whole. Texts come from the records that the events were made of; where a record is
// gone, what the store has is shown, marked partial. Secrets are masked. Reads only.
Result<ExportReport> walk_session(Reader& reader, RecordFinder& records, std::int64_t session_pk,
                                  SessionVisitor& visitor, const WalkProgress& progress);

// The moment that states of sessions are told for, and the silence after which one has stopped.
struct AsOf {
  TimeMs now = 0;
  TimeMs stopped_after = kStoppedAfter;
};

struct ExportSink {
  std::function<Result<void>(std::string_view line)> line;  // without newline
  WalkProgress progress;
};

// Writes a session as events.v1: a line about it as a whole, then every event in order.
Result<ExportReport> export_session(Reader& reader, RecordFinder& records, std::int64_t session_pk, AsOf as_of,
                                    const ExportSink& sink);

}  // namespace memd::interchange
