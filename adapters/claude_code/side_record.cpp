#include "adapters/claude_code/human_text.hpp"
#include "adapters/claude_code/paths.hpp"
#include "adapters/claude_code/record_handlers.hpp"
#include "schemas/hash.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <array>

namespace memd::claude_code {
namespace {

struct SkippedType {
  std::string_view type;
  std::string_view reason;
};
constexpr std::array kSkippedTypes{
    SkippedType{"file-history-snapshot", "file_backup"},
    SkippedType{"file-history-delta", "file_backup"},
    SkippedType{"last-prompt", "repeats_prompt"},  // the prompt has a record of its own
    SkippedType{"cost-state", "cost_state"},
    SkippedType{"attribution-snapshot", "attribution"},
    SkippedType{"content-replacement", "content_replacement"},
    SkippedType{"worktree-state", "worktree_state"},
    SkippedType{"agent-color", "display"},
    SkippedType{"agent-setting", "display"},
    SkippedType{"tag", "display"},
    SkippedType{"task-summary", "display"},
    SkippedType{"speculation-accept", "statistics"},
    SkippedType{"relocated", "bookkeeping"},
    SkippedType{"bridge-session", "bookkeeping"},
};

SessionUpdate update_of(const RecordContext& c) {
  SessionUpdate update;
  update.session_uid = c.session_uid();
  update.platform = Platform::claude_code;
  if (const auto parts = split_session_uid(update.session_uid)) update.native_id = parts->native_id;
  update.time = c.time();
  // A title must not turn a subagent into a main session.
  const auto slash = update.native_id.find('/');
  if (slash != std::string::npos) {
    update.kind = update.native_id.compare(slash, 4, "/wf_") == 0 ? SessionKind::workflow : SessionKind::subagent;
    update.parent_uid = root_session(update.session_uid);
  }
  return update;
}

Fate set_title(RecordContext& c, Key key, TitleRank rank) {
  SessionUpdate update = update_of(c);
  update.title = one_line(c.text(c.envelope()[key]), 300);
  update.title_rank = rank;
  if (rank == TitleRank::summary && c.envelope().has(Key::leaf_uuid))
    update.title_record_key = record_key(Platform::claude_code, c.envelope().body(Key::leaf_uuid));
  if (update.title.empty()) return Fate::skipped("empty_title");
  c.out().sessions.push_back(std::move(update));
  return Fate::indexed();
}

Fate read_pr_link(RecordContext& c) {
  const Envelope& envelope = c.envelope();
  std::string summary =
      "PR #" + std::to_string(integer(envelope[Key::pr_number])) + " " + c.text(envelope[Key::pr_url]);
  if (envelope.has(Key::pr_repository)) summary += " (" + c.text(envelope[Key::pr_repository]) + ")";
  c.add_lifecycle("pr_link", one_line(summary, 400));
  return Fate::indexed();
}

// A workflow's journal: which agent was started for which step, and what it gave back.
Fate read_journal(RecordContext& c, std::string_view type) {
  const Envelope& envelope = c.envelope();
  Event& e = c.add_lifecycle(type == "started" ? "workflow_started" : "workflow_result");
  e.summary = one_line(c.text(envelope[envelope.has(Key::agent_id) ? Key::agent_id : Key::key]), 80);
  e.text = c.text(envelope[Key::result], c.detail() == Detail::full ? kNoLimit : kResultTextLimit);
  if (envelope.has(Key::agent_id)) {
    SessionUpdate agent = update_of(c);
    const std::string id = c.text(envelope[Key::agent_id]);
    if (is_identifier(id) && agent.kind == SessionKind::workflow) {
      agent.session_uid += "/agent-" + id;
      agent.native_id += "/agent-" + id;
      c.out().sessions.push_back(std::move(agent));
    }
  }
  return Fate::indexed();
}

Fate read_mode(RecordContext& c, Key key) {
  c.add_lifecycle("mode_change", one_line(c.text(c.envelope()[key]), 60));
  return Fate::indexed();
}

}  // namespace

bool emit_queued(RecordContext& c, std::string_view text, std::string_view lifecycle) {
  const Spoken spoken = who_speaks(text);
  if (!is_human(spoken.voice)) return false;
  // Equal words queued again in the session (taken back and re-sent, or told twice by the client) are one fact.
  c.set_key(
      hash_combine(hash64(c.envelope().body(Key::session_id)), hash64(spoken.text, hash64("claude_code/queued"))));
  Event& e = c.add(EventKind::user_msg, Role::user);
  e.origin = Origin::queued;
  e.lifecycle = lifecycle;
  e.text = spoken.text;
  return true;
}

Fate read_queue_operation(RecordContext& c) {
  const auto operation = c.envelope().body(Key::operation);
  const auto content = c.envelope()[Key::content];
  if (operation == "enqueue")
    return emit_queued(c, c.text(content), "queue_enqueue") ? Fate::indexed() : Fate::skipped("injected_text");
  if (operation == "dequeue" || operation == "remove" || operation == "popAll") {
    Event& e = c.add_lifecycle("queue_" + std::string(operation));
    e.text = trimmed(c.text(content));
    return Fate::indexed();
  }
  c.diagnose(DiagnosticType::unknown_field_value, {"operation"});
  return Fate::unknown("unknown_subtype");
}

Fate read_side_record(RecordContext& c, std::string_view type) {
  if (type == "summary") return set_title(c, Key::summary, TitleRank::summary);
  if (type == "ai-title") return set_title(c, Key::ai_title, TitleRank::ai);
  if (type == "custom-title") return set_title(c, Key::custom_title, TitleRank::custom);
  if (type == "pr-link") return read_pr_link(c);
  if (type == "permission-mode") return read_mode(c, Key::permission_mode);
  if (type == "mode") return read_mode(c, Key::mode);
  if (type == "started" || type == "result") return read_journal(c, type);
  if (type == "agent-name") {
    SessionUpdate update = update_of(c);
    update.agent_name = one_line(c.text(c.envelope()[Key::agent_name]), 100);
    c.out().sessions.push_back(std::move(update));
    return Fate::indexed();
  }
  const auto it =
      std::find_if(kSkippedTypes.begin(), kSkippedTypes.end(), [&](const auto& s) { return s.type == type; });
  if (it != kSkippedTypes.end()) return Fate::skipped(it->reason);
  c.diagnose(DiagnosticType::unknown_record_type, {"type"});
  return Fate::unknown("unknown_type");
}

Fate read_agent_meta(RecordContext& c) {
  const Envelope& envelope = c.envelope();
  SessionUpdate update = update_of(c);
  update.agent_name = one_line(c.text(envelope[envelope.has(Key::agent_type) ? Key::agent_type : Key::name]), 100);
  update.title = one_line(c.text(envelope[Key::description]), 300);
  update.title_rank = update.title.empty() ? TitleRank::none : TitleRank::ai;
  update.description = update.title;
  update.parent_call_id = c.text(envelope[Key::tool_use_id]);
  c.out().sessions.push_back(std::move(update));
  return Fate::indexed();
}

}  // namespace memd::claude_code
