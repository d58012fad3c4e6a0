#include "adapters/opencode/tool_part.hpp"

#include "adapters/opencode/tool_changes.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace memd::opencode {
namespace {

enum : std::size_t { kToolPartStatus, kToolPartOutput, kToolPartError, kStateKeys };
constexpr KeyTable<kStateKeys> kStateTable{{"status", "output", "error"}};
enum : std::size_t { kToolPartStart, kToolPartEnd, kToolPartTimeKeys };
constexpr KeyTable<kToolPartTimeKeys> kToolPartTimeTable{{"start", "end"}};
enum : std::size_t { kToolPartType, kToolPartText, kMessage, kContentKeys };
constexpr KeyTable<kContentKeys> kContentTable{{"type", "text", "message"}};
enum : std::size_t { kToolPartExit, kSessionId, kOtherSessionId, kMetadataKeys };
constexpr KeyTable<kMetadataKeys> kMetadataTable{{"exit", "sessionId", "sessionID"}};

std::optional<FileAccess> access_of(std::string_view tool) {
  if (tool == "read") return FileAccess::read;
  if (tool == "edit" || tool == "write" || tool == "multiedit") return FileAccess::modified;
  if (tool == "glob" || tool == "grep" || tool == "list" || tool == "ls") return FileAccess::referenced;
  return std::nullopt;
}

// 1.x: "output" or "error" as text. 2.x: content blocks, and an error that is an object.
std::string read_output(ItemContext& c, od::object& state, const Tokens<kStateKeys>& tokens) {
  std::string out;
  od::value value;
  od::array content;
  if (is_string(tokens[kToolPartOutput])) c.append_text(tokens[kToolPartOutput], out);
  if (out.empty() && seek(state, "content", value) && !value.get_array().get(content))
    for_each_element(content, [&](od::value& element, std::size_t) {
      od::object block;
      Tokens<kContentKeys> fields;
      if (element.get_object().get(block) || !collect(block, kContentTable, fields)) return true;
      if (!out.empty()) out.push_back('\n');
      if (is_string(fields[kToolPartText]))
        c.append_text(fields[kToolPartText], out);
      else
        out.append("[file]");
      return true;
    });
  od::object error;
  Tokens<kContentKeys> fields{};
  if (is_string(tokens[kToolPartError]))
    fields[kMessage] = tokens[kToolPartError];
  else if (tokens[kToolPartError].starts_with('{') && seek_object(state, "error", error))
    collect(error, kContentTable, fields);
  if (is_string(fields[kMessage])) {
    if (!out.empty()) out.push_back('\n');
    c.append_text(fields[kMessage], out);
  }
  return out;
}

struct Metadata {
  bool failed = false;
  std::string child;  // the session a subagent ran in
};

Metadata read_metadata(ItemContext& c, od::object& state) {
  Metadata out;
  for (const std::string_view name : {"metadata", "structured"}) {
    od::object metadata;
    Tokens<kMetadataKeys> tokens;
    if (!seek_object(state, name, metadata) || !collect(metadata, kMetadataTable, tokens)) continue;
    out.failed |= integer(tokens[kToolPartExit]) != 0;
    const auto child = is_string(tokens[kSessionId]) ? tokens[kSessionId] : tokens[kOtherSessionId];
    if (is_string(child)) out.child = c.text(child);
  }
  return out;
}

void link_child(ItemContext& c, const std::string& child, const std::string& call_id, od::object& state) {
  od::object input;
  od::value type;
  SessionUpdate update;
  update.session_uid = make_session_uid(Platform::opencode, child);
  if (update.session_uid == c.session_uid()) return;
  update.platform = Platform::opencode;
  update.native_id = child;
  update.kind = SessionKind::subagent;
  update.parent_uid = c.session_uid();
  update.parent_call_id = call_id;
  if (seek_object(state, "input", input) && seek(input, "subagent_type", type))
    update.agent_name = c.text(token_of(type));
  c.out().sessions.push_back(std::move(update));
}

void read_call(ItemContext& c, const ToolPart& part, od::object& state) {
  Event& call = c.add(EventKind::tool_call, Role::assistant, part.block);
  if (part.started != 0) call.time = part.started;
  call.tool = part.tool;
  call.call_id = part.call_id;
  call.summary = part.tool;
  od::value input;
  if (!seek(state, "input", input)) return;
  if (is_string(token_of(input))) return;  // 2.x, while it streams in: a part of a JSON text
  tool_calls::read_tool_input(c, input, access_of, call);
  if (part.tool == "patch" || part.tool == "apply_patch") read_patch_files(c, state, call);
}

}  // namespace

void read_tool_part(ItemContext& c, const ToolPart& given, od::object& state) {
  ToolPart part = given;
  Tokens<kStateKeys> tokens;
  if (!collect(state, kStateTable, tokens)) return;
  od::object time;
  Tokens<kToolPartTimeKeys> times{};
  if (seek_object(state, "time", time) && collect(time, kToolPartTimeTable, times)) {
    if (part.started == 0) part.started = integer(times[kToolPartStart]);
    if (part.ended == 0) part.ended = integer(times[kToolPartEnd]);
  }
  c.reach(std::max(part.started, part.ended));
  const Metadata metadata = read_metadata(c, state);
  if (!metadata.child.empty()) link_child(c, metadata.child, part.call_id, state);
  read_call(c, part, state);
  std::vector<FileTouch> files = c.out().events.back().files;

  const std::string_view status = string_body(tokens[kToolPartStatus]);
  if (status != "completed" && status != "error") {
    if (status != "pending" && status != "running" && status != "streaming")
      c.diagnose(DiagnosticType::unknown_field_value, {"state.status"});
    return;
  }
  std::string output = read_output(c, state, tokens);
  if (c.detail() == Detail::stored) output.resize(utf8_prefix(output, kResultTextLimit).size());
  {
    Event& result = c.add_result(part.block);
    if (const TimeMs known = std::max(part.started, part.ended); known != 0) result.time = known;
    result.call_id = part.call_id;
    // A command that failed, or a call the model got wrong, is "completed" all the same.
    result.is_error = status == "error" || metadata.failed || part.tool == "invalid";
    result.text = std::move(output);
    if (!result.is_error && !files.empty() && files.front().access == FileAccess::modified) {
      count_changes(state, part.tool, files);
      result.files = std::move(files);
    }
  }
  if (part.tool == "question" && status == "completed") {
    std::string answers = read_answers(c, state);
    if (answers.empty()) return;
    const TimeMs answered = c.out().events.back().time;
    Event& decision = c.add_note(EventKind::decision, Role::user, part.block);
    decision.time = answered;
    decision.origin = Origin::embedded;
    decision.call_id = part.call_id;
    decision.text = std::move(answers);
  }
}

}  // namespace memd::opencode
