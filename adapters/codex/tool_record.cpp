#include "adapters/codex/record_context.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/media.hpp"
#include "adapters/tool_calls/choices.hpp"
#include "adapters/tool_calls/patch_text.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "adapters/tool_calls/tool_result.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/utf8.hpp"
#include "schemas/command_purpose.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace memd::codex {

namespace {

constexpr std::size_t kMostCommands = 32;

bool is_escaped(std::string_view text, std::size_t at) {
  std::size_t slashes = 0;
  while (slashes < at && text[at - slashes - 1] == '\\')
    ++slashes;
  return slashes % 2 == 1;
}

std::size_t end_of_string(std::string_view text, std::size_t from, char quote) {
  while (from < text.size() && text[from] != quote)
    from += text[from] == '\\' ? 2 : 1;
  return from < text.size() ? from : std::string_view::npos;
}

// Returns the offset of the value of a "cmd" property; npos when the word is something else.
std::size_t value_behind(std::string_view script, std::size_t word) {
  constexpr std::size_t kWord = 3;
  if (word > 0 && ascii::is_word(script[word - 1])) return std::string_view::npos;
  std::size_t at = word + kWord;
  const auto skip_blanks = [&] { at = std::min(script.find_first_not_of(" \t\r\n", at), script.size()); };
  if (at < script.size() && (script[at] == '"' || script[at] == '\'')) ++at;
  skip_blanks();
  if (at >= script.size() || script[at] != ':') return std::string_view::npos;
  ++at;
  skip_blanks();
  return at < script.size() ? at : std::string_view::npos;
}

// Returns the unescaped JSON or JavaScript string around the offset `at`. Empty when there is none.
std::string string_around(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && (text[begin - 1] != '"' || is_escaped(text, begin - 1)))
    --begin;
  const auto end = begin == 0 ? std::string_view::npos : end_of_string(text, begin, '"');
  std::string out;
  if (end != std::string_view::npos && end >= at) json::append_unescaped(text.substr(begin, end - begin), out);
  return out;
}

// The output of a tool. It has one of several forms: text; JSON in text ({"output", "metadata": {"exit_code"}},
// {"content", "isError"}); a list of texts and images.
struct ToolOutput {
  std::string text;
  std::string text_end;  // as in Event
  std::string marker;    // of parts other than text (json::Media)
  bool failed = false;   // non-zero exit code, or Codex's own message about a failed call
  std::optional<std::int32_t> exit_code;
  bool goes_on = false;  // the command still runs
  std::string agent_id;  // for spawn_agent: the started thread
};

MEMD_KEYS(ToolOutputPartKeys, type, text);

MEMD_KEYS(ObjectKeys, output, metadata, content, isError, success, agent_id);

// Codex's own messages in place of an output.
constexpr std::array<std::string_view, 12> kRefusals{"failed in sandbox",
                                                     "error:",
                                                     "execution error:",
                                                     "exec_command failed",
                                                     "apply_patch verification failed",
                                                     "Script failed",
                                                     "failed to parse function arguments",
                                                     "unsupported call",
                                                     "aborted",
                                                     "exec command rejected",
                                                     "patch rejected",
                                                     "tool call error:"};
constexpr std::array<std::string_view, 2> kExitCodes{"Exit code: ", "Process exited with code "};

std::optional<std::int32_t> exit_code_in(std::string_view line) {
  for (const auto prefix : kExitCodes)
    if (line.starts_with(prefix)) return tool_calls::exit_code_behind(prefix, line);
  return std::nullopt;
}

bool append_parts(RecordContext& c, od::array& parts, ToolOutput& out) {
  return for_each_element(parts, [&](od::value& value, std::size_t) {
    od::object part;
    ToolOutputPartKeys tokens;
    if (value.get_object().get(part)) return true;
    if (!collect(part, tokens)) return false;
    if (is_string(tokens.text)) {
      append_line(out.text, c.text(tokens.text));
      return true;
    }
    const auto type = string_body(tokens.type);
    append_mark(out.marker, read_media(c, type, part));
    return true;
  });
}

bool read_object(RecordContext& c, od::object& object, ToolOutput& out) {
  ObjectKeys tokens;
  if (!collect(object, tokens)) return false;
  out.failed = is_true(tokens.isError) || tokens.success == "false";
  if (is_string(tokens.output) && tokens.metadata.starts_with('{')) {
    if (const auto code = token_in(object, "metadata", "exit_code"); !code.empty()) {
      out.exit_code = static_cast<std::int32_t>(integer(code));
      out.failed = out.exit_code != 0;
    }
    out.text.clear();
    c.append_text(tokens.output, out.text);
  } else if (is_string(tokens.content)) {
    out.text.clear();
    c.append_text(tokens.content, out.text);
  }
  const auto agent = string_body(tokens.agent_id);
  if (is_uuid(agent)) out.agent_id = agent;
  return true;
}

// Reads JSON in text. Text that only looks like JSON is kept.
void read_inner_json(RecordContext& c, ToolOutput& out) {
  InnerJson inner;
  const ToolOutput before = out;
  if (!inner.open(out.text) || !read_object(c, inner.root, out)) out = before;
}

// Reads the outcome that Codex writes before the actual output: "Exit code: 1", "Process exited with code 1", "Script
// failed", "apply_patch verification failed", "aborted by user", …
void read_end(std::string_view text, ToolOutput& out) {
  out.failed = std::any_of(kRefusals.begin(), kRefusals.end(), [&](auto refusal) { return text.starts_with(refusal); });
  // The lines before "Output:" are written by Codex.
  for (int line_number = 0; line_number < 8 && !text.empty() && !out.failed; ++line_number) {
    const auto line = ascii::take_until(text, '\n');
    if (line.starts_with("Output:")) return;
    if (const auto code = exit_code_in(line)) out.exit_code = code;
    out.goes_on = out.goes_on || line.starts_with("Process running with session ID ");
    out.failed = out.exit_code.value_or(0) != 0 || line.starts_with("aborted by user");
  }
}

// `output` may be any value. Returns false only for broken JSON.
bool read_tool_output(RecordContext& c, od::value& output, ToolOutput& out) {
  const auto token = token_of(output);
  if (token.starts_with('[')) {
    od::array parts;
    if (output.get_array().get(parts)) return false;
    if (!append_parts(c, parts, out)) return false;
    read_end(out.text, out);
    return true;
  }
  if (token.starts_with('{')) {
    od::object object;
    return !output.get_object().get(object) && read_object(c, object, out);
  }
  // The outcome is at the start, or, in JSON, anywhere.
  const bool json = string_body(token).starts_with('{');
  const bool whole = json || c.detail() == Detail::full;
  c.append_text(token, out.text, whole ? kNoLimit : kResultTextLimit);
  if (!whole) out.text_end = tool_calls::last_lines_of(token);
  read_end(out.text, out);
  if (json) read_inner_json(c, out);
  return true;
}

// Tool calls and their results.

constexpr std::size_t kSummaryLimit = 160;

constexpr tool_calls::ToolAccess access_of{Names("read_file view_image"), Names(""), Names("list_dir grep_files")};

// Returns the tool's name. Newer builds store the server of an MCP tool in a field of its own.
std::string tool_name(RecordContext& c, const Payload& payload) {
  const std::string space = c.text(payload.namespace_);
  const std::string name = c.text(payload.name);
  if (!space.starts_with("mcp__") || name.starts_with("mcp__")) return name;
  return space + (space.ends_with("__") ? "" : "__") + name;
}

std::string argument_of(std::string_view arguments, std::string_view key) {
  const auto at = arguments.find(key);
  return at == std::string_view::npos ? std::string() : string_around(arguments, at + key.size());
}

// Describes a call with a patch, in its input or in a shell command, by the patch's files instead of its text.
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
  // The patch itself is excluded, because its text may mention tests.
  const CommandPurpose purpose = purpose_of(tool_calls::without_patches(command));
  call.is_test = purpose == CommandPurpose::test;
  for (ShellCommand& line : call.facts.commands)
    line.purpose = purpose;
  call.files = std::move(files);
}

// Describes a code mode script by its commands. What it really did is in records of its own (turn_item.cpp).
void describe_script(Event& call, std::string_view script) {
  const auto commands = script_commands(script);
  if (commands.empty()) return;
  call.summary = call.tool + ": " + one_line(commands.front(), kSummaryLimit);
  if (commands.size() > 1) call.summary += " (and " + std::to_string(commands.size() - 1) + " more)";
  for (const auto& command : commands)
    tool_calls::add_command(call, command);
}

// Records.

RecordOutcome read_call(RecordContext& c, const Payload& payload, std::string_view input) {
  const std::string arguments = c.text(input);
  const auto call_id = string_body(payload.call_id);
  c.identify_by("call", call_id, hash64(arguments, hash64(string_body(payload.name))));
  Event& call = c.add(EventKind::tool_call, Role::assistant);
  call.tool = tool_name(c, payload);
  call.call_id = c.text(payload.call_id);
  tool_calls::read_tool_input_text(c, arguments, access_of, call);
  if (call.tool == "exec" && string_body(payload.type) == "custom_tool_call")
    describe_script(call, arguments);
  else if (tool_calls::holds_patch(arguments))
    describe_patch(call, arguments);
  return RecordOutcome::indexed();
}

RecordOutcome read_result(RecordContext& c, od::object& item, const Payload& payload) {
  ToolOutput output;
  od::value value;
  if (seek(item, "output", value) && !read_tool_output(c, value, output)) return RecordOutcome::damaged();
  // The record of how the command ended (turn_item.cpp) has the call's id, too.
  c.identify_by(output.goes_on ? "interim" : "result", string_body(payload.call_id), hash64(output.text));
  std::string choices = tool_calls::choices_in({}, {}, output.text);
  Event& e = tool_calls::add_result(c, c.text(payload.call_id), std::move(output.text), output.failed);
  e.facts.exit_code = output.exit_code;
  if (!output.text_end.empty()) e.text_end = std::move(output.text_end);
  e.summary = output.goes_on ? std::string(kBackgroundMark) : std::move(output.marker);
  const std::string call_id = e.call_id;
  tool_calls::add_choices(c, call_id, std::move(choices));
  if (!output.agent_id.empty()) c.add_subagent(make_session_uid(Platform::codex, output.agent_id), call_id, c.time);
  return RecordOutcome::indexed();
}

// Reads a call run by the model's server: one record contains the call and the fact that it returned.
RecordOutcome read_server_call(RecordContext& c, od::object& item, const Payload& payload, std::string_view tool,
                               std::string_view input) {
  std::string call_id = c.text(payload.call_id.empty() ? payload.id : payload.call_id);
  od::value value;
  const auto content = seek(item, input, value) ? hash64(token_of(value)) : 0;
  c.identify_by("call", call_id, hash64(string_body(payload.status), hash64(tool, content)));
  if (call_id.empty())
    call_id = std::string(tool) + "@" + std::string(c.line().timestamp) + "+" + std::to_string(c.line().raw.offset);
  if (!tool_calls::add_call(c, std::string(tool), call_id, item, input, access_of)) return RecordOutcome::damaged();
  const auto status = string_body(payload.status);
  if (status != "completed" && status != "failed") return RecordOutcome::indexed();
  Event& result = tool_calls::add_result(c, call_id, {}, status == "failed");
  result.summary = "[" + std::string(status) + "]";
  return RecordOutcome::indexed();
}

RecordOutcome read_local_shell(RecordContext& c, od::object& item, const Payload& payload) {
  const auto id = has_value(payload.call_id) ? payload.call_id : payload.id;
  c.identify_by("call", string_body(id), hash64(string_body(payload.status)));
  return tool_calls::add_call(c, "local_shell", c.text(id), item, "action", access_of) ? RecordOutcome::indexed()
                                                                                       : RecordOutcome::damaged();
}

}  // namespace

RecordOutcome read_tool_item(RecordContext& c, od::object& item, const Payload& payload) {
  const auto type = string_body(payload.type);
  if (type == "function_call") return read_call(c, payload, payload.arguments);
  if (type == "custom_tool_call") return read_call(c, payload, payload.input);
  if (type == "function_call_output" || type == "custom_tool_call_output") return read_result(c, item, payload);
  if (type == "local_shell_call") return read_local_shell(c, item, payload);
  if (type == "web_search_call") return read_server_call(c, item, payload, "web_search", "action");
  if (type == "tool_search_call") return read_server_call(c, item, payload, "tool_search", "arguments");
  if (type == "image_generation_call") return read_server_call(c, item, payload, "image_generation", "revised_prompt");
  if (type == "tool_search_output") return RecordOutcome::skipped("tool_list");
  c.diagnose(DiagnosticType::unknown_record_type, {"payload.type"});
  return RecordOutcome::unknown("unknown_type");
}

std::vector<std::string> script_commands(std::string_view script) {
  std::vector<std::string> commands;
  for (auto word = script.find("cmd"); word != std::string_view::npos && commands.size() < kMostCommands;
       word = script.find("cmd", word + 1)) {
    const auto at = value_behind(script, word);
    if (at == std::string_view::npos || std::string_view("\"'`").find(script[at]) == std::string_view::npos) continue;
    const auto end = end_of_string(script, at + 1, script[at]);
    if (end == std::string_view::npos) break;
    std::string command;
    json::append_unescaped(script.substr(at + 1, end - at - 1), command);
    if (!json::trimmed(command).empty()) commands.push_back(std::move(command));
    word = end;
  }
  return commands;
}

}  // namespace memd::codex
