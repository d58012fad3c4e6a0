#pragma once

#include "daemon/config/embedding_config.hpp"
#include "daemon/config/summaries_config.hpp"
#include "schemas/error.hpp"
#include "schemas/platform.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

struct PlatformConfig {
  bool enabled = true;
  std::vector<std::filesystem::path> paths;  // replace the default storage roots when not empty
};

// What is dropped when. 0: nothing for this reason.
struct RetentionConfig {
  int max_age_days = 0;
  std::uint64_t max_raw_bytes = 0;
};

// The configuration file; its shape is schemas/json/config.schema.json.
struct Config {
  std::map<Platform, PlatformConfig> platforms;
  std::string log_level = "info";
  std::string time_zone;  // IANA name of what days and clock times are told in; empty: the system's
  int query_threads = 2;
  int max_watches = 0;              // directories; 0: as many as are decent (WatchOptions)
  int max_tokens = 2000;            // of a tool's answer when the caller does not say
  bool conversation_query = false;  // the tool that stands for all others
  RawMode raw_layer = RawMode::masked;
  RetentionConfig retention;
  EmbeddingConfig embedding;
  SummariesConfig summaries;
};

// Errc::bad_config names file, line and key, and says what is allowed there. Nothing is guessed or skipped.
Result<Config> parse_config(std::string_view yaml, const std::string& file_name);
Result<Config> load_config(const std::filesystem::path& file);

}  // namespace memd
