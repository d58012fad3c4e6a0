#include "daemon/ingest/record_finder.hpp"

#include "adapters/adapter.hpp"
#include "daemon/ingest/log_window.hpp"
#include "daemon/ingest/source_file.hpp"
#include "schemas/base/error.hpp"
#include "schemas/ids.hpp"
#include "store/text/redaction/redactor.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace memd {
namespace {

constexpr std::size_t kMovedOutLimit = 4 << 20;

Result<std::string> read_moved_out(const std::filesystem::path& path) {
  MEMD_TRY_ASSIGN(const SourceFile file, SourceFile::open(path));
  std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(file.stat().size, kMovedOutLimit)), '\0');
  MEMD_TRY_ASSIGN(const std::size_t n, file.read_at(0, text));
  text.resize(n);
  return text;
}

Error no_longer_there(const std::string& path, const RawRef& raw) {
  return Error(Errc::not_found, path + " no longer holds this record at byte " + std::to_string(raw.offset) +
                                    "; the store keeps what was indexed");
}

Source source_of(const EventSource& where) {
  Source source;
  source.platform = where.platform;
  source.path = where.path;
  source.format = where.format;
  return source;
}

Result<std::string> read_from_source(const EventSource& where, ItemWalk* walk) {
  if (where.is_gone) return no_longer_there(where);
  if (!where.item_key.empty()) {
    const Adapter* adapter = find_adapter(where.platform);
    if (adapter == nullptr) return Error(Errc::unsupported, "no adapter for " + std::string(to_string(where.platform)));
    return walk != nullptr ? walk->read(*adapter, where) : read_item(*adapter, where);
  }
  return read_record(source_of(where), where.raw);
}

}  // namespace

Error no_longer_there(const EventSource& where) {
  return Error(Errc::not_found, where.path + " no longer holds this record; the store keeps what was indexed");
}

Result<std::string> read_record(const Source& source, const RawRef& raw) {
  MEMD_TRY_ASSIGN(std::string bytes, read_log_bytes(source.path, raw.offset, raw.length));
  if (bytes.size() < raw.length) return no_longer_there(source.path, raw);
  bytes.resize(raw.length + kRecordPadding);
  return bytes;
}

Result<std::string> read_event_text(Platform platform, const std::string& source_path, EventKind kind,
                                    const RawRef& raw) {
  const Adapter* adapter = find_adapter(platform);
  if (adapter == nullptr) return Error(Errc::unsupported, "no adapter for " + std::string(to_string(platform)));
  Source source;
  source.platform = platform;
  source.path = source_path;
  MEMD_TRY_ASSIGN(const std::string bytes, read_record(source, raw));
  const std::string_view record(bytes.data(), raw.length);
  if (kind == EventKind::tool_result)
    if (const auto moved = adapter->moved_out_text(source, record))
      if (auto text = read_moved_out(*moved)) return text;
  auto text = adapter->event_text(record, kind, raw.block);
  if (!text) return no_longer_there(source_path, raw);
  return std::move(*text);
}

Result<std::string> read_item(const Adapter& adapter, const EventSource& where) {
  return ItemWalk().read(adapter, where);
}

Result<std::string> ItemWalk::read(const Adapter& adapter, const EventSource& where) {
  if (!reader_ || path_ != where.path || where.format != SourceFormat::json) {
    reader_ = adapter.open_snapshot(source_of(where), files_);
    path_ = where.path;
  }
  const auto session = split_session_uid(where.session_uid);
  if (!reader_ || !session) return no_longer_there(where);
  auto bytes = reader_->item(std::string(session->native_id), where.item_key);
  if (!bytes || where.format != SourceFormat::json) reader_.reset();
  if (bytes) bytes->append(kRecordPadding, '\0');
  return bytes;
}

Result<std::string> read_item_text(const Adapter& adapter, const EventSource& where, EventKind kind, ItemWalk* walk) {
  MEMD_TRY_ASSIGN(const std::string bytes, walk != nullptr ? walk->read(adapter, where) : read_item(adapter, where));
  const std::string_view record = std::string_view(bytes).substr(0, bytes.size() - kRecordPadding);
  if (kind == EventKind::tool_result)
    if (const auto moved = adapter.moved_out_text(source_of(where), record))
      if (auto text = DiskView().read(moved->string())) return text;
  auto text = adapter.event_text(record, kind, where.raw.block);
  if (!text) return no_longer_there(where);
  return std::move(*text);
}

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

Result<void> RecordFinder::find(const EventSource& where, const Accept& accept, ItemWalk* walk) {
  auto bytes = read_from_source(where, walk);
  if (bytes) mask_forgotten(std::span(*bytes).first(bytes->size() - kRecordPadding), *texts_.now());
  if (bytes && accept(std::string_view(*bytes).substr(0, bytes->size() - kRecordPadding))) return {};
  return archive_.find(where, accept);
}

std::string RecordFinder::without_forgotten(std::string text) {
  redact_forgotten(text, *texts_.now());
  return text;
}

}  // namespace memd
