// Tool calls and their results.
#include "adapters/codex/record_handlers.hpp"
#include "adapters/codex/script_text.hpp"
#include "adapters/codex/tool_output.hpp"
#include "adapters/tool_calls/patch_text.hpp"
#include "adapters/tool_calls/test_command.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "schemas/hash.hpp"
#include "schemas/ids.hpp"

#include <filesystem>

namespace memd::codex {
namespace {

constexpr std::size_t kSummaryLimit = 160;

std::optional<FileAccess> access_of(std::string_view tool) {
  if (tool == "read_file" || tool == "view_image") return FileAccess::read;
  if (tool == "list_dir" || tool == "grep_files") return FileAccess::referenced;
  return std::nullopt;
}

// A tool of an MCP server has its server in a field of its own in newer builds.
std::string tool_name(RecordContext& c, const Payload& payload) {
  const std::string space = c.text(payload[Key::namespace_]);
  const std::string name = c.text(payload[Key::name]);
  if (!space.starts_with("mcp__") || name.starts_with("mcp__")) return name;
  return space + (space.ends_with("__") ? "" : "__") + name;
}

std::string argument_of(std::string_view arguments, std::string_view key) {
  const auto at = arguments.find(key);
  return at == std::string_view::npos ? std::string() : string_around(arguments, at + key.size());
}

// A call that carries a patch: in its input, or in a shell command. The files are what matters of it, not the text.
void describe_patch(Event& call, std::string_view arguments) {
  const auto at = arguments.find("*** Begin Patch");
  const bool in_json = trimmed(arguments).starts_with('{');
  const std::string command = in_json ? string_around(arguments, at) : std::string(arguments);
  auto files = tool_calls::patched_files(command);
  if (files.empty()) return;
  const std::filesystem::path directory = in_json ? argument_of(arguments, "\"workdir\":\"") : std::string();
  call.search_text = "apply_patch";
  std::string names;
  for (auto& file : files) {
    if (directory.is_absolute() && !std::filesystem::path(file.path).is_absolute())
      file.path = (directory / file.path).lexically_normal().string();
    names.append(names.empty() ? "" : ", ").append(file.path);
    call.search_text.append("\n").append(file.path);
  }
  call.search_text.resize(utf8_prefix(call.search_text, tool_calls::kSearchTextLimit).size());
  call.summary = (call.tool == "apply_patch" ? "" : call.tool + ": ") + "apply_patch " + one_line(names, kSummaryLimit);
  call.is_test = tool_calls::runs_tests(tool_calls::without_patches(command));
  call.files = std::move(files);
}

// A script of code mode is shown by the commands it runs. What it patches is told by patch_apply_end records.
void describe_script(Event& call, std::string_view script) {
  const auto commands = script_commands(script);
  if (commands.empty()) return;
  call.summary = call.tool + ": " + one_line(commands.front(), kSummaryLimit);
  if (commands.size() > 1) call.summary += " (and " + std::to_string(commands.size() - 1) + " more)";
  for (const auto& command : commands)
    call.is_test = call.is_test || tool_calls::runs_tests(command);
}

Fate read_call(RecordContext& c, const Payload& payload, Key input) {
  const std::string arguments = c.text(payload[input]);
  const auto call_id = payload.body(Key::call_id);
  c.identify_by("call", call_id, hash64(arguments, hash64(payload.body(Key::name))));
  Event& call = c.add(EventKind::tool_call, Role::assistant);
  call.tool = tool_name(c, payload);
  call.call_id = c.text(payload[Key::call_id]);
  tool_calls::read_tool_input_text(c, arguments, access_of, call);
  if (call.tool == "exec" && input == Key::input)
    describe_script(call, arguments);
  else if (tool_calls::holds_patch(arguments))
    describe_patch(call, arguments);
  return Fate::indexed();
}

Fate read_result(RecordContext& c, od::object& item, const Payload& payload) {
  ToolOutput output;
  od::value value;
  if (seek(item, "output", value) && !read_tool_output(c, value, output)) return Fate::damaged();
  c.identify_by("result", payload.body(Key::call_id), hash64(output.text));
  Event& e = c.add(EventKind::tool_result, Role::tool);
  e.call_id = c.text(payload[Key::call_id]);
  e.is_error = output.failed;
  if (c.detail() == Detail::stored) output.text.resize(utf8_prefix(output.text, kResultTextLimit).size());
  e.text = std::move(output.text);
  e.summary = std::move(output.marker);
  const std::string call_id = e.call_id;
  if (!output.answers.empty()) {
    Event& decision = c.add(EventKind::decision, Role::user);
    decision.origin = Origin::embedded;
    decision.call_id = call_id;
    decision.text = std::move(output.answers);
  }
  if (!output.agent_id.empty()) {
    SessionUpdate& agent = c.update(make_session_uid(Platform::codex, output.agent_id));
    agent.kind = SessionKind::subagent;
    agent.parent_uid = c.line().session_uid;
    agent.parent_call_id = call_id;
  }
  return Fate::indexed();
}

// Calls that the model's server runs itself: the one record tells of the call and that it came back.
Fate read_server_call(RecordContext& c, od::object& item, const Payload& payload, std::string_view tool,
                      std::string_view input) {
  std::string call_id = c.text(payload[Key::call_id].empty() ? payload[Key::id] : payload[Key::call_id]);
  od::value value;
  const bool has_input = seek(item, input, value);
  const auto content = has_input ? hash64(token_of(value)) : 0;
  c.identify_by("call", call_id, hash64(payload.body(Key::status), hash64(tool, content)));
  if (call_id.empty())
    call_id = std::string(tool) + "@" + std::string(c.line().timestamp) + "+" + std::to_string(c.line().raw.offset);
  Event& call = c.add(EventKind::tool_call, Role::assistant);
  call.tool = tool;
  call.call_id = call_id;
  call.summary = tool;
  if (has_input && !tool_calls::read_tool_input(c, value, access_of, call)) return Fate::damaged();
  const auto status = payload.body(Key::status);
  if (status != "completed" && status != "failed") return Fate::indexed();
  Event& result = c.add(EventKind::tool_result, Role::tool);
  result.call_id = call_id;
  result.is_error = status == "failed";
  result.summary = "[" + std::string(status) + "]";
  return Fate::indexed();
}

Fate read_local_shell(RecordContext& c, od::object& item, const Payload& payload) {
  const auto id = payload.has(Key::call_id) ? payload[Key::call_id] : payload[Key::id];
  od::value action;
  const bool has_action = seek(item, "action", action);
  c.identify_by("call", string_body(id), hash64(payload.body(Key::status)));
  Event& call = c.add(EventKind::tool_call, Role::assistant);
  call.tool = "local_shell";
  call.call_id = c.text(id);
  call.summary = call.tool;
  return has_action && !tool_calls::read_tool_input(c, action, access_of, call) ? Fate::damaged() : Fate::indexed();
}

}  // namespace

Fate read_tool_item(RecordContext& c, od::object& item, const Payload& payload) {
  const auto type = payload.body(Key::type);
  if (type == "function_call") return read_call(c, payload, Key::arguments);
  if (type == "custom_tool_call") return read_call(c, payload, Key::input);
  if (type == "function_call_output" || type == "custom_tool_call_output") return read_result(c, item, payload);
  if (type == "local_shell_call") return read_local_shell(c, item, payload);
  if (type == "web_search_call") return read_server_call(c, item, payload, "web_search", "action");
  if (type == "tool_search_call") return read_server_call(c, item, payload, "tool_search", "arguments");
  if (type == "image_generation_call") return read_server_call(c, item, payload, "image_generation", "revised_prompt");
  if (type == "tool_search_output") return Fate::skipped("tool_list");
  c.diagnose(DiagnosticType::unknown_record_type, {"payload.type"});
  return Fate::unknown("unknown_type");
}

}  // namespace memd::codex
