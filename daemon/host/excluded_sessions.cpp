#include "daemon/host/excluded_sessions.hpp"

#include "daemon/config/config.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/ingest/exclusion.hpp"
#include "store/read/forget_plan.hpp"
#include "store/reader_pool.hpp"

#include <algorithm>

namespace memd {

Result<std::vector<std::string>> stored_though_excluded(MemoryHost& host) {
  const ExcludeConfig& config = host.settings().config.exclude;
  const Exclusion exclusion(config.projects, config.paths);
  std::vector<std::string> out;
  if (exclusion.is_empty() && config.agents.empty()) return out;
  MEMD_TRY_ASSIGN(const auto places, host.readers().ask(SessionPlacesQuery{}));
  for (const auto& place : places)
    if (exclusion.has_directory(place.directory) ||
        (!place.source_path.empty() && exclusion.has_file(place.source_path)) ||
        std::find(config.agents.begin(), config.agents.end(), place.platform) != config.agents.end())
      out.push_back(place.session_uid);
  return out;
}

}  // namespace memd
