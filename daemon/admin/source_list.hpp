#pragma once

#include "daemon/admin/reports.hpp"
#include "protocol/mcp/describe.hpp"
#include "schemas/base/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memd {
class MemoryHost;
}

// The known sources, with what was read of each.
namespace memd::admin {

struct SourceListParams {
  std::string platform;
  std::int64_t limit = 100;
  std::int64_t offset = 0;
};

struct SourceLine : TroubleReport {
  std::uint64_t bytes_total = 0;
  std::uint64_t bytes_done = 0;
};

struct SourceListReport {
  std::vector<SourceLine> sources;
  std::int64_t total = 0;
};

Result<SourceListReport> source_list(MemoryHost& host, const SourceListParams& params);

}  // namespace memd::admin

MEMD_DESCRIBE(memd::admin::SourceListParams, field<&T::platform>("Only this platform."),
              field<&T::limit>("How many.", range(1, 10000)),
              field<&T::offset>("How many to leave out.", range(0, 1000000000)));

MEMD_DESCRIBE(memd::admin::SourceLine, plain<&T::platform, &T::source>(),
              field<&T::state>("active, gone, unreachable or quarantined."),
              field<&T::reason>("Of a state other than active, in plain words."),
              field<&T::bytes_total>("Size at the last look."),
              field<&T::bytes_done>("Bytes accounted for in the store."), field<&T::failures>("Failed looks in a row."),
              field<&T::retry_at>("When it is looked at again, RFC 3339; empty: at the next change."));

MEMD_DESCRIBE(memd::admin::SourceListReport, field<&T::sources>("By platform and path."),
              field<&T::total>("Sources of the platforms asked for."));
