#pragma once

#include "daemon/admin/reports.hpp"
#include "daemon/host/memory_host.hpp"
#include "protocol/mcp/describe.hpp"
#include "schemas/error.hpp"

// `memd memory rebuild`: how the catalog of memories stands, and making it anew.
namespace memd::admin {

struct MemoryCatalogParams {
  bool rebuild = false;
};

// Errc::unavailable: it is to be made anew in a process that does not write.
Result<MemoryCatalogReport> memory_catalog(MemoryHost& host, const MemoryCatalogParams& params);
DoctorCheck check_memories(MemoryHost& host);

}  // namespace memd::admin

namespace memd::mcp {

template <>
struct Describe<admin::MemoryCatalogParams> {
  using T = admin::MemoryCatalogParams;
  static constexpr auto fields =
      fields_of(field("rebuild", &T::rebuild, "Drop the rows and make them from the files."));
};

}  // namespace memd::mcp
