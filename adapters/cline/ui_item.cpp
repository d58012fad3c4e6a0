// Requests to the model (tool results, cost, outcome), and all other interface messages.
#include "adapters/cline/item_decoder.hpp"
#include "adapters/cline/model_text.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/json/media.hpp"
#include "adapters/names.hpp"
#include "adapters/tool_calls/tool_input.hpp"

#include <array>

namespace memd::cline {

// Requests to the model.

namespace {

MEMD_KEYS(RequestKeys, request, tokensIn, tokensOut, cacheWrites, cacheReads, cost, cancelReason,
          streamingFailedMessage);

MEMD_KEYS(RequestBlockKeys, type, text, tool_use_id, is_error);

bool read_block_results(ItemContext& c, od::object& item, OpenCalls& calls) {
  const auto read = [&](const RequestBlockKeys& keys, od::object& block, std::size_t) {
    if (is_string(keys.text)) {
      emit_text_results(c, c.text(keys.text), calls);
      return true;
    }
    const ToolCall* call = calls.by_id(c.text(keys.tool_use_id));
    if (call == nullptr) return true;  // result of a call that is shown as talk
    ToolOutput output = read_output(c, block);
    std::size_t at = 0;
    TextResult headed;
    if (next_text_result(output.text, at, headed)) output.text = std::string(headed.text);
    emit_output(c, *call, output, is_true(keys.is_error));
    return true;
  };
  return for_each_object<RequestBlockKeys>(item, "results", read);
}

TokenUsage usage_of(const RequestKeys& tokens, bool cache_in_input) {
  TokenUsage usage{integer(tokens.tokensIn), integer(tokens.tokensOut), integer(tokens.cacheReads),
                   integer(tokens.cacheWrites)};
  // Roo Code at first counted cached tokens separately for some providers. Cached tokens are subtracted only when the
  // input can include them.
  const auto cached = usage.cache_read + usage.cache_creation;
  if (cache_in_input && usage.input >= cached) usage.input -= cached;
  return usage;
}

}  // namespace

RecordOutcome read_request(ItemContext& c, od::object& item, const ItemFields& fields, std::string_view text) {
  InnerJson inner;
  RequestKeys tokens;
  const bool open = inner.open(text) && collect(inner.root, tokens);
  if (!open && !trimmed(text).empty()) c.diagnose(DiagnosticType::wrong_field_type, {"text"});

  OpenCalls calls(fields.calls);
  if (!fields.keys.results.empty()) {
    if (!read_block_results(c, item, calls)) return RecordOutcome::damaged();
  } else if (!fields.calls.empty()) {
    emit_text_results(c, c.text(tokens.request), calls);
  }
  const auto reason = string_body(tokens.cancelReason);
  if (reason == "user_cancelled") {
    c.add_lifecycle("interrupt", "cancelled by the user");
  } else if (!reason.empty() || is_string(tokens.streamingFailedMessage)) {
    std::string message = c.text(tokens.streamingFailedMessage);
    if (message.empty()) message = is_identifier(reason) ? std::string(reason) : "request failed";
    c.add_error(std::move(message));
  }
  ResponseFacts facts;
  if (const auto cost = fraction(tokens.cost); cost > 0) facts.cost_usd = cost;
  c.add_usage(usage_of(tokens, is_true(fields.keys.cache_in_input)), c.key(), facts);
  if (c.emitted()) return RecordOutcome::indexed();
  if (open) return RecordOutcome::skipped("request");
  return trimmed(text).empty() ? RecordOutcome::skipped("no_content") : RecordOutcome::unknown("unknown_request");
}

// All other messages of the interface.

namespace {

MEMD_KEYS(UiKeys, ts, type, say, ask, text, reasoning, images, files, modelInfo);

MEMD_KEYS(TalkKeys, question, response, selected, diff, path, context, content, logs, summary);

MEMD_KEYS(UsageKeys, tokensIn, tokensOut, cacheWrites, cacheReads);

constexpr std::string_view kApprovalFlag = "REQ_APP";

constexpr Names kErrors(
    "error diff_error clineignore_error rooignore_error error_retry condense_context_error command_permission_denied "
    "mcp_error api_req_failed mistake_limit_reached auto_approval_max_req_reached rate_limit_error "
    "payment_required_prompt invalid_model");

// Messages of the client about itself, and repeats.
constexpr Names kState(
    "api_req_retried api_req_rate_limit_wait api_req_rate_limited api_req_retry_delayed checkpoint_restore "
    "checkpoint_created checkpoint_saved task_progress "
    "hook_status hook_output_stream mcp_server_request_started mcp_notification info "
    "shell_integration_warning_with_suggestion shell_integration_warning load_mcp_documentation generate_explanation "
    "conditional_rules_applied resume_task resume_completed_task new_task_started inspect_site_result user_edit_todos "
    "subagent condense summarize_task report_bug interactive_app browser_session_status too_many_tools_warning image "
    "finishTask api_req_deleted");

struct UiText {
  UiKeys tokens;
  std::string name;
  bool ask = false;
  std::string text;
  std::string marker;  // of images
};

bool read_fields(ItemContext& c, od::object& ui, UiText& out) {
  if (!collect(ui, out.tokens)) return false;
  out.ask = string_body(out.tokens.type) == "ask";
  out.name = string_body(out.ask ? out.tokens.ask : out.tokens.say);
  out.text = c.text(out.tokens.text);
  c.time = integer(out.tokens.ts);
  if (out.tokens.modelInfo.starts_with('{')) c.model = c.text(token_in(ui, "modelInfo", "modelId"));
  return for_each_in(ui, "images", [&](od::value& image, std::size_t) {
    Media media{"image", {}, {}, {}};
    media.take("url", c.text(token_of(image)));
    append_mark(out.marker, media);
  });
}

RecordOutcome say(ItemContext& c, EventKind kind, std::string text) {
  return c.add_said(kind, std::move(text)) ? RecordOutcome::indexed() : RecordOutcome::skipped("blank_message");
}

RecordOutcome read_human(ItemContext& c, const UiText& ui, const ItemFields& fields) {
  const auto words = trimmed(ui.text);
  if (words.empty() && ui.marker.empty()) return RecordOutcome::skipped("blank_message");
  const Origin origin = is_true(fields.keys.subtask) ? Origin::parent_agent
                        : words.starts_with('/')     ? Origin::command
                                                     : Origin::typed;
  c.add_prompt(origin, std::string(words), ui.marker);
  return RecordOutcome::indexed();
}

// Reads the user's edits to a proposed change: an intervention without text.
RecordOutcome read_user_diff(ItemContext& c, const UiText& ui) {
  InnerJson inner;
  TalkKeys tokens;
  if (inner.open(ui.text) && !collect(inner.root, tokens)) return RecordOutcome::damaged();
  Event& e = c.add(EventKind::human_intervention, Role::user);
  e.origin = Origin::embedded;
  const std::string path = c.text(tokens.path);
  e.summary = "edited the proposed change of " + path;
  e.text = e.summary + "\n" + c.text(tokens.diff, c.detail() == Detail::full ? kNoLimit : kResultTextLimit);
  if (!path.empty()) e.files.push_back({tool_calls::absolute_path(c.cwd, path), FileAccess::modified, 0, 0});
  return RecordOutcome::indexed();
}

// Reads a question or a plan. The user's choice among the options is added to it later.
RecordOutcome read_offer(ItemContext& c, const UiText& ui) {
  InnerJson inner;
  TalkKeys tokens;
  if (!inner.open(ui.text)) return say(c, EventKind::assistant_msg, ui.text);
  if (!collect(inner.root, tokens)) return RecordOutcome::damaged();
  std::string words;
  for (const auto token : {tokens.question, tokens.response, tokens.context, tokens.content})
    if (words.empty()) words = c.text(token);
  const RecordOutcome verdict = say(c, EventKind::assistant_msg, words);
  const std::string selected = c.text(tokens.selected);
  if (trimmed(selected).empty()) return verdict;
  Event& e = c.add(EventKind::decision, Role::user);
  e.origin = Origin::embedded;
  e.text = one_line(words, 200) + ": " + selected;
  return RecordOutcome::indexed();
}

RecordOutcome read_call(ItemContext& c, od::object& item, const ItemFields& fields, const UiText& ui) {
  const ToolCall call = fields.calls.empty() ? ToolCall{fields.key, ui.name, {}} : fields.calls.front();
  if (call.tool == "summarize_task") {
    InnerJson inner;
    TalkKeys tokens;
    if (inner.open(ui.text) && !collect(inner.root, tokens)) return RecordOutcome::damaged();
    c.add_compaction("summarised", c.text(tokens.content));
    return RecordOutcome::indexed();
  }
  Event& e = c.add(EventKind::tool_call, Role::assistant);
  e.tool = call.tool;
  e.call_id = call.id;
  e.summary = call.tool;
  od::object block;
  if (seek_object(item, "block", block)) {
    if (!read_block_input(c, block, e)) return RecordOutcome::damaged();
  } else if (ui.name == "command") {
    std::string_view command = ui.text;
    if (command.ends_with(kApprovalFlag)) command.remove_suffix(kApprovalFlag.size());
    read_text_input(c, std::move(json::ObjectWriter().text("command", trimmed(command))).finish(), e);
  } else {
    read_text_input(c, ui.text, e);
  }
  const auto access = access_of(e.tool);
  if (e.files.empty() && access && !call.file.path.empty())
    e.files.push_back({tool_calls::absolute_path(e.cwd, call.file.path), *access, 0, 0});
  return RecordOutcome::indexed();
}

RecordOutcome read_shown_output(ItemContext& c, od::object& item, const ItemFields& fields, const UiText& ui) {
  if (is_true(fields.keys.repeated)) return RecordOutcome::skipped("shown_in_result");
  std::string text = ui.text;
  if (ui.name == "browser_action_result") {
    InnerJson inner;
    TalkKeys tokens;
    if (inner.open(ui.text) && collect(inner.root, tokens)) text = c.text(tokens.logs);
  }
  const auto append = [&](const UiKeys& piece, od::object&, std::size_t) {
    text.append("\n");
    c.append_text(piece.text, text);
    return true;
  };
  if (!for_each_object<UiKeys>(item, "more", append)) return RecordOutcome::damaged();
  if (trimmed(text).empty()) return RecordOutcome::skipped("blank_message");
  emit_result(c, fields.calls.empty() ? ToolCall{} : fields.calls.front(), text, false);
  return RecordOutcome::indexed();
}

RecordOutcome read_usage(ItemContext& c, const UiText& ui) {
  InnerJson inner;
  UsageKeys tokens;
  if (!inner.open(ui.text) || !collect(inner.root, tokens)) return RecordOutcome::skipped("no_content");
  c.add_usage(
      {integer(tokens.tokensIn), integer(tokens.tokensOut), integer(tokens.cacheReads), integer(tokens.cacheWrites)},
      c.key());
  return c.emitted() ? RecordOutcome::indexed() : RecordOutcome::skipped("usage");
}

RecordOutcome read_condensed(ItemContext& c, od::object& ui_object) {
  TalkKeys tokens;
  collect_in(ui_object, "contextCondense", tokens);
  c.add_compaction("condensed", c.text(tokens.summary));
  return RecordOutcome::indexed();
}

RecordOutcome read_named(ItemContext& c, od::object& item, od::object& object, const ItemFields& fields, UiText& ui) {
  const std::string_view name = ui.name;
  if (name == "task" || (is_true(fields.keys.first) && name == "text")) return read_human(c, ui, fields);
  if (name == "user_feedback") return read_human(c, ui, fields);
  if (name == "user_feedback_diff") return read_user_diff(c, ui);
  if (name == "text") return say(c, EventKind::assistant_msg, std::move(ui.text));
  if (name == "reasoning")
    return say(c, EventKind::thinking, ui.text.empty() ? c.text(ui.tokens.reasoning) : std::move(ui.text));
  if (name == "completion_result") {
    return say(c, EventKind::assistant_msg, std::string(without_changes_flag(ui.text)));
  }
  if (name == "followup" || name == "plan_mode_respond" || name == "plan_mode_response" || name == "act_mode_respond" ||
      name == "new_task")
    return read_offer(c, ui);
  if (name == "api_req_started") return read_request(c, item, fields, ui.text);
  if (name == "api_req_finished" || name == "deleted_api_reqs" || name == "subagent_usage") return read_usage(c, ui);
  if (name == "condense_context") return read_condensed(c, object);
  if (name == "sliding_window_truncation") {
    c.add_compaction("truncated", {});
    return RecordOutcome::indexed();
  }
  if (name == "command_output" || name == "mcp_server_response" || name == "browser_action_result" ||
      name == "codebase_search_result" || name == "subtask_result")
    return read_shown_output(c, item, fields, ui);
  if (!fields.calls.empty()) return read_call(c, item, fields, ui);
  if (kErrors.has(name)) {
    c.add_error(ui.text.empty() ? ui.name : ui.text, name == "api_req_failed" ? "api_error" : "");
    return RecordOutcome::indexed();
  }
  if (kState.has(name)) return RecordOutcome::skipped("state");
  c.diagnose(DiagnosticType::unknown_field_value, {"say"});
  return RecordOutcome::unknown("unknown_type");
}

}  // namespace

RecordOutcome read_ui(ItemContext& c, od::object& item, const ItemFields& fields, std::string& type) {
  od::object object;
  UiText ui;
  if (!seek_object(item, "ui", object) || !read_fields(c, object, ui)) return RecordOutcome::damaged();
  type = std::string(ui.ask ? "ask:" : "say:") + (is_identifier(ui.name) ? ui.name : "?");
  if (is_true(fields.keys.superseded)) return RecordOutcome::skipped("superseded");
  RecordOutcome verdict = read_named(c, item, object, fields, ui);
  if (verdict.broken || fields.keys.dropped.empty()) return verdict;
  std::array<std::int64_t, 2> ends{};
  for_each_in(item, "dropped", [&](od::value& element, std::size_t i) {
    if (i < ends.size()) ends[i] = integer(token_of(element));
  });
  c.add_lifecycle("compaction",
                  "entries " + std::to_string(ends[0]) + " to " + std::to_string(ends[1]) + " left the context");
  return RecordOutcome::indexed();
}

}  // namespace memd::cline
