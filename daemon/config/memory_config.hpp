#pragma once

#include "daemon/config/garden_rules.hpp"
#include "schemas/error.hpp"
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

namespace memd {

// Whether tools may change memories for a client. The command line always may.
enum class MemoryWriting : std::uint8_t {
  ask,    // when the person at the client says so, each time
  allow,  // always
  off,    // never: there is no such tool
};
std::string_view to_string(MemoryWriting w);

// Memories as files.
struct MemoryConfig {
  MemoryPathPolicy policy;
  std::filesystem::path enterprise_path;  // empty: there is no scope enterprise
  std::optional<MemoryScope>
      default_scope;     // of a new memory when nobody says; empty: project if opted in, else global
  int orphan_days = 30;  // until a memory without a link is told as an orphan
  int min_quality = 50;  // of 100; a memory below is told
  MemoryWriting write = MemoryWriting::ask;
  GardenRules garden;
};

}  // namespace memd

// Reads the section `memory` of the configuration file. Refuses as Section does.
namespace memd::config {

MemoryConfig read_memory(const std::string& file, const YAML::Node& node);

// The rules of one repository, gardener.json beside its memories: what it names replaces what `rules` has. No file:
// `rules`. Errc::bad_config names file, line and key.
Result<GardenRules> load_garden_rules(const std::filesystem::path& file, GardenRules rules);

// What stands in config.json beside memories: `quality.orphanThreshold`, `quality.minQualityScore`, `scopes.default`.
// That of the person (~/.claude/memory) replaces what `config` has, that of a project what both have; a project's scope
// only after opt-in. All else in them is another program's. A file that makes no sense changes nothing and is one of
// `problems`. An empty `project`: there is none.
MemoryConfig with_files_beside(MemoryConfig config, const std::filesystem::path& home,
                               const std::filesystem::path& project, std::vector<MemoryProblem>& problems);

}  // namespace memd::config
