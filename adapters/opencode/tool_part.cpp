#include "adapters/opencode/item_decoder.hpp"

#include "adapters/tool_calls/choices.hpp"
#include "adapters/tool_calls/patch_text.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "adapters/tool_calls/tool_result.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace memd::opencode {

namespace {

constexpr std::size_t kSummaryLimit = 160;

MEMD_KEYS(ChangeKeys, filePath, file, additions, deletions);

// Counts the lines of a unified diff; its header lines begin with "+++" and "---".
void count_diff(std::string_view diff, FileTouch& touch) {
  while (!diff.empty()) {
    const auto line = tool_calls::next_line(diff);
    if (line.starts_with("+++") || line.starts_with("---")) continue;
    touch.lines_added += line.starts_with('+');
    touch.lines_removed += line.starts_with('-');
  }
}

void read_change(od::object& change, FileTouch& touch) {
  ChangeKeys tokens;
  if (!collect(change, tokens)) return;
  touch.lines_added = static_cast<std::int32_t>(integer(tokens.additions));
  touch.lines_removed = static_cast<std::int32_t>(integer(tokens.deletions));
}

// Reads metadata.files of a patch: counts for each file, whose path may be absolute.
void read_changes(od::object& metadata, std::vector<FileTouch>& files) {
  for_each_object<ChangeKeys>(metadata, "files", [&](const ChangeKeys& keys, od::object& change, std::size_t) {
    const std::string path = unescaped(is_string(keys.filePath) ? keys.filePath : keys.file);
    for (FileTouch& touch : files)
      if (path == touch.path || path.ends_with("/" + touch.path)) read_change(change, touch);
  });
}

std::string text_in(od::object& object, std::string_view inner, std::string_view name) {
  return unescaped(token_in(object, inner, name));
}

// Adds the files named in a patch to `call.files`, and sets a summary with them.
void read_patch_files(ItemContext& c, od::object& state, Event& call) {
  constexpr std::array<std::string_view, 4> kHeads{
      "*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "};
  const std::string patch = text_in(state, "input", "patchText");
  std::string names;
  for (std::string_view rest = patch; !rest.empty();) {
    const auto line = tool_calls::next_line(rest);
    for (const auto head : kHeads) {
      if (!line.starts_with(head)) continue;
      call.files.push_back({std::string(trimmed(line.substr(head.size()))), FileAccess::modified, 0, 0});
      names.append(names.empty() ? "" : "\n").append(call.files.back().path);
    }
  }
  if (names.empty()) return;
  std::string list = names;
  std::replace(list.begin(), list.end(), '\n', ' ');
  call.summary = call.tool + " " + one_line(list, kSummaryLimit);
  call.search_text = std::move(names);
  if (c.detail() == Detail::full) call.text = patch;
}

// Counts the lines added and removed in the files of a successful call.
void count_changes(od::object& state, std::string_view tool, std::vector<FileTouch>& files) {
  if (tool == "write") {
    if (!is_true(token_in(state, "metadata", "exists")))
      files.front().lines_added = tool_calls::count_lines(text_in(state, "input", "content"));
    return;
  }
  od::object metadata;
  od::object change;
  od::value diff;
  if (!seek_object(state, "metadata", metadata)) return;
  if (files.size() == 1 && seek_object(metadata, "filediff", change)) {
    read_change(change, files.front());
  } else if (tool == "patch" || tool == "apply_patch") {
    read_changes(metadata, files);
  } else if (files.size() == 1 && seek(metadata, "diff", diff)) {
    count_diff(TextReader().text(token_of(diff)), files.front());
  }
}

MEMD_KEYS(StateKeys, status, output, error);
MEMD_KEYS(ToolPartTimeKeys, start, end);
MEMD_KEYS(ContentKeys, type, text, message);
MEMD_KEYS(MetadataKeys, exit, sessionId, sessionID);

constexpr tool_calls::ToolAccess access_of{Names("read"), Names("edit write multiedit"), Names("glob grep list ls")};

// Reads the output. 1.x: "output" or "error" as text. 2.x: content blocks, and an error that is an object.
std::string read_output(ItemContext& c, od::object& state, const StateKeys& tokens) {
  std::string out;
  if (is_string(tokens.output)) c.append_text(tokens.output, out);
  if (out.empty())
    for_each_object<ContentKeys>(state, "content", [&](const ContentKeys& fields, od::object&, std::size_t) {
      if (!out.empty()) out.push_back('\n');
      if (is_string(fields.text))
        c.append_text(fields.text, out);
      else
        out.append("[file]");
    });
  const auto error = is_string(tokens.error) ? tokens.error : token_in(state, "error", "message");
  if (is_string(error)) {
    if (!out.empty()) out.push_back('\n');
    c.append_text(error, out);
  }
  return out;
}

struct Metadata {
  std::optional<std::int32_t> exit_code;
  std::string child;  // the session in which a subagent ran
};

Metadata read_metadata(ItemContext& c, od::object& state) {
  Metadata out;
  for (const std::string_view name : {"metadata", "structured"}) {
    MetadataKeys tokens;
    if (!collect_in(state, name, tokens)) continue;
    if (is_number(tokens.exit)) out.exit_code = static_cast<std::int32_t>(integer(tokens.exit));
    const auto child = is_string(tokens.sessionId) ? tokens.sessionId : tokens.sessionID;
    if (is_string(child)) out.child = c.text(child);
  }
  return out;
}

void link_child(ItemContext& c, const std::string& child, const std::string& call_id, od::object& state) {
  const std::string uid = make_session_uid(c.platform(), child);
  if (uid == c.session_uid()) return;
  c.add_subagent(uid, call_id, 0).agent_name = c.text(token_in(state, "input", "subagent_type"));
}

void read_call(ItemContext& c, const ToolPart& part, od::object& state) {
  Event& call = c.add(EventKind::tool_call, Role::assistant);
  if (part.started != 0) call.time = part.started;
  call.tool = part.tool;
  call.call_id = part.call_id;
  call.summary = part.tool;
  od::value input;
  if (!seek(state, "input", input)) return;
  if (is_string(token_of(input))) return;  // 2.x, while streaming: a fragment of a JSON text
  tool_calls::read_tool_input(c, input, access_of, call);
  if (part.tool == "patch" || part.tool == "apply_patch") read_patch_files(c, state, call);
}

}  // namespace

void read_tool_part(ItemContext& c, const ToolPart& given, od::object& state) {
  ToolPart part = given;
  StateKeys tokens;
  if (!collect(state, tokens)) return;
  ToolPartTimeKeys times;
  if (collect_in(state, "time", times)) {
    if (part.started == 0) part.started = integer(times.start);
    if (part.ended == 0) part.ended = integer(times.end);
  }
  c.reach(std::max(part.started, part.ended));
  const Metadata metadata = read_metadata(c, state);
  if (!metadata.child.empty()) link_child(c, metadata.child, part.call_id, state);
  read_call(c, part, state);
  std::vector<FileTouch> files = c.out().events.back().files;

  const std::string_view status = string_body(tokens.status);
  if (status != "completed" && status != "error") {
    if (status != "pending" && status != "running" && status != "streaming")
      c.diagnose(DiagnosticType::unknown_field_value, {"state.status"});
    return;
  }
  std::string output = read_output(c, state, tokens);
  {
    // A failed command and an invalid call are "completed", too.
    const bool failed = status == "error" || metadata.exit_code.value_or(0) != 0 || part.tool == "invalid";
    Event& result = tool_calls::add_result(c, part.call_id, std::move(output), failed);
    if (const TimeMs known = std::max(part.started, part.ended); known != 0) result.time = known;
    result.facts.exit_code = metadata.exit_code;
    if (!result.is_error && !files.empty() && files.front().access == FileAccess::modified) {
      count_changes(state, part.tool, files);
      result.files = std::move(files);
    }
  }
  if (status != "completed" || !tool_calls::asks_person(part.tool)) return;
  const TimeMs answered = c.out().events.back().time;
  std::string choices = tool_calls::choices_in(part.tool, object_text(state, "input"), object_text(state, "metadata"));
  tool_calls::add_choices(c, part.call_id, std::move(choices), answered);
}

}  // namespace memd::opencode
