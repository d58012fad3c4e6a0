#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

// Where Codex keeps what, below $CODEX_HOME (~/.codex):
//
//   sessions/YYYY/MM/DD/rollout-<local time>-<id>[_<revision>].jsonl[.zst]   rollout
//   archived_sessions/rollout-….jsonl[.zst]                                 rollout
//   session_index.jsonl                                                     session_index (names of threads)
//   history.jsonl                                                           history (prompts typed in the terminal)
namespace memd::codex {

enum class SourceKind : std::uint8_t { rollout, session_index, history };

struct SourcePath {
  SourceKind kind = SourceKind::rollout;
  std::string id;  // of a rollout, from its name; empty when the name has none
};

// Reads the file's name alone; nullopt for what is no source by its name.
std::optional<SourcePath> parse_source_path(const std::filesystem::path& file);

// The id of the thread a rollout belongs to, as its first record says: the session_meta, or in the oldest files the
// bare object that stands in its place. Empty when the bytes do not tell.
std::string_view find_thread_id(std::string_view head);

}  // namespace memd::codex
