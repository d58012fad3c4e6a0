#include "daemon/admin/upkeep.hpp"

#include "daemon/admin/memory_tool.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/ingest/rebuild.hpp"
#include "schemas/base/error.hpp"
#include "store/db/database.hpp"
#include "store/search/search_check.hpp"

#include <chrono>
#include <filesystem>
#include <system_error>

namespace memd::admin {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

std::uint64_t store_bytes(const MemoryHost& host) {
  std::uint64_t total = 0;
  for (const char* suffix : {"", "-wal"}) {
    std::error_code ec;
    const auto size = std::filesystem::file_size(host.settings().layout.database().string() + suffix, ec);
    if (!ec) total += size;
  }
  return total;
}

std::uint64_t raw_bytes(const MemoryHost& host) {
  std::uint64_t total = 0;
  std::error_code ec;
  const auto directory = host.settings().layout.raw_dir();
  for (std::filesystem::recursive_directory_iterator it(directory, ec), end; !ec && it != end; it.increment(ec)) {
    std::error_code gone;
    if (const auto size = it->file_size(gone); !gone && it->is_regular_file(gone)) total += size;
  }
  return total;
}

Result<CompactReport> compact(MemoryHost& host) {
  if (host.ingest() == nullptr) return host.does_not_write();
  const auto start = std::chrono::steady_clock::now();
  CompactReport out;
  out.store_bytes_before = store_bytes(host);
  out.raw_bytes_before = raw_bytes(host);
  const auto merge = [&](Writer& writer) -> Result<void> {
    MEMD_TRY(writer.maintain());
    for (bool more = true; more;) {
      MEMD_TRY_ASSIGN(more, writer.merge_search_index());
    }
    MEMD_TRY(writer.optimize());
    // Fails while another connection reads for long. The merges are kept.
    if (const auto cleared = sqlite::clear_free_space(host.settings().layout.database()); !cleared)
      out.left = cleared.error().message();
    return {};
  };
  MEMD_TRY(host.ingest()->perform(merge));
  out.store_bytes = store_bytes(host);
  out.raw_bytes = raw_bytes(host);
  out.seconds = seconds_since(start);
  return out;
}

Result<RebuildResponse> rebuild(MemoryHost& host, const ProcessFacts& facts, const RebuildParams& params) {
  const bool all = params.what == "store";
  if (params.accept_loss && !all)
    return Error(Errc::invalid_argument, "accept_loss: only with what=store; an index loses nothing");
  if (all) {
    if (!facts.rebuild_store)
      return Error(Errc::unavailable, "only a daemon rebuilds its store on request; without one, use `memd rebuild`");
    MEMD_TRY(facts.rebuild_store(params.accept_loss ? OnLoss::accept : OnLoss::refuse));
    return RebuildResponse{params.what, 0, true};
  }
  if (host.ingest() == nullptr) return host.does_not_write();
  const auto start = std::chrono::steady_clock::now();
  if (params.what == "memories") {
    MEMD_TRY(memory_catalog(host, {.rebuild = true}));
  } else {
    const auto repair = [](Writer& writer) { return writer.transact(repair_search_index); };
    MEMD_TRY(host.ingest()->perform(repair));
  }
  return RebuildResponse{params.what, seconds_since(start), false};
}

}  // namespace memd::admin
