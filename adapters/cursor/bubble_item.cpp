#include "adapters/cursor/item_decoder.hpp"
#include "adapters/cursor/places.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "adapters/tool_calls/tool_result.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace memd::cursor {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

// Calls of tools.

namespace {

enum : std::size_t {
  kToolToolName,
  kToolCallId,
  kToolStatus,
  kRawArgs,
  kParams,
  kResult,
  kError,
  kDecision,
  kToolKeys
};
constexpr KeyTable<kToolKeys> kToolTable{
    {"name", "toolCallId", "status", "rawArgs", "params", "result", "error", "userDecision"}};

enum : std::size_t {
  kOutput,
  kContents,
  kContent,
  kToolText,
  kInner,
  kMessage,
  kRejected,
  kExitV2,
  kExit,
  kResultKeys
};
constexpr KeyTable<kResultKeys> kResultTable{{"output", "contents", "content", "text", "result",
                                              "modelVisibleErrorMessage", "rejected", "exitCodeV2", "exitCode"}};

// Parsed JSON that is stored as text inside a record.
class InnerJson {
 public:
  explicit InnerJson(std::string text) : text_(std::move(text)) {
    const std::size_t size = text_.size();
    text_.resize(size + simdjson::SIMDJSON_PADDING, ' ');
    open_ = !parser_.iterate(text_.data(), size, text_.size()).get(document_) && !document_.get_object().get(object_);
  }
  od::object* operator->() { return &object_; }
  od::object& operator*() { return object_; }
  explicit operator bool() const { return open_; }

 private:
  std::string text_;
  od::parser parser_;
  od::document document_;
  od::object object_;
  bool open_ = false;
};

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
void add_file_of_params(ItemContext& c, std::string params, Event& call) {
  const auto access = access_of(call.tool);
  if (!access || !call.files.empty()) return;
  InnerJson json(std::move(params));
  Tokens<4> tokens;
  if (!json || !collect(*json, KeyTable<4>{{"relativeWorkspacePath", "targetFile", "effectiveUri", "path"}}, tokens))
    return;
  for (const auto token : tokens) {
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
  od::value value;
  od::array chunks;
  if (!seek_object(result, "diff", diff) || !seek(diff, "chunks", value) || value.get_array().get(chunks)) return false;
  return for_each_element(chunks, [&](od::value& element, std::size_t) {
    od::object chunk;
    Tokens<3> tokens;
    if (element.get_object().get(chunk)) return true;
    if (!collect(chunk, KeyTable<3>{{"diffString", "linesAdded", "linesRemoved"}}, tokens)) return false;
    touch.lines_added += static_cast<std::int32_t>(integer(tokens[1]));
    touch.lines_removed += static_cast<std::int32_t>(integer(tokens[2]));
    if (!text.empty()) text.push_back('\n');
    c.append_text(tokens[0], text);
    return true;
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
  InnerJson json(result);
  Tokens<kResultKeys> tokens;
  if (!json || !collect(*json, kResultTable, tokens)) {
    outcome.text = std::move(result);
    return outcome;
  }
  outcome.rejected = is_true(tokens[kRejected]);
  const auto code = tokens[kExitV2].empty() ? tokens[kExit] : tokens[kExitV2];
  if (is_number(code)) outcome.exit_code = static_cast<std::int32_t>(integer(code));
  if (read_diff(c, *json, outcome.touch, outcome.text) && !outcome.text.empty()) return outcome;
  for (const auto key : {kOutput, kContents, kContent, kToolText, kInner, kMessage})
    if (outcome.text.empty()) outcome.text = c.text(tokens[key]);
  if (outcome.text.empty()) outcome.text = std::move(result);
  return outcome;
}

}  // namespace

std::optional<FileAccess> access_of(std::string_view tool) {
  constexpr std::array<std::string_view, 6> reads{"read_file", "read_file_v2",    "Read",
                                                  "read",      "read_lints_file", "ReadFile"};
  constexpr std::array<std::string_view, 21> modifies{
      "edit_file",        "edit_file_v2", "edit_file_v3",      "search_replace", "write",
      "write_file",       "create_file",  "delete_file",       "apply_patch",    "edit_notebook",
      "edit_notebook_v2", "reapply",      "MultiEdit",         "Write",          "StrReplace",
      "Delete",           "EditNotebook", "multi_str_replace", "delete_file_v2", "Edit",
      "ApplyPatch"};
  if (std::find(reads.begin(), reads.end(), tool) != reads.end()) return FileAccess::read;
  if (std::find(modifies.begin(), modifies.end(), tool) != modifies.end()) return FileAccess::modified;
  return std::nullopt;
}

bool read_tool(ItemContext& c, od::object& tool) {
  Tokens<kToolKeys> tokens;
  if (!collect(tool, kToolTable, tokens)) return false;
  const std::string name = c.text(tokens[kToolToolName], 200);
  if (name.empty()) return true;  // a stub, present in ordinary bubbles

  const std::string call_id = c.text(tokens[kToolCallId]);
  const std::string params = inner_text(c, tool, "params", tokens[kParams]);
  std::string input = inner_text(c, tool, "rawArgs", tokens[kRawArgs]);
  if (!has_fields(input)) input = params;
  Event& call = c.add(EventKind::tool_call, Role::assistant);
  call.tool = name;
  call.call_id = call_id;
  tool_calls::read_tool_input_text(c, input, access_of, call);
  add_file_of_params(c, params, call);
  const bool is_test = call.is_test;
  const auto files = call.files;

  const auto status = string_body(tokens[kToolStatus]);
  const bool failed = status == "error";
  const std::string result = inner_text(c, tool, "result", tokens[kResult]);
  const std::string error = inner_text(c, tool, "error", tokens[kError]);
  if (result.empty() && !failed && status != "completed") return true;  // running, or cancelled without a result

  Outcome outcome = read_outcome(c, failed && !error.empty() ? error : result);
  outcome.rejected |= string_body(tokens[kDecision]) == "rejected";
  Event& e = c.add(EventKind::tool_result, Role::tool);
  e.call_id = call_id;
  // Cursor treats a command with a non-zero exit code as successful; for tests the code is the outcome.
  e.is_error = failed || (is_test && outcome.exit_code.value_or(0) != 0);
  e.facts.exit_code = outcome.exit_code;
  if (outcome.rejected) e.summary = kRejectedMark;
  if (!failed && !outcome.rejected && !files.empty() && files.front().access == FileAccess::modified) {
    outcome.touch.path = files.front().path;
    outcome.touch.access = FileAccess::modified;
    e.files.push_back(outcome.touch);
  }
  tool_calls::take_result_text(c.detail(), std::move(outcome.text), e);
  return true;
}

// Bubbles.

namespace {

enum : std::size_t { kType, kText, kRawText, kImages, kThinking, kTool, kBubbleKeys };
constexpr KeyTable<kBubbleKeys> kBubbleTable{{"type", "text", "rawText", "images", "thinking", "toolFormerData"}};

// Reads "thinking": {"text": …}, or a plain string.
bool read_thinking(ItemContext& c, od::object& bubble) {
  od::value value;
  if (!seek(bubble, "thinking", value)) return true;
  const auto token = token_of(value);
  if (is_string(token)) {
    emit_thinking(c, c.text(token));
    return true;
  }
  od::object thinking;
  Tokens<1> tokens;
  if (value.get_object().get(thinking)) return true;
  if (!collect(thinking, KeyTable<1>{{"text"}}, tokens)) return false;
  emit_thinking(c, c.text(tokens[0]));
  return true;
}

bool read_thinking_blocks(ItemContext& c, od::object& bubble) {
  od::value value;
  od::array blocks;
  if (c.emitted() || !seek(bubble, "allThinkingBlocks", value) || value.get_array().get(blocks)) return true;
  std::string text;
  const bool whole = for_each_element(blocks, [&](od::value& element, std::size_t) {
    od::object block;
    Tokens<2> tokens;
    if (element.get_object().get(block)) return true;
    if (!collect(block, KeyTable<2>{{"text", "thinking"}}, tokens)) return false;
    c.append_text(is_string(tokens[0]) ? tokens[0] : tokens[1], text);
    return true;
  });
  emit_thinking(c, std::move(text));
  return whole;
}

bool read_facts(ItemContext& c, od::object& bubble, TokenUsage& usage) {
  od::object inner;
  if (seek_object(bubble, "tokenCount", inner)) {
    Tokens<2> tokens;
    if (!collect(inner, KeyTable<2>{{"inputTokens", "outputTokens"}}, tokens)) return false;
    usage.input = std::max<std::int64_t>(integer(tokens[0]), 0);
    usage.output = std::max<std::int64_t>(integer(tokens[1]), 0);
  }
  if (seek_object(bubble, "modelInfo", inner)) {
    Tokens<1> tokens;
    if (!collect(inner, KeyTable<1>{{"modelName"}}, tokens)) return false;
    c.model = c.text(tokens[0]);
    if (c.model == "default") c.model = "auto";
  }
  od::value value;
  od::array uris;
  if (seek(bubble, "workspaceUris", value) && !value.get_array().get(uris)) {
    std::size_t count = 0;
    const bool whole = for_each_element(uris, [&](od::value& uri, std::size_t) {
      c.cwd = ++count == 1 ? path_of_uri(c.text(token_of(uri))) : std::string();
      return true;
    });
    if (!whole) return false;
  }
  return true;
}

bool read_error(ItemContext& c, od::object& bubble) {
  od::value value;
  if (!seek(bubble, "errorDetails", value)) return true;
  od::object details;
  Tokens<4> tokens;
  std::string text = c.text(token_of(value));
  if (!value.get_object().get(details)) {
    if (!collect(details, KeyTable<4>{{"message", "detail", "title", "error"}}, tokens)) return false;
    for (const auto token : tokens)
      if (text.empty()) text = c.text(token);
  }
  if (text.empty()) return true;
  Event& e = c.add(EventKind::error, Role::system);
  e.is_error = true;
  e.text = std::move(text);
  return true;
}

}  // namespace

RecordOutcome read_bubble(ItemContext& c, od::object& bubble) {
  Tokens<kBubbleKeys> tokens;
  TokenUsage usage;
  if (!collect(bubble, kBubbleTable, tokens) || !read_facts(c, bubble, usage)) return RecordOutcome::damaged();
  const auto type = tokens[kType];
  if (type != "1" && type != "2") {
    c.diagnose(DiagnosticType::unknown_field_value, {"type"});
    return RecordOutcome::unknown("bubble_type");
  }
  std::string text = c.text(is_string(tokens[kText]) ? tokens[kText] : tokens[kRawText]);
  if (type == "1") {
    if (trimmed(text).empty()) {
      od::value value;
      od::array images;
      bool empty = true;
      if (tokens[kImages].starts_with('[') && seek(bubble, "images", value) && !value.get_array().get(images))
        if (images.is_empty().get(empty)) return RecordOutcome::damaged();
      if (empty) return RecordOutcome::skipped("blank_message");
      text = "[image]";
    }
    emit_prompt(c, std::move(text));
  } else {
    if (!tokens[kThinking].empty() && !read_thinking(c, bubble)) return RecordOutcome::damaged();
    if (!read_thinking_blocks(c, bubble)) return RecordOutcome::damaged();
    emit_answer(c, std::move(text));
    od::object tool;
    if (seek_object(bubble, "toolFormerData", tool) && !read_tool(c, tool)) return RecordOutcome::damaged();
  }
  if (!read_error(c, bubble)) return RecordOutcome::damaged();
  c.add_usage(usage);
  return c.emitted() ? RecordOutcome::indexed() : RecordOutcome::skipped("blank_message");
}

// Reads a bubble of a chat tab. Its types are words: "user", "ai".
RecordOutcome read_tab_bubble(ItemContext& c, od::object& bubble) {
  Tokens<kBubbleKeys> tokens;
  if (!collect(bubble, kBubbleTable, tokens)) return RecordOutcome::damaged();
  std::string text = c.text(tokens[kText]);
  if (trimmed(text).empty()) text = c.text(tokens[kRawText]);
  Tokens<1> more;
  if (!collect(bubble, KeyTable<1>{{"modelType"}}, more)) return RecordOutcome::damaged();
  c.model = c.text(more[0]);
  const auto type = string_body(tokens[kType]);
  if (trimmed(text).empty()) return RecordOutcome::skipped("blank_message");
  if (type == "user") {
    c.model.clear();
    emit_prompt(c, std::move(text));
  } else if (type == "ai") {
    emit_answer(c, std::move(text));
  } else {
    c.diagnose(DiagnosticType::unknown_field_value, {"type"});
    return RecordOutcome::unknown("bubble_type");
  }
  return RecordOutcome::indexed();
}

}  // namespace memd::cursor
