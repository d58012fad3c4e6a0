#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace memd::opencode {

// Under the data directory: opencode.db, or opencode-<channel>.db, and storage/ of the versions before 1.2 with
// session/<project>/<session>.json, message/<session>/<message>.json and part/<message>/<part>.json.
struct SourcePath {
  std::filesystem::path data;  // the data directory
  std::string path;            // the database, or the session's own file
  bool is_database = false;
  std::string session_id;  // of a session's file
};
// Also for the companions of a database (-wal, -shm, -journal): they are the database.
std::optional<SourcePath> parse_source_path(const std::filesystem::path& file);

bool is_database_name(std::string_view name);

}  // namespace memd::opencode
