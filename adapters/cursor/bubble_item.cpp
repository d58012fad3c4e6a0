#include "adapters/cursor/item_decoder.hpp"
#include "adapters/cursor/places.hpp"
#include "adapters/names.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "adapters/tool_calls/tool_result.hpp"
#include "schemas/base/hash.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace memd::cursor {

// Calls of tools.

namespace {

MEMD_KEYS(ToolKeys, name, toolCallId, status, rawArgs, params, result, error, userDecision);

MEMD_KEYS(ResultKeys, output, contents, content, text, result, modelVisibleErrorMessage, rejected, exitCodeV2,
          exitCode);

MEMD_KEYS(ParamKeys, relativeWorkspacePath, targetFile, effectiveUri, path);
MEMD_KEYS(ChunkKeys, diffString, linesAdded, linesRemoved);

// Returns a field that is JSON in a string, or, in some builds, the object itself.
std::string inner_text(ItemContext& c, od::object& tool, std::string_view key, std::string_view token) {
  if (is_string(token)) return c.text(token);
  if (!token.starts_with('{') && !token.starts_with('[')) return {};
  od::value value;
  od::object object;
  od::array array;
  std::string_view raw;
  if (!seek(tool, key, value)) return {};
  const bool open = token.front() == '{' ? !value.get_object().get(object) && !object.raw_json().get(raw)
                                         : !value.get_array().get(array) && !array.raw_json().get(raw);
  return open ? std::string(trimmed(raw)) : std::string();
}

bool has_fields(std::string_view json) {
  const auto first = json.find('{');
  if (first == std::string_view::npos) return !trimmed(json).empty();
  return !trimmed(json.substr(first + 1)).starts_with('}');
}

// Adds the file named in the parameters, under key names of their own.
void add_file_of_params(ItemContext& c, std::string_view params, Event& call) {
  const auto access = access_of(call.tool);
  if (!access || !call.files.empty()) return;
  InnerJson json;
  ParamKeys keys;
  if (!json.open(params) || !collect(json.root, keys)) return;
  for (const auto token : {keys.relativeWorkspacePath, keys.targetFile, keys.effectiveUri, keys.path}) {
    std::string path = c.text(token);
    if (path.starts_with("file://")) path = path_of_uri(path);
    if (path.empty()) continue;
    call.files.push_back({path, *access, 0, 0});
    if (call.summary == call.tool || call.summary.empty()) call.summary = call.tool + " " + path;
    if (call.search_text.empty()) call.search_text = path;
    return;
  }
}

// Reads "diff": {"chunks": [{"diffString", "linesAdded", "linesRemoved"}]}.
bool read_diff(ItemContext& c, od::object& result, FileTouch& touch, std::string& text) {
  od::object diff;
  if (!seek_object(result, "diff", diff)) return false;
  return for_each_object<ChunkKeys>(diff, "chunks", [&](const ChunkKeys& chunk, od::object&, std::size_t) {
    touch.lines_added += static_cast<std::int32_t>(integer(chunk.linesAdded));
    touch.lines_removed += static_cast<std::int32_t>(integer(chunk.linesRemoved));
    if (!text.empty()) text.push_back('\n');
    c.append_text(chunk.diffString, text);
  });
}

struct Outcome {
  std::string text;
  FileTouch touch;
  bool rejected = false;
  std::optional<std::int32_t> exit_code;
};

Outcome read_outcome(ItemContext& c, std::string result) {
  Outcome outcome;
  InnerJson json;
  ResultKeys tokens;
  if (!json.open(result) || !collect(json.root, tokens)) {
    outcome.text = std::move(result);
    return outcome;
  }
  outcome.rejected = is_true(tokens.rejected);
  const auto code = tokens.exitCodeV2.empty() ? tokens.exitCode : tokens.exitCodeV2;
  if (is_number(code)) outcome.exit_code = static_cast<std::int32_t>(integer(code));
  if (read_diff(c, json.root, outcome.touch, outcome.text) && !outcome.text.empty()) return outcome;
  for (const auto token :
       {tokens.output, tokens.contents, tokens.content, tokens.text, tokens.result, tokens.modelVisibleErrorMessage})
    if (outcome.text.empty()) outcome.text = c.text(token);
  if (outcome.text.empty()) outcome.text = std::move(result);
  return outcome;
}

}  // namespace

std::optional<FileAccess> access_of(std::string_view tool) {
  constexpr tool_calls::ToolAccess kTools{
      Names("read_file read_file_v2 Read read read_lints_file ReadFile"),
      Names("edit_file edit_file_v2 edit_file_v3 search_replace write write_file create_file delete_file apply_patch "
            "edit_notebook edit_notebook_v2 reapply MultiEdit Write StrReplace Delete EditNotebook multi_str_replace "
            "delete_file_v2 Edit ApplyPatch"),
      Names("")};
  return kTools(tool);
}

bool read_tool(ItemContext& c, od::object& tool) {
  ToolKeys tokens;
  if (!collect(tool, tokens)) return false;
  const std::string name = c.text(tokens.name, 200);
  if (name.empty()) return true;  // a stub, present in ordinary bubbles

  const std::string call_id = c.text(tokens.toolCallId);
  const std::string params = inner_text(c, tool, "params", tokens.params);
  std::string input = inner_text(c, tool, "rawArgs", tokens.rawArgs);
  if (!has_fields(input)) input = params;
  Event& call = c.add(EventKind::tool_call, Role::assistant);
  call.tool = name;
  call.call_id = call_id;
  tool_calls::read_tool_input_text(c, input, access_of, call);
  add_file_of_params(c, params, call);
  const bool is_test = call.is_test;
  const auto files = call.files;

  const auto status = string_body(tokens.status);
  const bool failed = status == "error";
  const std::string result = inner_text(c, tool, "result", tokens.result);
  const std::string error = inner_text(c, tool, "error", tokens.error);
  if (result.empty() && !failed && status != "completed") return true;  // running, or cancelled without a result

  Outcome outcome = read_outcome(c, failed && !error.empty() ? error : result);
  outcome.rejected |= string_body(tokens.userDecision) == "rejected";
  // Cursor treats a command with a non-zero exit code as successful; for tests the code is the outcome.
  Event& e = tool_calls::add_result(c, call_id, std::move(outcome.text),
                                    failed || (is_test && outcome.exit_code.value_or(0) != 0));
  e.facts.exit_code = outcome.exit_code;
  if (outcome.rejected) e.summary = kRejectedMark;
  if (!failed && !outcome.rejected && !files.empty() && files.front().access == FileAccess::modified) {
    outcome.touch.path = files.front().path;
    outcome.touch.access = FileAccess::modified;
    e.files.push_back(outcome.touch);
  }
  return true;
}

// Bubbles.

namespace {

MEMD_KEYS(ThoughtKeys, text, thinking);
MEMD_KEYS(CountKeys, inputTokens, outputTokens);
MEMD_KEYS(DetailKeys, message, detail, title, error);
MEMD_KEYS(BubbleKeys, type, text, rawText, images, thinking, toolFormerData, modelType);

// Reads "thinking": {"text": …}, or a plain string.
void read_thinking(ItemContext& c, od::object& bubble, std::string_view token) {
  const auto inner = is_string(token) ? token : token_in(bubble, "thinking", "text");
  c.add_said(EventKind::thinking, c.text(inner));
}

bool read_thinking_blocks(ItemContext& c, od::object& bubble) {
  if (c.emitted()) return true;
  std::string text;
  const auto append = [&](const ThoughtKeys& keys, od::object&, std::size_t) {
    c.append_text(is_string(keys.text) ? keys.text : keys.thinking, text);
    return true;
  };
  const bool whole = for_each_object<ThoughtKeys>(bubble, "allThinkingBlocks", append);
  c.add_said(EventKind::thinking, std::move(text));
  return whole;
}

bool read_facts(ItemContext& c, od::object& bubble, TokenUsage& usage) {
  CountKeys counts;
  collect_in(bubble, "tokenCount", counts);
  usage.input = std::max<std::int64_t>(integer(counts.inputTokens), 0);
  usage.output = std::max<std::int64_t>(integer(counts.outputTokens), 0);
  if (const auto model = token_in(bubble, "modelInfo", "modelName"); !model.empty()) {
    c.model = c.text(model);
    if (c.model == "default") c.model = "auto";
  }
  return for_each_in(bubble, "workspaceUris", [&](od::value& uri, std::size_t index) {
    c.cwd = index == 0 ? path_of_uri(c.text(token_of(uri))) : std::string();
  });
}

bool read_error(ItemContext& c, od::object& bubble) {
  od::value value;
  if (!seek(bubble, "errorDetails", value)) return true;
  od::object details;
  DetailKeys keys;
  std::string text = c.text(token_of(value));
  if (!value.get_object().get(details)) {
    if (!collect(details, keys)) return false;
    for (const auto token : {keys.message, keys.detail, keys.title, keys.error})
      if (text.empty()) text = c.text(token);
  }
  if (text.empty()) return true;
  c.add_error(std::move(text), {});
  return true;
}

}  // namespace

RecordOutcome read_bubble(ItemContext& c, od::object& bubble) {
  BubbleKeys tokens;
  TokenUsage usage;
  if (!collect(bubble, tokens) || !read_facts(c, bubble, usage)) return RecordOutcome::damaged();
  const auto type = tokens.type;
  if (type != "1" && type != "2") {
    c.diagnose(DiagnosticType::unknown_field_value, {"type"});
    return RecordOutcome::unknown("bubble_type");
  }
  std::string text = c.text(is_string(tokens.text) ? tokens.text : tokens.rawText);
  if (type == "1") {
    if (trimmed(text).empty()) {
      bool empty = true;
      if (!for_each_in(bubble, "images", [&](od::value&, std::size_t) { empty = false; }))
        return RecordOutcome::damaged();
      if (empty) return RecordOutcome::skipped("blank_message");
      text = "[image]";
    }
    emit_prompt(c, std::move(text));
  } else {
    if (!tokens.thinking.empty()) read_thinking(c, bubble, tokens.thinking);
    if (!read_thinking_blocks(c, bubble)) return RecordOutcome::damaged();
    c.add_said(EventKind::assistant_msg, std::move(text));
    od::object tool;
    if (seek_object(bubble, "toolFormerData", tool) && !read_tool(c, tool)) return RecordOutcome::damaged();
  }
  if (!read_error(c, bubble)) return RecordOutcome::damaged();
  c.add_usage(usage, hash_combine(c.key(), hash64("usage")));
  return c.emitted() ? RecordOutcome::indexed() : RecordOutcome::skipped("blank_message");
}

// Reads a bubble of a chat tab. Its types are words: "user", "ai".
RecordOutcome read_tab_bubble(ItemContext& c, od::object& bubble) {
  BubbleKeys tokens;
  if (!collect(bubble, tokens)) return RecordOutcome::damaged();
  std::string text = c.text(tokens.text);
  if (trimmed(text).empty()) text = c.text(tokens.rawText);
  c.model = c.text(tokens.modelType);
  const auto type = string_body(tokens.type);
  if (trimmed(text).empty()) return RecordOutcome::skipped("blank_message");
  if (type == "user") {
    c.model.clear();
    emit_prompt(c, std::move(text));
  } else if (type == "ai") {
    c.add_said(EventKind::assistant_msg, std::move(text));
  } else {
    c.diagnose(DiagnosticType::unknown_field_value, {"type"});
    return RecordOutcome::unknown("bubble_type");
  }
  return RecordOutcome::indexed();
}

}  // namespace memd::cursor
