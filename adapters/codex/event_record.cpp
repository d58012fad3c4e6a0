// event_msg: what Codex displayed. Most of it repeats response items. docs/skipped-records.md says why each skipped
// type may be skipped.
#include "adapters/codex/record_context.hpp"
#include "adapters/names.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <array>

namespace memd::codex {
namespace {

// The response item of a finished web search has no id, and a script contains its search.
constexpr std::array kSkippedTypes{
    Reason{"repeats_response_item", Names("agent_message agent_reasoning agent_reasoning_raw_content "
                                          "agent_reasoning_section_break item_started raw_response_item")},
    Reason{"repeats_call", Names("exec_command_begin exec_approval_request apply_patch_approval_request "
                                 "patch_apply_begin mcp_tool_call_begin dynamic_tool_call_request web_search_begin "
                                 "web_search_end image_generation_begin request_user_input plan_update turn_diff")},
    Reason{"display", Names("sub_agent_activity collab_agent_interaction_end collab_waiting_end collab_close_end "
                            "collab_resume_end hook_started hook_completed background_event warning "
                            "guardian_assessment guardian_warning deprecation_notice model_reroute")},
    Reason{"retried", Names("stream_error")},
    Reason{"turn_marker", Names("task_started turn_started")},
    Reason{"repeats_compacted", Names("context_compacted")},
    Reason{"repeats_turn_context", Names("thread_settings_applied")},
    Reason{"bookkeeping", Names("session_configured shutdown_complete mcp_startup_update mcp_startup_complete")},
};

RecordOutcome read_abort(RecordContext& c, const Payload& payload) {
  const std::string reason = c.text(payload.reason, 80);
  c.identify_by_turn("turn_aborted", string_body(payload.turn_id), hash64(reason));
  const bool by_a_person = reason.empty() || reason == "interrupted" || reason == "replaced";
  c.add_lifecycle(by_a_person ? "interrupt" : "turn_aborted", reason);
  return RecordOutcome::indexed();
}

RecordOutcome read_turn_end(RecordContext& c, const Payload& payload) {
  const auto duration = integer(payload.duration_ms);
  if (duration <= 0) return RecordOutcome::skipped("turn_marker");
  c.identify_by_turn("turn_complete", string_body(payload.turn_id), hash64(payload.duration_ms));
  c.add_lifecycle("turn_duration", std::to_string(duration) + " ms");
  return RecordOutcome::indexed();
}

RecordOutcome read_error(RecordContext& c, const Payload& payload) {
  std::string text = c.text(payload.message);
  if (trimmed(text).empty()) return RecordOutcome::skipped("blank_message");
  c.identify_locally("error", hash64(text));
  c.add_error(std::move(text));
  return RecordOutcome::indexed();
}

RecordOutcome read_agent_start(RecordContext& c, const Payload& payload) {
  const std::string thread = c.text(payload.new_thread_id);
  if (!is_uuid(thread)) return RecordOutcome::skipped("display");
  c.add_subagent(make_session_uid(Platform::codex, thread), c.text(payload.call_id), c.time);
  return RecordOutcome::indexed();
}

RecordOutcome read_name(RecordContext& c, const Payload& payload) {
  const std::string name = one_line(c.text(payload.thread_name), 300);
  if (name.empty()) return RecordOutcome::skipped("empty_title");
  SessionUpdate& update = c.add_session();
  update.title = name;
  update.title_rank = TitleRank::custom;
  return RecordOutcome::indexed();
}

// The goal of "/goal …", written again at each change of its state. The model gets it in an injected text.
RecordOutcome read_goal(RecordContext& c, od::object& item) {
  const std::string text = c.text(token_in(item, "goal", "objective"));
  if (trimmed(text).empty()) return RecordOutcome::skipped("no_content");
  c.identify_in_session("goal", hash64(text));
  Event& e = c.add(EventKind::user_msg, Role::user);
  e.origin = Origin::command;
  e.text = "/goal " + text;
  return RecordOutcome::indexed();
}

RecordOutcome read_review(RecordContext& c, od::object& item, std::string_view type) {
  std::string text = c.text(token_in(item, "review_output", "overall_explanation"));
  od::value value;
  if (seek(item, "user_facing_hint", value)) c.append_text(token_of(value), text);
  c.identify_locally(type, hash64(text));
  c.add_lifecycle(type == "entered_review_mode" ? "review_started" : "review_finished").text = std::move(text);
  return RecordOutcome::indexed();
}

}  // namespace

RecordOutcome read_event_msg(RecordContext& c, od::object& item, const Payload& payload) {
  const auto type = string_body(payload.type);
  if (type == "token_count")
    return has_value(payload.info) ? read_token_count(c, item) : RecordOutcome::skipped("rate_limits");
  if (type == "turn_aborted") return read_abort(c, payload);
  if (type == "task_complete" || type == "turn_complete") return read_turn_end(c, payload);
  if (type == "error") return read_error(c, payload);
  if (type == "item_completed") return read_completed_item(c, item, payload);
  if (type == "user_message") return read_prompt_echo(c, c.text(payload.message), {});
  if (type == "collab_agent_spawn_end") return read_agent_start(c, payload);
  if (type == "thread_name_updated") return read_name(c, payload);
  if (type == "thread_goal_updated") return read_goal(c, item);
  if (type == "entered_review_mode" || type == "exited_review_mode") return read_review(c, item, type);
  if (type == "thread_rolled_back") {
    c.identify_locally("rollback", hash64(payload.num_turns));
    const std::int64_t turns = integer(payload.num_turns);
    c.add_lifecycle("rollback", std::to_string(turns) + " turns taken back").turns_taken_back = turns;
    return RecordOutcome::indexed();
  }
  if (const auto action = read_action_end(c, item, type)) return *action;
  if (const auto reason = reason_for(kSkippedTypes, type); !reason.empty()) return RecordOutcome::skipped(reason);
  c.diagnose(DiagnosticType::unknown_record_type, {"payload.type"});
  return RecordOutcome::unknown("unknown_type");
}

}  // namespace memd::codex
