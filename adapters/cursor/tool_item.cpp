#include "adapters/cursor/file_uri.hpp"
#include "adapters/cursor/item_context.hpp"
#include "adapters/tool_calls/tool_input.hpp"

#include <algorithm>
#include <array>

namespace memd::cursor {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

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

// JSON that stands as text inside a record, opened.
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

// A field that is JSON in a string, or, in some builds, the object itself.
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

// The parameters name the file in words of their own.
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

// "diff": {"chunks": [{"diffString", "linesAdded", "linesRemoved"}]}
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
  std::int64_t exit_code = 0;
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
  outcome.exit_code = integer(tokens[kExitV2].empty() ? tokens[kExit] : tokens[kExitV2]);
  if (read_diff(c, *json, outcome.touch, outcome.text) && !outcome.text.empty()) return outcome;
  for (const auto key : {kOutput, kContents, kContent, kToolText, kInner, kMessage})
    if (outcome.text.empty()) outcome.text = c.text(tokens[key]);
  if (outcome.text.empty()) outcome.text = std::move(result);
  return outcome;
}

void bound(ItemContext& c, std::string& text) {
  if (c.detail() == Detail::stored) text.resize(utf8_prefix(text, kResultTextLimit).size());
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
  if (name.empty()) return true;  // a stub, which ordinary bubbles have

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
  if (result.empty() && !failed && status != "completed") return true;  // running, or cancelled: nothing came of it

  Outcome outcome = read_outcome(c, failed && !error.empty() ? error : result);
  outcome.rejected |= string_body(tokens[kDecision]) == "rejected";
  Event& e = c.add(EventKind::tool_result, Role::tool);
  e.call_id = call_id;
  // A command that ends with another code than 0 has worked, as Cursor sees it; of tests that is the verdict.
  e.is_error = failed || (is_test && outcome.exit_code != 0);
  if (outcome.rejected) e.summary = "[rejected]";
  if (!failed && !outcome.rejected && !files.empty() && files.front().access == FileAccess::modified) {
    outcome.touch.path = files.front().path;
    outcome.touch.access = FileAccess::modified;
    e.files.push_back(outcome.touch);
  }
  bound(c, outcome.text);
  e.text = std::move(outcome.text);
  return true;
}

}  // namespace memd::cursor
