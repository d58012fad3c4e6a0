// The items of a turn as Codex displays them: event_msg/item_completed of newer threads, and the older event_msg types
// "exec_command_end", "patch_apply_end", "mcp_tool_call_end", …. Both repeat response items, except for what the script
// of an "exec" call did: its commands, patches and calls are told by these records only.
#include "adapters/codex/record_context.hpp"
#include "adapters/tool_calls/patch_text.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "adapters/tool_calls/tool_result.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/utf8.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace memd::codex {
namespace {

constexpr std::size_t kItemSummaryLimit = 160;

MEMD_KEYS(ItemKeys, type, kind, id, call_id, status, success, source, cwd, interaction_input, aggregated_output,
          formatted_output, stdout_, stderr_, exit_code, server, tool, namespace_, query, path, text, prompt,
          revised_prompt, review, error, message);

// An item with its scalar fields.
struct Item {
  od::object& object;
  ItemKeys tokens;

  std::string_view id_token() const { return is_string(tokens.call_id) ? tokens.call_id : tokens.id; }
  std::string_view id() const { return string_body(id_token()); }
  // Calls inside a script have ids of this form; all others have the id of the model's call.
  bool is_nested() const { return id().starts_with("exec-"); }
  bool failed() const {
    const auto status = string_body(tokens.status);
    return tokens.success == "false" || status == "failed" || status == "declined";
  }
};

std::optional<FileAccess> no_access(std::string_view) { return std::nullopt; }

// "file:///home/ada/my%20app" → "/home/ada/my app"
std::string path_of(RecordContext& c, std::string_view token) {
  constexpr std::string_view kScheme = "file://";
  std::string path = c.text(token);
  return path.starts_with(kScheme) ? percent_decoded(std::string_view(path).substr(kScheme.size())) : path;
}

Event& add_call(RecordContext& c, const Item& item, std::string_view tool) {
  c.identify_by("call", item.id(), hash64(tool));
  Event& call = c.add(EventKind::tool_call, Role::assistant);
  call.is_echo = true;
  call.tool = tool;
  call.summary = tool;
  call.call_id = c.text(item.id_token());
  return call;
}

// Sets what a call says as one text: its beginning, with Detail::full all of it.
void set_said(RecordContext& c, std::string_view said, Event& call) {
  if (!said.empty()) call.summary += ": " + one_line(said, kItemSummaryLimit);
  call.search_text = utf8_prefix(said, tool_calls::kSearchTextLimit);
  if (c.detail() == Detail::full) call.text = said;
}

Event& add_result(RecordContext& c, const Item& item, std::string text, bool failed) {
  c.identify_by("result", item.id(), hash64(text));
  const bool is_silent = text.empty();
  Event& result = tool_calls::add_result(c, c.text(item.id_token()), std::move(text), failed);
  result.is_echo = true;
  if (is_silent) result.summary = std::string("[").append(failed ? "failed" : "completed").append("]");
  return result;
}

// Appends the strings, and the "text" fields of the objects, of a list.
bool append_texts(RecordContext& c, od::object& object, std::string_view list, std::string& text) {
  return for_each_in(object, list, [&](od::value& value, std::size_t) {
    const auto token = token_of(value);
    if (is_string(token)) append_line(text, c.text(token));
    od::object part;
    od::value inner;
    if (token.starts_with('{') && !value.get_object().get(part) && seek(part, "text", inner))
      append_line(text, c.text(token_of(inner)));
  });
}

// Commands.

RecordOutcome read_command(RecordContext& c, const Item& item) {
  const auto source = string_body(item.tokens.source);
  // A "!" command of the user comes as a message, too.
  if (source == "user_shell" || source == "userShell") return RecordOutcome::skipped("repeats_message");
  std::string line;
  od::value value;
  od::array arguments;
  if (seek(item.object, "command", value)) {
    if (is_string(token_of(value)))
      line = c.text(token_of(value));
    else if (!value.get_array().get(arguments))
      line = tool_calls::command_line_of(c, arguments);
  }
  const std::string input = c.text(item.tokens.interaction_input);
  // Input for a command that runs already; "command" repeats that command.
  const bool writes = !input.empty() || source == "unified_exec_interaction" || source == "unifiedExecInteraction";
  Event& call = add_call(c, item, writes ? "write_stdin" : "exec_command");
  const std::string& said = writes ? input : line;
  set_said(c, said, call);
  call.input_hash = hash64(said, hash64(call.tool));
  if (c.detail() == Detail::stored && !writes) tool_calls::add_command(call, line, path_of(c, item.tokens.cwd));

  std::string output;
  for (const auto token : {item.tokens.aggregated_output, item.tokens.formatted_output})
    if (output.empty()) output = c.text(token);
  if (output.empty()) {
    output = c.text(item.tokens.stdout_);
    append_line(output, c.text(item.tokens.stderr_));
  }
  const bool tells_exit = is_number(item.tokens.exit_code);
  const auto code = static_cast<std::int32_t>(integer(item.tokens.exit_code));
  Event& result = add_result(c, item, std::move(output), tells_exit ? code != 0 : item.failed());
  if (tells_exit) result.facts.exit_code = code;
  return RecordOutcome::indexed();
}

// Patches.

bool read_changes(RecordContext& c, od::object& object, std::vector<FileTouch>& files) {
  od::object changes;
  if (!seek_object(object, "changes", changes)) return true;
  const bool whole = for_each_field(changes, [&](std::string_view path, od::value& value) {
    od::object change;
    FileTouch touch{{}, FileAccess::modified, 0, 0};
    append_unescaped(path, touch.path);
    std::string_view type;
    std::string text;
    std::string moved_to;
    if (value.get_object().get(change)) return true;
    const bool read = for_each_field(change, [&](std::string_view key, od::value& field) {
      if (key == "type") type = string_body(token_of(field));
      if (key == "unified_diff" || key == "content") c.append_text(token_of(field), text);
      if (key == "move_path") moved_to = c.text(token_of(field));
    });
    if (!read) return false;
    const auto lines = tool_calls::count_lines(text);
    touch.deletes = type == "delete";
    if (type == "add")
      touch.lines_added = lines;
    else if (touch.deletes)
      touch.lines_removed = lines;
    else
      tool_calls::count_diff_lines(text, touch);
    if (!moved_to.empty()) touch.path = moved_to;
    files.push_back(std::move(touch));
    return true;
  });
  // The order of the changes is that of a hash table, and differs between records of one patch.
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return whole;
}

// A patch made inside a script has no call: each file is an edit.
void add_edits(RecordContext& c, const Item& item, std::vector<FileTouch> files) {
  c.identify_by("patch", item.id(), 0);
  for (FileTouch& touch : files) {
    Event& e = c.add(EventKind::edit, Role::assistant);
    e.tool = "apply_patch";
    e.summary = touch.path + " +" + std::to_string(touch.lines_added) + " -" + std::to_string(touch.lines_removed);
    if (touch.deletes) e.summary += " (deleted)";
    e.files.push_back(std::move(touch));
  }
}

RecordOutcome read_patch(RecordContext& c, const Item& item) {
  std::vector<FileTouch> files;
  if (!read_changes(c, item.object, files)) return RecordOutcome::damaged();
  if (item.is_nested() && !item.failed()) {
    if (files.empty()) return RecordOutcome::skipped("no_content");
    add_edits(c, item, std::move(files));
    return RecordOutcome::indexed();
  }
  Event& call = add_call(c, item, "apply_patch");
  call.search_text = call.tool;
  std::string names;
  for (const FileTouch& file : files) {
    names.append(names.empty() ? " " : ", ").append(file.path);
    call.search_text.append("\n").append(file.path);
  }
  call.search_text.resize(utf8_prefix(call.search_text, tool_calls::kSearchTextLimit).size());
  call.summary += one_line(names, kItemSummaryLimit).insert(0, names.empty() ? "" : " ");
  call.files = std::move(files);
  std::string output = c.text(item.tokens.stdout_);
  append_line(output, c.text(item.tokens.stderr_));
  add_result(c, item, std::move(output), item.failed());
  return RecordOutcome::indexed();
}

// Calls of other tools.

// Reads {"content": [{"text": "…"}], "isError": false}, in older records below "Ok", or {"Err": "…"}.
bool read_mcp_result(RecordContext& c, od::object& object, std::string& text, bool& failed) {
  od::value value;
  od::object result;
  if (seek(object, "Err", value)) {
    failed = true;
    text = c.text(token_of(value));
    return true;
  }
  if (seek_object(object, "Ok", result)) return read_mcp_result(c, result, text, failed);
  if (seek(object, "isError", value)) failed = failed || is_true(token_of(value));
  return append_texts(c, object, "content", text);
}

RecordOutcome read_mcp_call(RecordContext& c, const Item& item) {
  od::object invocation;
  const bool old = seek_object(item.object, "invocation", invocation);
  od::object& call_object = old ? invocation : item.object;
  ItemKeys tokens;
  if (!collect(call_object, tokens)) return RecordOutcome::damaged();
  Event& call = add_call(c, item, "mcp__" + c.text(tokens.server) + "__" + c.text(tokens.tool));
  od::value value;
  if (seek(call_object, "arguments", value) && !tool_calls::read_tool_input(c, value, no_access, call))
    return RecordOutcome::damaged();
  std::string text;
  bool failed = item.failed();
  od::object object;
  if (seek_object(item.object, "result", object) && !read_mcp_result(c, object, text, failed))
    return RecordOutcome::damaged();
  if (text.empty() && seek_object(item.object, "error", object) && seek(object, "message", value)) {
    text = c.text(token_of(value));
    failed = true;
  }
  add_result(c, item, std::move(text), failed);
  return RecordOutcome::indexed();
}

RecordOutcome read_dynamic_call(RecordContext& c, const Item& item) {
  const std::string space = c.text(item.tokens.namespace_);
  Event& call = add_call(c, item, space + (space.empty() ? "" : ".") + c.text(item.tokens.tool));
  od::value value;
  if (seek(item.object, "arguments", value) && !tool_calls::read_tool_input(c, value, no_access, call))
    return RecordOutcome::damaged();
  std::string text;
  if (!append_texts(c, item.object, "content_items", text)) return RecordOutcome::damaged();
  if (text.empty()) text = c.text(item.tokens.error);
  add_result(c, item, std::move(text), item.failed() || is_string(item.tokens.error));
  return RecordOutcome::indexed();
}

RecordOutcome read_web_search(RecordContext& c, const Item& item) {
  Event& call = add_call(c, item, "web_search");
  od::value action;
  if (seek(item.object, "action", action) && token_of(action).starts_with('{') &&
      !tool_calls::read_tool_input(c, action, no_access, call))
    return RecordOutcome::damaged();
  const std::string query = c.text(item.tokens.query);
  if (!query.empty() && call.search_text.find(query) == std::string::npos) {
    append_line(call.search_text, query);
    call.summary = call.tool + ": " + one_line(query, kItemSummaryLimit);
  }
  add_result(c, item, {}, item.failed());
  return RecordOutcome::indexed();
}

RecordOutcome read_image(RecordContext& c, const Item& item, std::string_view tool) {
  Event& call = add_call(c, item, tool);
  const std::string prompt = c.text(item.tokens.revised_prompt);
  const std::string path = path_of(c, item.tokens.path);
  set_said(c, prompt.empty() ? path : prompt, call);
  if (!path.empty()) call.files.push_back({path, FileAccess::read, 0, 0});
  add_result(c, item, {}, item.failed()).summary = "[image]";
  return RecordOutcome::indexed();
}

RecordOutcome read_agent_call(RecordContext& c, const Item& item) {
  const std::string tool = c.text(item.tokens.tool);
  Event& call = add_call(c, item, tool);
  set_said(c, c.text(item.tokens.prompt), call);
  const std::string call_id = call.call_id;
  add_result(c, item, {}, item.failed());
  if (tool != "spawn_agent" && tool != "spawnAgent") return RecordOutcome::indexed();
  const bool whole = for_each_in(item.object, "receiver_thread_ids", [&](od::value& agent, std::size_t) {
    const auto thread = string_body(token_of(agent));
    if (is_uuid(thread)) c.add_subagent(make_session_uid(Platform::codex, thread), call_id, c.time);
  });
  return whole ? RecordOutcome::indexed() : RecordOutcome::damaged();
}

// Messages.

RecordOutcome add_answer(RecordContext& c, std::string text) {
  Event& e = c.add(EventKind::assistant_msg, Role::assistant);
  e.is_echo = true;
  e.text = std::move(text);
  return RecordOutcome::indexed();
}

RecordOutcome read_message_item(RecordContext& c, const Item& item, std::string_view turn, bool by_user) {
  std::string text;
  if (!append_texts(c, item.object, "content", text)) return RecordOutcome::damaged();
  if (by_user) return read_prompt_echo(c, text, turn);
  if (trimmed(text).empty()) return RecordOutcome::skipped("blank_message");
  identify_item(c, "message/assistant", item.id(), turn, hash64(text));
  return add_answer(c, std::move(text));
}

// The answer's record contains the plan between tags, in threads that have it.
RecordOutcome read_plan(RecordContext& c, const Item& item, std::string_view turn) {
  std::string text = c.text(item.tokens.text);
  if (trimmed(text).empty()) return RecordOutcome::skipped("no_content");
  c.identify_by_turn("plan", turn, hash64(text));
  return add_answer(c, std::move(text));
}

RecordOutcome read_reasoning_item(RecordContext& c, const Item& item, std::string_view turn) {
  std::string text;
  for (const std::string_view key : {"summary_text", "raw_content"})
    if (!append_texts(c, item.object, key, text)) return RecordOutcome::damaged();
  if (item.id().empty() || !identify_item(c, "reasoning", item.id(), turn, hash64(text)))
    return RecordOutcome::skipped("repeats_response_item");
  Event& e = c.add(EventKind::thinking, Role::assistant);
  e.is_echo = true;
  if (text.empty()) e.summary = "[encrypted]";
  e.text = std::move(text);
  return RecordOutcome::indexed();
}

RecordOutcome read_review(RecordContext& c, const Item& item, std::string_view lifecycle) {
  std::string text = c.text(item.tokens.review);
  c.identify_by(lifecycle, item.id(), hash64(text));
  c.add_lifecycle(lifecycle).text = std::move(text);
  return RecordOutcome::indexed();
}

RecordOutcome read_item(RecordContext& c, const Item& item, std::string_view turn) {
  const auto type = string_body(item.tokens.type);
  if (type == "CommandExecution") return read_command(c, item);
  if (type == "FileChange") return read_patch(c, item);
  if (type == "McpToolCall") return read_mcp_call(c, item);
  if (type == "DynamicToolCall") return read_dynamic_call(c, item);
  if (type == "CollabAgentToolCall") return read_agent_call(c, item);
  if (type == "WebSearch") return read_web_search(c, item);
  if (type == "ImageView") return read_image(c, item, "view_image");
  if (type == "ImageGeneration") return read_image(c, item, "image_generation");
  if (type == "UserMessage") return read_message_item(c, item, turn, true);
  if (type == "AgentMessage") return read_message_item(c, item, turn, false);
  if (type == "Plan") return read_plan(c, item, turn);
  if (type == "Reasoning") return read_reasoning_item(c, item, turn);
  if (type == "EnteredReviewMode") return read_review(c, item, "review_started");
  if (type == "ExitedReviewMode") return read_review(c, item, "review_finished");
  if (type == "HookPrompt") return RecordOutcome::skipped("injected_text");
  if (type == "ContextCompaction") return RecordOutcome::skipped("repeats_compacted");
  if (type == "SubAgentActivity" || type == "Sleep") return RecordOutcome::skipped("display");
  // Items of Codex's extensions: {"type": "Extension", "kind": "web.search", …}.
  const auto kind = string_body(item.tokens.kind);
  if (kind == "web.search") return read_web_search(c, item);
  if (kind == "image_gen.generation") return read_image(c, item, "image_generation");
  if (kind == "clock.sleep") return RecordOutcome::skipped("display");
  c.diagnose(DiagnosticType::unknown_record_type, {"payload.item.type"});
  return RecordOutcome::unknown("unknown_type");
}

using ReadAction = RecordOutcome (*)(RecordContext&, const Item&);
struct ActionType {
  std::string_view type;
  ReadAction read;
};
constexpr std::array kActionTypes{
    ActionType{"exec_command_end", read_command},
    ActionType{"patch_apply_end", read_patch},
    ActionType{"mcp_tool_call_end", read_mcp_call},
    ActionType{"dynamic_tool_call_response", read_dynamic_call},
    ActionType{"view_image_tool_call", [](RecordContext& c, const Item& i) { return read_image(c, i, "view_image"); }},
    ActionType{"image_generation_end",
               [](RecordContext& c, const Item& i) { return read_image(c, i, "image_generation"); }},
};

}  // namespace

RecordOutcome read_completed_item(RecordContext& c, od::object& payload, const Payload& fields) {
  od::object object;
  Item item{object, {}};
  if (!seek_object(payload, "item", object) || !collect(object, item.tokens)) {
    c.diagnose(DiagnosticType::missing_field, {"payload.item"});
    return RecordOutcome::unknown("unknown_type");
  }
  return read_item(c, item, string_body(fields.turn_id));
}

std::optional<RecordOutcome> read_action_end(RecordContext& c, od::object& payload, std::string_view type) {
  const auto it =
      std::find_if(kActionTypes.begin(), kActionTypes.end(), [&](const auto& action) { return action.type == type; });
  if (it == kActionTypes.end()) return std::nullopt;
  Item item{payload, {}};
  if (!collect(payload, item.tokens)) return RecordOutcome::damaged();
  return it->read(c, item);
}

}  // namespace memd::codex
