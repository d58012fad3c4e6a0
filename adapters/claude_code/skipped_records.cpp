#include "adapters/claude_code/record_context.hpp"

#include <algorithm>
#include <array>

namespace memd::claude_code {

// Records that give no event.

namespace {

// What the client tells the user on the screen.
constexpr auto kSubtypes = std::to_array<std::string_view>(
    {"local_command", "informational", "away_summary", "bridge_status", "permission_retry", "agents_killed",
     "scheduled_task_fire", "memory_saved", "init", "model_fallback", "api_refusal", "model_refusal_fallback",
     "model_refusal_no_fallback", "model_consent_fallback"});

// What the client tells the model: reminders, settings, listings, files, output of hooks.
constexpr auto kAttachments = std::to_array<std::string_view>({"hook_success",
                                                               "hook_additional_context",
                                                               "hook_blocking_error",
                                                               "hook_non_blocking_error",
                                                               "hook_cancelled",
                                                               "hook_error_during_execution",
                                                               "hook_stopped_continuation",
                                                               "hook_permission_decision",
                                                               "hook_system_message",
                                                               "hook_deferred_tool",
                                                               "async_hook_response",
                                                               "async_hook_response_batch",
                                                               "task_reminder",
                                                               "todo_reminder",
                                                               "todo",
                                                               "task_status",
                                                               "deferred_tools_delta",
                                                               "deferred_tools_record",
                                                               "tool_offer_record",
                                                               "skill_listing",
                                                               "agent_listing_delta",
                                                               "mcp_instructions_delta",
                                                               "file",
                                                               "compact_file_reference",
                                                               "directory",
                                                               "edited_text_file",
                                                               "edited_image_file",
                                                               "already_read_file",
                                                               "pdf_reference",
                                                               "read_truncation_notice",
                                                               "opened_file_in_ide",
                                                               "selected_lines_in_ide",
                                                               "nested_memory",
                                                               "relevant_memories",
                                                               "instructions",
                                                               "dynamic_skill",
                                                               "invoked_skills",
                                                               "plan_mode",
                                                               "plan_mode_exit",
                                                               "plan_mode_reentry",
                                                               "plan_file_reference",
                                                               "auto_mode",
                                                               "auto_mode_exit",
                                                               "critical_system_reminder",
                                                               "diagnostics",
                                                               "date",
                                                               "date_change",
                                                               "environment",
                                                               "language",
                                                               "model",
                                                               "session_context",
                                                               "context_sections",
                                                               "remote_session_change",
                                                               "prompt_snapshot",
                                                               "token_usage",
                                                               "total_tokens_reminder",
                                                               "budget_usd",
                                                               "output_style",
                                                               "output_style_instructions",
                                                               "sandbox_instructions",
                                                               "output_limit_note",
                                                               "plugin_note",
                                                               "output_token_usage",
                                                               "verify_plan_reminder",
                                                               "progress_reminder_sent",
                                                               "batching_reminder",
                                                               "batching_reminder_sent",
                                                               "secondary_reminder",
                                                               "secondary_reminder_sent",
                                                               "silent_turn_reminder",
                                                               "mcp_resource",
                                                               "agent_mention",
                                                               "command_permissions",
                                                               "ultrathink_effort",
                                                               "ultra_effort_enter",
                                                               "ultra_effort_exit",
                                                               "teammate_mailbox",
                                                               "team_context",
                                                               "context_efficiency",
                                                               "structured_output",
                                                               "companion_intro",
                                                               "max_turns_reached",
                                                               "current_session_memory",
                                                               "unified_tasks",
                                                               "skill_discovery"});

// Reports of running operations; the outcome is a record of its own.
constexpr auto kHeartbeats = std::to_array<std::string_view>(
    {"bash_progress", "hook_progress", "mcp_progress", "query_update", "search_results_received", "waiting_for_task",
     "powershell_progress", "skill_progress", "task_progress"});

struct SkippedType {
  std::string_view type;
  std::string_view reason;
};
constexpr std::array kTypes{
    SkippedType{"file-history-snapshot", "file_backup"},
    SkippedType{"file-history-delta", "file_backup"},
    SkippedType{"last-prompt", "repeats_prompt"},
    SkippedType{"api-request", "request_replay"},
    SkippedType{"api-request-resumed", "request_replay"},
    SkippedType{"api-request-shape", "request_replay"},
    SkippedType{"api-request-blob", "request_replay"},
    SkippedType{"attribution-snapshot", "attribution"},
    SkippedType{"content-replacement", "content_replacement"},
    SkippedType{"worktree-state", "worktree_state"},
    SkippedType{"agent-color", "display"},
    SkippedType{"agent-setting", "display"},
    SkippedType{"tag", "display"},
    SkippedType{"task-summary", "display"},
    SkippedType{"frame-link", "display"},
    SkippedType{"speculation-accept", "statistics"},
    SkippedType{"tools-used", "statistics"},
    SkippedType{"relocated", "bookkeeping"},
    SkippedType{"bridge-session", "bookkeeping"},
    SkippedType{"atis-latch", "bookkeeping"},
    SkippedType{"isolation-latch", "bookkeeping"},
    SkippedType{"session-owner", "bookkeeping"},
    SkippedType{"memory-mode", "bookkeeping"},
    SkippedType{"dev-mods", "bookkeeping"},
    SkippedType{"observer-ref", "bookkeeping"},
    SkippedType{"resume-head-vouch", "bookkeeping"},
};

// Names under which a client stores what somebody said.
constexpr auto kTextKeys = std::to_array<std::string_view>({"content", "message", "messages", "prompt", "text"});
// Names of paths and the like, in which a blank is no sign of words.
constexpr auto kPlaceKeys = std::to_array<std::string_view>({"cwd", "gitBranch", "path", "slug"});

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A string as written in JSON. Text outside ASCII may be words without blanks between them.
bool is_several_words(std::string_view body) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    const char c = body[i];
    if (c == ' ' || static_cast<unsigned char>(c) >= 0x80) return true;
    if (c != '\\' || ++i == body.size()) continue;
    if (body[i] != '\\' && body[i] != '/' && body[i] != '"') return true;
  }
  return false;
}

bool look_into(std::string_view key, od::value& value, bool& found) {
  const auto token = token_of(value);
  if (token.starts_with('{')) {
    od::object object;
    return !value.get_object().get(object) && look_for_words(object, found);
  }
  if (token.starts_with('[')) {
    od::array array;
    if (value.get_array().get(array)) return false;
    return for_each_element(array,
                            [&](od::value& element, std::size_t) { return found || look_into(key, element, found); });
  }
  const auto body = string_body(token);
  if (!body.empty() && !is_one_of(key, kPlaceKeys)) found = is_one_of(key, kTextKeys) || is_several_words(body);
  return true;
}

// `object`: the part of the record that may hold words. `field`: where its unknown name is.
RecordOutcome leave_out_unknown(RecordContext& c, od::object& object, DiagnosticType type, FieldName field,
                                std::string_view reason) {
  bool words = false;
  if (!look_for_words(object, words)) return RecordOutcome::damaged();
  if (!words) return RecordOutcome::skipped("no_words");
  c.diagnose(type, {field});
  return RecordOutcome::unknown(reason);
}

bool passes_on_message(od::object& attachment) {
  od::value message;
  return seek(attachment, "prompt", message) || seek(attachment, "message", message) ||
         seek(attachment, "messages", message);
}

template <std::size_t N>
RecordOutcome leave_out_named(RecordContext& c, od::object& object, std::string_view name,
                              const std::array<std::string_view, N>& known, FieldName field) {
  const auto it = std::find(known.begin(), known.end(), name);
  if (it != known.end()) return RecordOutcome::skipped(*it);
  return leave_out_unknown(c, object, DiagnosticType::unknown_field_value, field, "unknown_subtype");
}

}  // namespace

bool look_for_words(od::object& object, bool& found) {
  return restart(object) && for_each_field(object, [&](std::string_view key, od::value& value) {
           return found || look_into(key, value, found);
         });
}

RecordOutcome without_content(od::object& record) {
  bool words = false;
  if (!look_for_words(record, words)) return RecordOutcome::damaged();
  return words ? RecordOutcome::unknown("no_content") : RecordOutcome::skipped("no_content");
}

RecordOutcome leave_out_system(RecordContext& c, od::object& root, std::string_view subtype) {
  return leave_out_named(c, root, subtype, kSubtypes, "subtype");
}

RecordOutcome leave_out_attachment(RecordContext& c, od::object& attachment, std::string_view type) {
  // Since 2.1.3xx a record says as whom the client presented the attachment to the model.
  const bool of_client = string_body(c.envelope().renderedRole) == "system" && !is_one_of(type, kAttachments);
  if (of_client && !passes_on_message(attachment)) return RecordOutcome::skipped("told_by_client");
  return leave_out_named(c, attachment, type, kAttachments, "attachment.type");
}

RecordOutcome leave_out_progress(RecordContext& c, od::object& data, std::string_view type) {
  return leave_out_named(c, data, type, kHeartbeats, "data.type");
}

RecordOutcome leave_out_side_record(RecordContext& c, od::object& root, std::string_view type) {
  const auto it = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& s) { return s.type == type; });
  if (it != kTypes.end()) return RecordOutcome::skipped(it->reason);
  return leave_out_unknown(c, root, DiagnosticType::unknown_record_type, "type", "unknown_type");
}

}  // namespace memd::claude_code
