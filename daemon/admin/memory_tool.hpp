#pragma once

#include "daemon/host/memory_host.hpp"
#include "protocol/mcp/describe.hpp"
#include "schemas/error.hpp"

#include <cstdint>
#include <string>

// `memd memory rebuild`: how the catalog of memories stands, and making it anew.
namespace memd::admin {

struct MemoryCatalogParams {
  bool rebuild = false;
};

struct MemoryCatalogReport {
  std::string state;  // valid, corrupted, rebuilding
  std::int64_t files = 0;
  std::string reason;
  std::string built_at;  // RFC 3339; empty: never
  std::int64_t built_ms = 0;
  std::string trouble;
};
std::string render_text(const MemoryCatalogReport& report);

// Errc::unavailable: it is to be made anew in a process that does not write.
Result<MemoryCatalogReport> memory_catalog(MemoryHost& host, const MemoryCatalogParams& params);

}  // namespace memd::admin

namespace memd::mcp {

template <>
struct Describe<admin::MemoryCatalogParams> {
  using T = admin::MemoryCatalogParams;
  static constexpr auto fields =
      fields_of(field("rebuild", &T::rebuild, "Drop the rows and make them from the files."));
};
template <>
struct Describe<admin::MemoryCatalogReport> {
  using T = admin::MemoryCatalogReport;
  static constexpr auto fields = fields_of(
      field("state", &T::state, "valid, corrupted or rebuilding."), field("files", &T::files, "Files with a row."),
      field("reason", &T::reason, "Why it was made anew the last time."),
      field("built_at", &T::built_at, "When that was, RFC 3339; empty: never."),
      field("built_ms", &T::built_ms, "How long it took."),
      field("trouble", &T::trouble, "Why the rows are not what the files are; empty: they are."));
};

}  // namespace memd::mcp
