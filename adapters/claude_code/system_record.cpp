#include "adapters/claude_code/record_handlers.hpp"
#include "adapters/claude_code/tool_result.hpp"

#include <algorithm>
#include <array>

namespace memd::claude_code {
namespace {

enum : std::size_t { kTrigger, kPreTokens, kPostTokens, kTokensSaved, kCompactKeys };
constexpr KeyTable<kCompactKeys> kCompactTable{{"trigger", "preTokens", "postTokens", "tokensSaved"}};

// "auto, 167094 tokens before, 32000 after"
Fate read_compaction(RecordContext& c, od::object& root, std::string_view key, std::string_view lifecycle) {
  od::object metadata;
  Tokens<kCompactKeys> tokens{};
  if (seek_object(root, key, metadata) && !collect(metadata, kCompactTable, tokens)) return Fate::damaged();
  std::string summary = is_identifier(string_body(tokens[kTrigger])) ? std::string(string_body(tokens[kTrigger])) : "";
  const auto add = [&](std::size_t i, std::string_view what) {
    if (tokens[i].empty()) return;
    summary.append(summary.empty() ? "" : ", ").append(std::to_string(integer(tokens[i]))).append(what);
  };
  add(kPreTokens, " tokens before");
  add(kPostTokens, " after");
  add(kTokensSaved, " tokens saved");
  c.add_lifecycle(lifecycle, summary);
  return Fate::indexed();
}

Fate read_api_error(RecordContext& c) {
  const Envelope& envelope = c.envelope();
  std::string summary = "API error";
  if (envelope.has(Key::retry_attempt))
    summary += ", retry " + std::to_string(integer(envelope[Key::retry_attempt])) + " of " +
               std::to_string(integer(envelope[Key::max_retries]));
  c.add_lifecycle("api_error", summary).is_error = true;
  return Fate::indexed();
}

Fate read_stop_hook(RecordContext& c) {
  if (!c.envelope().is(Key::prevented_continuation)) return Fate::skipped("stop_hook_summary");
  c.add_lifecycle("hook_stop", one_line(c.text(c.envelope()[Key::stop_reason]), 200));
  return Fate::indexed();
}

constexpr std::array<std::string_view, 9> kSkippedSubtypes{"local_command",       "informational",    "away_summary",
                                                           "bridge_status",       "permission_retry", "agents_killed",
                                                           "scheduled_task_fire", "memory_saved",     "init"};

constexpr std::array<std::string_view, 58> kSkippedAttachments{"hook_success",
                                                               "hook_additional_context",
                                                               "hook_blocking_error",
                                                               "hook_non_blocking_error",
                                                               "hook_cancelled",
                                                               "hook_error_during_execution",
                                                               "hook_stopped_continuation",
                                                               "hook_permission_decision",
                                                               "hook_system_message",
                                                               "async_hook_response",
                                                               "task_reminder",
                                                               "todo_reminder",
                                                               "todo",
                                                               "task_status",
                                                               "deferred_tools_delta",
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
                                                               "opened_file_in_ide",
                                                               "selected_lines_in_ide",
                                                               "nested_memory",
                                                               "relevant_memories",
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
                                                               "date_change",
                                                               "token_usage",
                                                               "budget_usd",
                                                               "output_style",
                                                               "output_token_usage",
                                                               "verify_plan_reminder",
                                                               "mcp_resource",
                                                               "agent_mention",
                                                               "command_permissions",
                                                               "ultrathink_effort",
                                                               "teammate_mailbox",
                                                               "team_context",
                                                               "context_efficiency",
                                                               "structured_output",
                                                               "companion_intro",
                                                               "max_turns_reached",
                                                               "current_session_memory",
                                                               "unified_tasks",
                                                               "skill_discovery"};

enum : std::size_t { kSystemType, kAttachmentKeys };
constexpr KeyTable<kAttachmentKeys> kAttachmentTable{{"type"}};

template <std::size_t N>
Fate skip_known(RecordContext& c, std::string_view name, const std::array<std::string_view, N>& known,
                   FieldName field) {
  const auto it = std::find(known.begin(), known.end(), name);
  if (it != known.end()) return Fate::skipped(*it);
  c.diagnose(DiagnosticType::unknown_field_value, {field});
  return Fate::unknown("unknown_subtype");
}

}  // namespace

Fate read_system(RecordContext& c, od::object& root) {
  const auto subtype = c.envelope().body(Key::subtype);
  if (subtype == "compact_boundary") return read_compaction(c, root, "compactMetadata", "compaction");
  if (subtype == "microcompact_boundary") return read_compaction(c, root, "microcompactMetadata", "microcompaction");
  if (subtype == "api_error") return read_api_error(c);
  if (subtype == "stop_hook_summary") return read_stop_hook(c);
  if (subtype == "turn_duration") {
    c.add_lifecycle("turn_duration", std::to_string(integer(c.envelope()[Key::duration_ms])) + " ms");
    return Fate::indexed();
  }
  return skip_known(c, subtype, kSkippedSubtypes, "subtype");
}

Fate read_attachment(RecordContext& c, od::object& root) {
  od::object attachment;
  Tokens<kAttachmentKeys> tokens{};
  if (seek_object(root, "attachment", attachment) && !collect(attachment, kAttachmentTable, tokens))
    return Fate::damaged();
  const auto type = string_body(tokens[kSystemType]);
  if (type == "queued_command") {
    od::value prompt;
    ContentText words;  // a string, or blocks where an image was pasted
    if (seek(attachment, "prompt", prompt) && !read_content(c, prompt, kNoLimit, words)) return Fate::damaged();
    return emit_queued(c, words.text, "queued_command") ? Fate::indexed() : Fate::skipped("injected_text");
  }
  return skip_known(c, type, kSkippedAttachments, "attachment.type");
}

}  // namespace memd::claude_code
