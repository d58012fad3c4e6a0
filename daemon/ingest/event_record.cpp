#include "daemon/ingest/event_record.hpp"

#include "adapters/adapter.hpp"
#include "schemas/base/error.hpp"
#include "store/text/redaction/redactor.hpp"

#include <algorithm>

namespace memd {

Result<std::string> record_of_event(RecordFinder& records, const EventSource& where, std::uint64_t event_id,
                                    ItemWalk* walk) {
  const Adapter* const adapter = find_adapter(where.platform);
  if (adapter == nullptr) return Error(Errc::unsupported, "no adapter for " + std::string(to_string(where.platform)));
  Source source;
  static_cast<SourceName&>(source) = where;
  source.id = where.source;
  const auto decoder = adapter->open(source);
  EventBatch batch;
  std::string out;
  const auto has_it = [&](std::string_view record) {
    batch.clear();
    decoder->decode({record, where.raw.offset, false}, batch);
    const bool found =
        std::any_of(batch.events.begin(), batch.events.end(), [&](const Event& e) { return e.event_id == event_id; });
    if (found) out.assign(record);
    return found;
  };
  MEMD_TRY(records.find(where, has_it, walk));
  mask_record(out);
  out.append(kRecordPadding, '\0');
  return out;
}

}  // namespace memd
