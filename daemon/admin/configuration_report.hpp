#pragma once

#include "daemon/config/config.hpp"
#include "protocol/mcp/describe.hpp"

#include <string>
#include <vector>

// The effective configuration, defaults included.
namespace memd::admin {

struct ConfigurationEntry {
  std::string key;
  std::string value;
};

struct ConfigurationReport {
  std::vector<ConfigurationEntry> entries;
};

// Returns every key of the file, in its order, with the effective value; an empty one is not set. Secrets are not
// included: the configuration only says where they are.
ConfigurationReport configuration(const Config& config);

}  // namespace memd::admin

MEMD_DESCRIBE(memd::admin::ConfigurationEntry, field<&T::key>("Name, such as query.threads."),
              field<&T::value>("In force now, as the file writes it; empty: not set."));

MEMD_DESCRIBE(memd::admin::ConfigurationReport,
              field<&admin::ConfigurationReport::entries>("Every key, defaults included."));
