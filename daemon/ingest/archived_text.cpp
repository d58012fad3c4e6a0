#include "daemon/ingest/archived_text.hpp"

#include "adapters/adapter.hpp"

#include <optional>

namespace memd {

Result<std::string> read_archived_text(raw::RawArchive& archive, const EventSource& where, EventKind kind) {
  const Adapter* adapter = find_adapter(where.platform);
  if (adapter == nullptr) return Error(Errc::unsupported, "no adapter for " + std::string(to_string(where.platform)));
  std::optional<std::string> text;
  MEMD_TRY(archive.find(where, [&](std::string_view record) {
    text = adapter->event_text(record, kind, where.raw.block);
    return text.has_value();
  }));
  return std::move(*text);
}

}  // namespace memd
