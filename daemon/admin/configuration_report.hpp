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

namespace memd::mcp {

template <>
struct Describe<admin::ConfigurationEntry> {
  using T = admin::ConfigurationEntry;
  static constexpr auto fields =
      fields_of(field("key", &T::key, "Name, such as query.threads."),
                field("value", &T::value, "In force now, as the file writes it; empty: not set."));
};

template <>
struct Describe<admin::ConfigurationReport> {
  static constexpr auto fields =
      fields_of(field("entries", &admin::ConfigurationReport::entries, "Every key, defaults included."));
};

}  // namespace memd::mcp
