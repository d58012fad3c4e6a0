#include "adapters/claude_code/record_handlers.hpp"

#include <array>

namespace memd::claude_code {
namespace {

enum : std::size_t { kProgressType, kAgentId, kMessage, kDataKeys };
constexpr KeyTable<kDataKeys> kDataTable{{"type", "agentId", "message"}};

constexpr KeyTable<kKeyNames.size()> kInnerTable{kKeyNames};

// Signs of life of something that runs; the outcome comes as a record of its own.
constexpr std::array<std::string_view, 9> kHeartbeats{
    "bash_progress",    "hook_progress",       "mcp_progress",   "query_update", "search_results_received",
    "waiting_for_task", "powershell_progress", "skill_progress", "task_progress"};

// A message of a subagent, as the main transcript was told of it. Most subagents of early 2026 have no other trace.
// Where one has its own file, the records there carry the same uuids as the messages here, so nothing is doubled.
// `prompt` beside it repeats the task in every such record; the task is the first message.
Fate read_agent_message(RecordContext& outer, od::object& data, std::string_view agent_id) {
  od::object message;
  Envelope inner;
  if (!seek_object(data, "message", message)) {
    outer.diagnose(DiagnosticType::missing_field, {"data.message"});
    return Fate::skipped("no_content");
  }
  if (!collect(message, kInnerTable, inner.tokens)) return Fate::damaged();
  for (const Key key : {Key::cwd, Key::git_branch, Key::version, Key::session_id})
    inner[key] = outer.envelope()[key];
  if (!inner.has(Key::timestamp)) inner[Key::timestamp] = outer.envelope()[Key::timestamp];
  if (!inner.has(Key::uuid)) inner[Key::uuid] = outer.envelope()[Key::uuid];

  const std::string uid = outer.agent_uid(agent_id);
  RecordContext c(inner, uid, outer.raw(), outer.detail(), outer.out());
  c.sidechain = true;
  c.own_session = true;
  const auto type = inner.body(Key::type);
  Fate verdict = Fate::skipped("agent_progress");
  if (type == "user") verdict = read_user(c, message);
  if (type == "assistant") verdict = read_assistant(c, message);
  if (c.lossy()) outer.mark_lossy();
  if (verdict.disposition == Disposition::indexed)
    outer.link_agent(agent_id, outer.text(outer.envelope()[Key::parent_tool_use_id]));
  return verdict;
}

}  // namespace

Fate read_progress(RecordContext& c, od::object& root) {
  od::object data;
  Tokens<kDataKeys> tokens{};
  if (seek_object(root, "data", data) && !collect(data, kDataTable, tokens)) return Fate::damaged();
  const auto type = string_body(tokens[kProgressType]);
  if (type == "agent_progress" || (type == "skill_progress" && is_string(tokens[kAgentId]))) {
    const std::string agent_id = c.text(tokens[kAgentId]);
    if (is_identifier(agent_id)) return read_agent_message(c, data, agent_id);
    c.diagnose(DiagnosticType::missing_field, {"data.agentId"});
    return Fate::skipped("agent_progress");
  }
  for (const auto heartbeat : kHeartbeats)
    if (type == heartbeat) return Fate::skipped(heartbeat);
  c.diagnose(DiagnosticType::unknown_field_value, {"data.type"});
  return Fate::unknown("unknown_subtype");
}

}  // namespace memd::claude_code
