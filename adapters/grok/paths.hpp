#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

// <root>/sessions/<percent-encoded cwd>/<session id>/: one source a session folder.
namespace memd::grok {

inline constexpr std::string_view kUpdates = "updates.jsonl";
inline constexpr std::string_view kChatHistory = "chat_history.jsonl";
inline constexpr std::string_view kSummary = "summary.json";

struct SourcePath {
  std::filesystem::path folder;
  std::string id;    // of the session
  std::string main;  // the path the source is known by: the log of updates, whether or not it is there
  std::string cwd;   // as the folder's name says it; summary.json knows better
};

// The source a file belongs to; nullopt for what belongs to none.
std::optional<SourcePath> parse_source_path(const std::filesystem::path& file);

// "%2Fhome%2Fada" → "/home/ada"; empty when it does not decode to a path.
std::string decode_directory(std::string_view name);

bool is_temporary(std::string_view name);

}  // namespace memd::grok
