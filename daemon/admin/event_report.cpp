#include "daemon/admin/event_report.hpp"

#include "daemon/host/memory_host.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "schemas/base/time.hpp"
#include "store/read/ingestion.hpp"
#include "store/reader_pool.hpp"

#include <algorithm>

namespace memd::admin {

std::optional<IngestStatus> ingest_status(MemoryHost& host) {
  const IngestService* ingest = host.ingest();
  if (ingest == nullptr) return std::nullopt;
  const IngestSnapshot s = ingest->progress().snapshot();
  IngestStatus out{s, s.events, format_rfc3339(s.last_commit), format_rfc3339(s.last_scan)};
  out.last_error = ingest->trouble();
  return out;
}

Result<EventsReport> events_since(MemoryHost& host, const EventsParams& params) {
  const ChangedSessionsQuery query{params.after, params.after == 0 ? 0 : static_cast<int>(params.limit)};
  MEMD_TRY_ASSIGN(const auto found, host.readers().ask(query));
  EventsReport out;
  // Sessions left out of a page follow on the next one. The cursor of a store without sessions still moves from 0 to 1.
  const bool is_page = found.rows.size() == static_cast<std::size_t>(query.limit) && !found.rows.empty();
  out.cursor = std::max<std::int64_t>({is_page ? found.rows.back().ingested_at : found.newest, params.after, 1});
  out.ingest = ingest_status(host);
  for (const auto& row : found.rows)
    out.sessions.push_back({row.uid, std::string(to_string(row.platform)), row.title, row.parent_uid, row.events,
                            row.exchanges, format_rfc3339(row.ended_at)});
  return out;
}

}  // namespace memd::admin
