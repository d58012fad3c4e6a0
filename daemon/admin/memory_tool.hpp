#pragma once

#include "daemon/admin/reports.hpp"
#include "protocol/mcp/describe.hpp"
#include "schemas/base/result.hpp"

namespace memd {
class MemoryHost;
}

// `memd memory rebuild`: the state of the memory catalog, and its rebuild.
namespace memd::admin {

struct MemoryCatalogParams {
  bool rebuild = false;
};

// Reports on the catalog once it was compared with the files, for which a second is waited at most; rebuilds it if
// requested. Errc::unavailable: a rebuild in a process that does not write.
Result<MemoryCatalogReport> memory_catalog(MemoryHost& host, const MemoryCatalogParams& params);
DoctorCheck check_memories(MemoryHost& host);

}  // namespace memd::admin

MEMD_DESCRIBE(memd::admin::MemoryCatalogParams, field<&T::rebuild>("Drop the rows and make them from the files."));
