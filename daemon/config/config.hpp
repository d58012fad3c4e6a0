#pragma once

#include "daemon/config/memory_config.hpp"
#include "daemon/config/model_config.hpp"
#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/event.hpp"
#include "schemas/platform.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memd::described {
struct Description;
}

namespace memd {

struct PlatformConfig {
  bool enabled = true;
  std::vector<std::filesystem::path> paths;  // replace the default storage roots if not empty
};

// Retention limits. 0: no limit.
struct RetentionConfig {
  int max_age_days = 0;
  std::uint64_t max_raw_bytes = 0;
};

// What agents' hooks may say. All of it is off, because it helps too rarely (docs/benchmarks.md#recall-at-work).
struct HooksConfig {
  bool enabled = true;      // false: nothing, whatever else is on
  bool standing = false;    // where a session or a subagent starts, what the person said repeatedly
  bool start = false;       // where a session starts, where work on its branch stopped, and what `standing` says
  bool compaction = false;  // after a compaction, what was done, refused and left open
  bool recall = false;      // at prompts and after errors, what earlier work says of them
};

// The location of the encryption-at-rest key. Both empty: nothing is encrypted.
struct EncryptionConfig {
  std::filesystem::path key_file;
  std::vector<std::string> key_command;  // command that prints the key; run once, when the key is first needed

  bool is_set() const { return !key_file.empty() || !key_command.empty(); }
};

// Exclusions from capture.
struct ExcludeConfig {
  std::vector<std::string> projects;  // names or absolute directories
  std::vector<std::string> paths;     // patterns for absolute paths
  std::vector<Platform> agents;
};

struct SessionsConfig {
  TimeMs stopped_after = kStoppedAfter;  // silence after which a session has stopped
};

// Projects that are shared in a PostgreSQL database.
struct SharingConfig {
  int ask_server_ms = 0;  // time in which it has to answer a search; 0: it is not asked, and others' sessions come here
};

// Interfaces for administration besides the main socket.
struct AdminConfig {
  bool grpc = false;                  // open the gRPC socket
  std::filesystem::path grpc_socket;  // empty: next to the main socket
};

// The content of the configuration file. schemas/json/config.schema.json describes its shape.
struct Config {
  std::map<Platform, PlatformConfig> platforms;
  std::vector<std::shared_ptr<const described::Description>> own_agents;  // that the configuration describes
  std::string log_level = "info";
  std::string time_zone;  // IANA name of the zone for days and clock times; empty: the system's
  int query_threads = 2;
  int max_watches = 0;              // limit of watched directories; 0: the default of WatchOptions
  int max_tokens = 2000;            // budget of a tool's answer unless the caller gives one
  bool conversation_query = false;  // offer the tool that combines all others
  bool own_project = true;          // searches cover the project of the caller's directory, not all projects
  bool capture_tool = false;        // offer the tool that pauses capture
  bool judge_decisions = false;     // with the language model that writes summaries
  RawMode raw_layer = RawMode::masked;
  std::filesystem::path prices;  // own prices of models; empty: none
  HooksConfig hooks;
  SharingConfig sharing;
  EncryptionConfig encryption;
  SessionsConfig sessions;
  RetentionConfig retention;
  ExcludeConfig exclude;
  MemoryConfig memory;
  EmbeddingConfig embedding;
  SummariesConfig summaries;
  AdminConfig admin;
};

// Errc::bad_config names file, line and key, and the allowed values. Unknown keys are refused.
Result<Config> parse_config(std::string_view yaml, const std::string& file_name);
Result<Config> load_config(const std::filesystem::path& file);

}  // namespace memd
