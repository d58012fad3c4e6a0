#include "daemon/host/tool_facts.hpp"

#include "adapters/tool_calls/recorded_edits.hpp"
#include "store/read/ingestion.hpp"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

namespace memd {

std::vector<PlatformFreshness> HostFreshness::freshness() const {
  if (const IngestService* ingest = ingest_) {
    auto rows = ingest->progress().freshness();
    if (rows.empty() && ingest->progress().snapshot().last_scan == 0) rows = not_looked_at_yet();
    return rows;
  }
  auto reader = readers_.acquire(std::chrono::seconds(1));
  if (!reader) return {};
  auto rows = (*reader)->ask(PlatformFreshnessQuery{});
  return rows ? std::move(*rows) : std::vector<PlatformFreshness>{};
}

// In the first moments there may be history that nobody has counted: behind by an unknown amount, not absent.
std::vector<PlatformFreshness> HostFreshness::not_looked_at_yet() const {
  std::vector<PlatformFreshness> rows;
  for (const auto& root : discovery_.roots()) {
    const Platform platform = root.adapter->describe().platform;
    std::error_code ec;
    if (!std::filesystem::exists(root.path, ec) || (!rows.empty() && rows.back().platform == platform)) continue;
    PlatformFreshness row;
    row.platform = platform;
    row.sources = row.sources_behind = 1;
    rows.push_back(row);
  }
  return rows;
}

Result<std::string> SourceText::event_text(const EventSource& where, EventKind kind) const {
  const Adapter* adapter = find_adapter(where.platform);
  auto text = adapter != nullptr && !where.item_key.empty()
                  ? read_item_text(*adapter, where, kind)
                  : read_event_text(where.platform, where.path, kind, where.raw);
  if (text) return text;
  auto archived = read_archived_text(archive_, where, kind);
  return archived ? std::move(archived) : std::move(text);
}

Result<std::vector<RecordedEdit>> SourceText::recorded_edits(const EventSource& where) const {
  std::vector<RecordedEdit> edits;
  // A record that is another one by now tells of nothing, or not of this file; the archived one is then as good.
  const auto found = records_.find(where, [&](std::string_view record) {
    edits = memd::recorded_edits(record);
    return !edits.empty();
  });
  if (!found && !found.error().is(Errc::not_found)) return found.error();
  return edits;
}

}  // namespace memd
