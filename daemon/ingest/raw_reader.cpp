#include "daemon/ingest/raw_reader.hpp"

#include "daemon/ingest/source_file.hpp"

#include <algorithm>
#include <span>

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

}  // namespace

Result<std::string> read_record(const Source& source, const RawRef& raw) {
  MEMD_TRY_ASSIGN(const SourceFile file, SourceFile::open(source.path));
  std::string bytes(raw.length + kRecordPadding, '\0');
  MEMD_TRY_ASSIGN(const std::size_t n, file.read_at(raw.offset, std::span(bytes).first(raw.length)));
  if (n < raw.length) return no_longer_there(source.path, raw);
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

}  // namespace memd
