#pragma once

#include "daemon/ingest/record_finder.hpp"
#include "schemas/base/result.hpp"
#include "schemas/event.hpp"
#include "schemas/stored_session.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>

namespace memd {
class Reader;
}

namespace memd::interchange {

struct ExportReport {
  std::int64_t events = 0;   // includes those counted below
  std::int64_t derived = 0;  // derived by memd; an import skips them and derives them again
  std::int64_t partial = 0;  // record no longer available: as far as the store kept them

  ExportReport& operator+=(const ExportReport& o) {
    events += o.events;
    derived += o.derived;
    partial += o.partial;
    return *this;
  }
};

// Facts about a walked event beside the event itself.
struct WalkedEvent {
  std::int64_t seq = 0;
  std::uint32_t flags = 0;                    // bits of EventFlag, as stored
  std::optional<std::string_view> full_text;  // set if longer than Event::text: whole inputs and results
  std::uint64_t derived_from = 0;             // the event from which memd derived this one
  std::uint64_t told_response = 0;            // Event::response_key, also if the response is counted elsewhere
  bool partial = false;                       // record no longer available: only the stored parts
};

// Receives a session in order, on one thread. Arguments are valid during the call.
class SessionVisitor {
 public:
  virtual ~SessionVisitor() = default;
  // `facts` lacks those that the events state themselves (directory, branch, model, version).
  virtual Result<void> begin(const SessionUpdate& facts, const StoredSession& session) = 0;
  virtual Result<void> event(const Event& event, const WalkedEvent& walked) = 0;
  // Returns true if the visitor wants the lines of a session that came as events.v1 from another program. It then
  // receives the lines unchanged except for masked secrets, and neither begin() nor derived events. It receives an
  // event where the record of a line is no longer available.
  virtual bool wants_lines() const { return false; }
  virtual Result<void> line(std::string_view line) {
    (void)line;
    return {};
  }
  virtual Result<void> end(const ExportReport& report) = 0;
};

using WalkProgress = std::function<void(double done, double total)>;  // bytes of records; may be empty

// The events of a session from `from` up to, but without, `until`, by their seq.
struct EventRange {
  std::int64_t from = 0;
  std::int64_t until = std::numeric_limits<std::int64_t>::max();
};

// Walks the events of a session with their whole texts. Texts come from the records that the events were made of; where
// a record is gone, the stored parts are used and marked partial. Masks secrets. Reads only.
Result<ExportReport> walk_session(Reader& reader, RecordFinder& records, std::int64_t session_pk,
                                  SessionVisitor& visitor, const WalkProgress& progress, EventRange range = {});

// The time for which session states are computed, and the silence after which a session counts as stopped.
struct AsOf {
  TimeMs now = 0;
  TimeMs stopped_after = kStoppedAfter;
};

struct ExportSink {
  std::function<Result<void>(std::string_view line)> line;  // without newline
  WalkProgress progress;
  EventRange range{};      // the line about the session comes in any case
  bool as_it_came = true;  // lines of other programs go out as they came
};

// Writes a session as events.v1: a line about the session, then every event in order.
Result<ExportReport> export_session(Reader& reader, RecordFinder& records, std::int64_t session_pk, AsOf as_of,
                                    const ExportSink& sink);

}  // namespace memd::interchange
