#include "daemon/ingest/item_reader.hpp"

#include "daemon/ingest/disk_view.hpp"
#include "schemas/ids.hpp"

#include <string_view>

namespace memd {

Result<std::string> read_item_text(const Adapter& adapter, const EventSource& where, EventKind kind) {
  Source source;
  source.platform = where.platform;
  source.path = where.path;
  source.format = where.format;
  const DiskView files;
  const auto reader = adapter.open_snapshot(source, files);
  const auto session = split_session_uid(where.session_uid);
  const Error changed(Errc::not_found, where.path + " no longer holds this record; the store keeps what was indexed");
  if (!reader || !session) return changed;
  MEMD_TRY_ASSIGN(std::string bytes, reader->item(std::string(session->native_id), where.item_key));
  const std::size_t size = bytes.size();
  bytes.append(kRecordPadding, '\0');
  const std::string_view record = std::string_view(bytes).substr(0, size);
  if (kind == EventKind::tool_result)
    if (const auto moved = adapter.moved_out_text(source, record))
      if (auto text = files.read(moved->string())) return text;
  auto text = adapter.event_text(record, kind, where.raw.block);
  if (!text) return changed;
  return std::move(*text);
}

}  // namespace memd
