#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace memd::bench {

// What agents themselves called sessions of a home, each name with the uids of the sessions it is of: titles and
// `summary` records of Claude Code, names of Cursor's chats and of Codex's threads. A summary belongs to the sessions
// that hold the record it points at. Names that an agent gives without looking ("New session", "Sent to Chat") are
// left out, as are those whose session is not there. Throws std::runtime_error.
std::map<std::string, std::set<std::string>> session_names(const std::filesystem::path& home);

// Takes those records away from a (copied) home.
void remove_session_names(const std::filesystem::path& home);

}  // namespace memd::bench
