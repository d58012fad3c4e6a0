#include "daemon/ingest/item_reader.hpp"

#include "daemon/ingest/disk_view.hpp"
#include "schemas/ids.hpp"

#include <string_view>

namespace memd {

namespace {

Error no_longer_there(const EventSource& where) {
  return Error(Errc::not_found, where.path + " no longer holds this record; the store keeps what was indexed");
}

Source source_of(const EventSource& where) {
  Source source;
  source.platform = where.platform;
  source.path = where.path;
  source.format = where.format;
  return source;
}

}  // namespace

Result<std::string> read_item(const Adapter& adapter, const EventSource& where) {
  const DiskView files;
  const auto reader = adapter.open_snapshot(source_of(where), files);
  const auto session = split_session_uid(where.session_uid);
  if (!reader || !session) return no_longer_there(where);
  MEMD_TRY_ASSIGN(std::string bytes, reader->item(std::string(session->native_id), where.item_key));
  bytes.append(kRecordPadding, '\0');
  return bytes;
}

Result<std::string> read_item_text(const Adapter& adapter, const EventSource& where, EventKind kind) {
  MEMD_TRY_ASSIGN(const std::string bytes, read_item(adapter, where));
  const std::string_view record = std::string_view(bytes).substr(0, bytes.size() - kRecordPadding);
  if (kind == EventKind::tool_result)
    if (const auto moved = adapter.moved_out_text(source_of(where), record))
      if (auto text = DiskView().read(moved->string())) return text;
  auto text = adapter.event_text(record, kind, where.raw.block);
  if (!text) return no_longer_there(where);
  return std::move(*text);
}

}  // namespace memd
