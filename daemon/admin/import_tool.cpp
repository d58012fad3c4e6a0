#include "daemon/admin/import_tool.hpp"

#include <fmt/format.h>
#include <chrono>
#include <filesystem>
#include <system_error>

namespace memd::admin {
namespace {

using namespace std::chrono_literals;

Result<ImportReport> import_file(MemoryHost& host, const ImportParams& params, mcp::ToolContext& context) {
  IngestService* ingest = host.ingest();
  if (ingest == nullptr) return Error(Errc::unavailable, "this process does not ingest");
  const auto path = std::filesystem::path(params.path).lexically_normal();
  if (!path.is_absolute()) return Error(Errc::invalid_argument, "path: has to be absolute");
  std::error_code ec;
  if (!std::filesystem::is_regular_file(path, ec))
    return Error(Errc::not_found, path.string() + (ec ? ": " + ec.message() : ": is no file"));

  const auto before = ingest->progress().source(path.string()).value_or(SourceProgress{});
  SourceCandidate file;
  file.platform = Platform::imported;
  file.path = path.string();
  file.size = std::filesystem::file_size(path, ec);
  ingest->take(std::move(file));
  while (!ingest->block_until_idle(50ms)) {
    const IngestSnapshot now = ingest->progress().snapshot();
    if (!now.last_error.empty()) return Error(Errc::store, now.last_error);
    if (context.stop.stop_requested()) return Error(Errc::cancelled, "cancelled");
    const auto at = ingest->progress().source(path.string()).value_or(SourceProgress{});
    context.progress(static_cast<double>(at.cursor), static_cast<double>(at.size), path.string());
  }
  const auto after = ingest->progress().source(path.string());
  if (!after) return Error(Errc::io, path.string() + ": could not be read");
  ImportReport r;
  r.path = path.string();
  r.bytes = after->size;
  r.bytes_done = after->cursor;
  r.events = static_cast<std::int64_t>(after->events - before.events);
  r.known = static_cast<std::int64_t>(after->duplicates - before.duplicates);
  return r;
}

}  // namespace

std::string render_text(const ImportReport& r) {
  return fmt::format("{}: {} events new, {} known already.\n", r.path, r.events, r.known);
}

void register_import_tool(mcp::ToolRegistry& registry, MemoryHost& host) {
  registry.add<ImportParams, ImportReport>(
      {"import", "Import", "Takes an events.v1 file into the store.", {false, false, true, false}},
      [&host](const ImportParams& p, mcp::ToolContext& context) { return import_file(host, p, context); });
}

}  // namespace memd::admin
