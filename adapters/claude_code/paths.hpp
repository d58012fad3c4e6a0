#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

// Where Claude Code keeps what, below <root>/projects (formats as of 1.0 … 2.1.x):
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
  std::string parent;    // native id of the parent session as the directories name it; empty: not in the path
  std::string workflow;  // "wf_<id>", else empty
};

// Reads the tail of the path alone; nullopt for what is no source by its name.
std::optional<SourcePath> parse_source_path(const std::filesystem::path& file);

// Whether the file stands at a depth below the root where sources stand.
bool is_source_place(const std::filesystem::path& root, const std::filesystem::path& file, const SourcePath& path);

// The session's native id: "<parent>/agent-<id>", "<parent>/wf_<id>/agent-<id>", … `head_session`, the sessionId of the
// source's first record, serves where the path does not tell. Empty when neither tells.
std::string native_session_id(const SourcePath& path, std::string_view head_session);

// Native id of the session this one hangs under; empty for a main session.
std::string native_parent_id(const SourcePath& path, std::string_view native_id);

// The part of a native id that names the main session: all before the first '/'.
std::string_view root_session(std::string_view native_id);

// The first "sessionId" in some bytes of JSON lines; empty when there is none.
std::string_view find_session_id(std::string_view head);

}  // namespace memd::claude_code
