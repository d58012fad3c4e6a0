#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

// Locations of Claude Code data below <root>/projects (formats as of 1.0 … 2.1.x):
//
//   <slug>/<session>.jsonl                                       main
//   <slug>/agent-<id>.jsonl                                      flat_agent (2.0.x; the parent is in its records)
//   <slug>/<session>/subagents/agent-<id>.jsonl                  subagent
//   <slug>/<session>/subagents/agent-<id>.meta.json              agent_meta
//   <slug>/<session>/subagents/workflows/wf_<id>/agent-<id>.jsonl   workflow_agent
//   <slug>/<session>/subagents/workflows/wf_<id>/journal.jsonl      workflow_journal
//
// and beside projects:
//
//   history.jsonl                                                history (prompts typed in the terminal)
namespace memd::claude_code {

enum class SourceKind : std::uint8_t {
  main,
  flat_agent,
  subagent,
  agent_meta,
  workflow_agent,
  workflow_journal,
  history
};

struct SourcePath {
  SourceKind kind = SourceKind::main;
  std::string stem;      // file name without .jsonl or .meta.json
  std::string parent;    // native id of the parent session as given by the directories; empty: not in the path
  std::string workflow;  // "wf_<id>", else empty
  std::string folder;    // "<slug>"
};

// Parses the end of the path only; nullopt if the name is not that of a source.
std::optional<SourcePath> parse_source_path(const std::filesystem::path& file);

// Returns whether the file is at a depth below the root where sources are expected.
bool is_source_place(const std::filesystem::path& root, const std::filesystem::path& file, const SourcePath& path);

// Returns the native id of the session that the client calls `id` in a project's folder. Ids that are no UUID were
// chosen by a program ("session-1") and are unique there only: "session-1@<slug>".
std::string id_in_folder(std::string_view id, std::string_view folder);

// Returns the name of a project's folder: its path with "-" for all but letters and digits.
std::string folder_of(std::string_view project);

// Returns the id that the client knows: without the folder.
std::string_view id_of_client(std::string_view native_id);

// Returns the session's native id: "<parent>/agent-<id>", "<parent>/wf_<id>/agent-<id>", … Uses `head_session`, the
// sessionId of the source's first record, where the path does not contain the id. Empty when neither does.
std::string native_session_id(const SourcePath& path, std::string_view head_session);

// Returns the native id of the parent session; empty for a main session.
std::string native_parent_id(const SourcePath& path, std::string_view native_id);

// Returns the part of a native id that identifies the main session: everything before the first '/'.
std::string_view root_session(std::string_view native_id);

// Returns the first "sessionId" in a piece of JSON lines; empty when there is none.
std::string_view find_session_id(std::string_view head);

}  // namespace memd::claude_code
