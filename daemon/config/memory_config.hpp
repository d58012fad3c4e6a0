#pragma once

#include "daemon/config/garden_rules.hpp"
#include "schemas/base/result.hpp"
#include "schemas/memory.hpp"
#include "schemas/memory_path_policy.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace YAML {
class Node;
}
namespace memd::files {
class ScopeRoot;
}

namespace memd {

// Whether tools may change memories on behalf of a client. The command line always may.
enum class MemoryWriting : std::uint8_t {
  ask,    // only after the user of the client has agreed, each time
  allow,  // always
  off,    // never: the tools do not exist
};
std::string_view to_string(MemoryWriting w);

// The configuration of memories as files.
struct MemoryConfig {
  MemoryPathPolicy policy;
  std::filesystem::path enterprise_path;     // empty: there is no enterprise scope
  std::optional<MemoryScope> default_scope;  // of a new memory; empty: project after opt-in, else global
  int orphan_days = 30;                      // after which a memory without links is reported as an orphan
  int min_quality = 50;                      // of 100; a memory of lower quality is reported
  MemoryWriting write = MemoryWriting::ask;
  GardenRules garden;
};

}  // namespace memd

// Reads the section `memory` of the configuration file. Refuses as Section does.
namespace memd::config {

MemoryConfig read_memory(const std::string& file, const YAML::Node& node);

// Loads the rules of one repository, gardener.json beside its memories. Its keys replace those of `rules`. No file:
// `rules`. Errc::bad_config names file, line and key.
Result<GardenRules> load_garden_rules(const files::ScopeRoot& root, GardenRules rules);

// Applies config.json beside memories: `quality.orphanThreshold`, `quality.minQualityScore`, `scopes.default`. The
// user's file (~/.claude/memory) replaces values of `config`; the project's file replaces both, its scope only after
// opt-in. All other keys belong to another program. An invalid file changes nothing and is added to `problems`. Empty
// `project`: there is none.
MemoryConfig with_files_beside(MemoryConfig config, const std::filesystem::path& home,
                               const std::filesystem::path& project, std::vector<MemoryProblem>& problems);

}  // namespace memd::config
