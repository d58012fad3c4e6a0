#include "daemon/admin/source_list.hpp"

#include "daemon/host/memory_host.hpp"
#include "schemas/base/error.hpp"
#include "store/read/ingestion.hpp"
#include "store/reader_pool.hpp"

namespace memd::admin {

Result<SourceListReport> source_list(MemoryHost& host, const SourceListParams& params) {
  SourceListQuery query;
  if (!params.platform.empty()) {
    const auto platform = parse_platform(params.platform);
    if (!platform) return Error(Errc::invalid_argument, "platform: no such platform: " + params.platform);
    query.platforms = {*platform};
  }
  query.limit = static_cast<int>(params.limit);
  query.offset = static_cast<int>(params.offset);
  MEMD_TRY_ASSIGN(const auto found, host.readers().ask(query));
  SourceListReport out;
  out.total = found.total;
  for (const auto& row : found.rows)
    out.sources.push_back({trouble_report(row), row.size, row.cursor});
  return out;
}

}  // namespace memd::admin
