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

namespace memd::mcp {

template <>
struct Describe<admin::CompactParams> {
  static constexpr auto fields = fields_of();
};

template <>
struct Describe<admin::CompactReport> {
  using T = admin::CompactReport;
  static constexpr auto fields =
      fields_of(field("store_bytes_before", &T::store_bytes_before, "Size of the store with its log, before."),
                field("store_bytes", &T::store_bytes, "The same, after."),
                field("raw_bytes_before", &T::raw_bytes_before, "Size of the raw layer, before."),
                field("raw_bytes", &T::raw_bytes, "The same, after."), field("seconds", &T::seconds, "It took."),
                field("left", &T::left, "Why the store's file keeps its free space; empty: it does not."));
};

template <>
struct Describe<admin::RebuildParams> {
  using T = admin::RebuildParams;
  static constexpr auto fields = fields_of(
      field("what", &T::what,
            "search: the indexes of words, from the store's rows; memories: their index, from files; store: all of it, "
            "from the raw layer.",
            one_of(admin::kRebuilds)),
      field("accept_loss", &T::accept_loss, "Of the store: replace it even if the new one has less."));
};

template <>
struct Describe<admin::RebuildResponse> {
  using T = admin::RebuildResponse;
  static constexpr auto fields =
      fields_of(field("what", &T::what, "What was rebuilt."), field("seconds", &T::seconds, "It took."),
                field("started", &T::started, "true: it goes on; Status shows progress and outcome."));
};

}  // namespace memd::mcp
