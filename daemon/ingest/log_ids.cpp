#include "daemon/ingest/log_ids.hpp"

#include "adapters/adapter.hpp"
#include "adapters/events_v1/line_ids.hpp"
#include "daemon/ingest/event_record.hpp"
#include "store/read/exchanges.hpp"
#include "store/reader.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace memd {
namespace {

std::optional<events_v1::LineIds> ids_in_log(RecordFinder& records, const EventSource& where, std::uint64_t event_id) {
  const auto line = record_of_event(records, where, event_id);
  if (!line) return std::nullopt;
  return events_v1::line_ids(std::string_view(*line).substr(0, line->size() - kRecordPadding));
}

}  // namespace

void name_as_in_log(Reader& reader, RecordFinder& records, harvest::Material& material) {
  EventSourcesQuery query{material.exchange.session_pk, {}};
  for (const harvest::MaterialEvent& event : material.events)
    query.seqs.push_back(event.record_seq);
  const auto places = reader.ask(query);
  if (!places) return;
  for (harvest::MaterialEvent& event : material.events) {
    const auto where = places->find(event.record_seq);
    if (where == places->end() || !events_v1::is_of_events_v1(where->second.platform)) continue;
    if (const auto ids = ids_in_log(records, where->second, event.record_id)) {
      event.log_id = ids->event;
      event.log_patch_id = ids->patch;
    }
  }
}

}  // namespace memd
