#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace memd::bench {

// Names that agents gave to sessions of a home, each with the uids of its sessions: titles and `summary` records of
// Claude Code, names of Cursor's chats and of Codex's threads. A summary belongs to all sessions that contain the
// record it points at. Default names ("New session", "Sent to Chat") are left out, and names of sessions that are not
// there. Throws std::runtime_error.
std::map<std::string, std::set<std::string>> session_names(const std::filesystem::path& home);

// Removes those records from a home. Call it on a copy.
void remove_session_names(const std::filesystem::path& home);

}  // namespace memd::bench
