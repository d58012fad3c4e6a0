#pragma once

#include "daemon/admin/reports.hpp"
#include "protocol/mcp/describe.hpp"
#include "schemas/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memd {
class MemoryHost;
}

// The news since a caller's last request: the state of ingest, and the sessions that were written to.
namespace memd::admin {

struct EventsParams {
  std::int64_t after = 0;
  std::int64_t limit = 100;
};

struct SessionChange {
  std::string session_id;
  std::string platform;
  std::string title;
  std::string parent_id;
  std::int64_t events = 0;
  std::int64_t exchanges = 0;
  std::string last_event;
};

struct EventsReport {
  std::int64_t cursor = 0;
  std::optional<IngestStatus> ingest;
  std::vector<SessionChange> sessions;
};

Result<EventsReport> events_since(MemoryHost& host, const EventsParams& params);

// Returns the state of this process's ingest; nullopt in a process without ingest.
std::optional<IngestStatus> ingest_status(MemoryHost& host);

}  // namespace memd::admin

namespace memd::mcp {

template <>
struct Describe<admin::EventsParams> {
  using T = admin::EventsParams;
  static constexpr auto fields = fields_of(
      field("after", &T::after, "The cursor of the report before; 0: from now on.", range(0, 9'000'000'000'000'000)),
      field("limit", &T::limit, "How many sessions a report names; the next one goes on.", range(1, 1000)));
};

template <>
struct Describe<admin::SessionChange> {
  using T = admin::SessionChange;
  static constexpr auto fields = fields_of(
      field("session_id", &T::session_id, "Session."), field("platform", &T::platform, "Platform key."),
      field("title", &T::title, "Its title: text of history."),
      field("parent_id", &T::parent_id, "The session that a subagent belongs to; empty: it is a main session."),
      field("events", &T::events, "Events in the store now."),
      field("exchanges", &T::exchanges, "Exchanges in the store now."),
      field("last_event", &T::last_event, "RFC 3339."));
};

template <>
struct Describe<admin::EventsReport> {
  using T = admin::EventsReport;
  static constexpr auto fields =
      fields_of(field("cursor", &T::cursor, "Send it as after to get what came later."),
                field("ingest", &T::ingest, "What ingest is doing; absent: this process does not ingest."),
                field("sessions", &T::sessions, "Sessions that were written to, in the order in which they were."));
};

}  // namespace memd::mcp
