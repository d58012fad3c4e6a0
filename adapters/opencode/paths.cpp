#include "adapters/opencode/paths.hpp"

#include <string_view>

namespace memd::opencode {

bool is_database_name(std::string_view name) {
  return name == "opencode.db" || (name.starts_with("opencode-") && name.ends_with(".db"));
}

std::optional<SourcePath> parse_source_path(const std::filesystem::path& file) {
  std::string name = file.filename().string();
  for (const std::string_view companion : {"-wal", "-shm", "-journal"})
    if (name.ends_with(".db" + std::string(companion))) name.resize(name.size() - companion.size());
  SourcePath path;
  if (is_database_name(name)) {
    path.data = file.parent_path();
    path.path = (path.data / name).string();
    path.is_database = true;
    return path;
  }
  const auto project = file.parent_path();
  const auto sessions = project.parent_path();
  const auto storage = sessions.parent_path();
  path.session_id = file.stem().string();
  if (file.extension() != ".json" || !path.session_id.starts_with("ses_") || sessions.filename() != "session" ||
      storage.filename() != "storage")
    return std::nullopt;
  path.data = storage.parent_path();
  path.path = file.string();
  return path;
}

}  // namespace memd::opencode
