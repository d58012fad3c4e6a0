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

MEMD_DESCRIBE(memd::admin::EventsParams,
              field<&T::after>("The cursor of the report before; 0: from now on.", range(0, 9'000'000'000'000'000)),
              field<&T::limit>("How many sessions a report names; the next one goes on.", range(1, 1000)));

MEMD_DESCRIBE(memd::admin::SessionChange, plain<&T::session_id, &T::platform>(),
              field<&T::title>("Its title: text of history."),
              field<&T::parent_id>("The session that a subagent belongs to; empty: it is a main session."),
              field<&T::events>("Events in the store now."), field<&T::exchanges>("Turns in the store now."),
              field<&T::last_event>("RFC 3339."));

MEMD_DESCRIBE(memd::admin::EventsReport, field<&T::cursor>("Send it as after to get what came later."),
              field<&T::ingest>("What ingest is doing; absent: this process does not ingest."),
              field<&T::sessions>("Sessions that were written to, in the order in which they were."));
