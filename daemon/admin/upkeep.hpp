#pragma once

#include "daemon/admin/process_facts.hpp"
#include "protocol/mcp/describe.hpp"
#include "schemas/base/result.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace memd {
class MemoryHost;
}

// Maintenance of the store by the process that writes it. Errc::unavailable in any other process. For worker threads.
namespace memd::admin {

struct CompactParams {};

struct CompactReport {
  std::uint64_t store_bytes_before = 0;
  std::uint64_t store_bytes = 0;
  std::uint64_t raw_bytes_before = 0;
  std::uint64_t raw_bytes = 0;
  double seconds = 0;
  std::string left;  // why the store's file did not shrink; empty: it did
};

// Merges the segments of the search index and the small files of the raw layer, and releases free space of the store.
// Nothing is written meanwhile; answers continue.
Result<CompactReport> compact(MemoryHost& host);

inline constexpr std::array<std::string_view, 3> kRebuilds{"search", "memories", "store"};

struct RebuildParams {
  std::string what = "search";
  bool accept_loss = false;
};

struct RebuildResponse {
  std::string what;
  double seconds = 0;
  bool started = false;
};

// Rebuilds an index from its source: rows of the store, or files of memories. For the whole store it only starts the
// rebuild, as `memd rebuild` does; StatusReport::rebuild reports on it.
Result<RebuildResponse> rebuild(MemoryHost& host, const ProcessFacts& facts, const RebuildParams& params);

std::uint64_t store_bytes(const MemoryHost& host);
std::uint64_t raw_bytes(const MemoryHost& host);

}  // namespace memd::admin

MEMD_DESCRIBE(memd::admin::CompactParams);

MEMD_DESCRIBE(memd::admin::CompactReport, field<&T::store_bytes_before>("Size of the store with its log, before."),
              field<&T::store_bytes>("The same, after."),
              field<&T::raw_bytes_before>("Size of the original records, before."),
              field<&T::raw_bytes>("The same, after."), field<&T::seconds>(),
              field<&T::left>("Why the store's file keeps its free space; empty: it does not."));

MEMD_DESCRIBE(
    memd::admin::RebuildParams,
    field<&T::what>(
        "search: the indexes of words, from the store's rows; memories: their index, from files; store: all of it, "
        "from the original records.",
        one_of(admin::kRebuilds)),
    field<&T::accept_loss>("Of the store: replace it even if the new one has less."));

MEMD_DESCRIBE(memd::admin::RebuildResponse, field<&T::what>("What was rebuilt."), field<&T::seconds>(),
              field<&T::started>("true: it goes on; Status shows progress and outcome."));
