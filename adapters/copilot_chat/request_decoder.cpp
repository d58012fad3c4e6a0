#include "adapters/copilot_chat/request_decoder.hpp"

#include "adapters/json/content.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/json/media.hpp"
#include "adapters/json/record_builder.hpp"
#include "adapters/names.hpp"
#include "adapters/tool_calls/choices.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "adapters/tool_calls/tool_result.hpp"
#include "schemas/base/stamp.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace memd::copilot_chat {
namespace {

MEMD_KEYS(Part, kind, value, name, toolId, toolCallId, isComplete, isConfirmed, invocationMessage, pastTenseMessage,
          subAgentInvocationId);
MEMD_KEYS(Round, id, timestamp);
MEMD_KEYS(Call, id, name, arguments);
MEMD_KEYS(Metadata, promptTokens, outputTokens, resolvedModel);
MEMD_KEYS(Summary, toolCallRoundId, text);
MEMD_KEYS(Variable, kind);
MEMD_KEYS(Content, type, isText);

constexpr Names kAttached("file image directory notebookOutput");
// Parts of a response that show how the work goes on, or offer something.
constexpr Names kShown(
    "undoStop codeblockUri prepareToolInvocation mcpServersStarting progressMessage progressTask command confirmation "
    "progressTaskSerialized elicitation elicitationSerialized questionCarousel hook extensions pullRequest textEdit "
    "multiDiffData treeData workspaceEdit clearToPreviousToolInvocation disabledClaudeHooks references move "
    "usedContext "
    "planReview autoModeResolution externalEdit notebookEdit notebookEditGroup");

constexpr tool_calls::ToolAccess access_of{
    Names("read_file copilot_readFile get_notebook_summary copilot_getNotebookSummary view_image"),
    Names("create_file copilot_createFile replace_string_in_file copilot_replaceString multi_replace_string_in_file "
          "copilot_multiReplaceString insert_edit_into_file copilot_insertEdit vscode_editFile_internal apply_patch "
          "copilot_applyPatch edit_notebook_file copilot_editNotebook delete_file copilot_deleteFile text_edit"),
    Names("list_dir copilot_listDirectory file_search copilot_findFiles grep_search copilot_findTextInFiles")};

// Appends the texts of a value: a string, Markdown {"value":"…"}, a list of them, or a rendered prompt
// {"node":{"children":[{"text":"…"}, …]}}.
void append_words(RecordBuilder& c, od::value& value, std::string& out, int depth = 0) {
  constexpr int kDeepest = 64;
  constexpr Names kHolders("value text node children");
  const auto token = token_of(value);
  od::object object;
  od::array list;
  if (is_string(token)) {
    c.append_text(token, out);
  } else if (token.starts_with('[') && depth < kDeepest && !value.get_array().get(list)) {
    for_each_element(list, [&](od::value& element, std::size_t) { append_words(c, element, out, depth + 1); });
  } else if (token.starts_with('{') && depth < kDeepest && !value.get_object().get(object)) {
    for_each_field(object, [&](std::string_view key, od::value& field) {
      if (kHolders.has(key)) append_words(c, field, out, depth + 1);
    });
  }
}

std::string words_of(RecordBuilder& c, od::object& object, std::string_view key) {
  od::value value;
  std::string out;
  if (seek(object, key, value)) append_words(c, value, out);
  return out;
}

// What the extension recorded of a response beside its parts.
struct Recorded {
  struct ToolCall {
    std::string id;
    std::string name;
    std::string arguments;
    TimeMs time = 0;
    std::string round;
    std::string summary;  // a compaction behind it
  };
  std::vector<ToolCall> calls;
  std::map<std::string, std::string> results;  // by call
  std::string summary;                         // a compaction whose place is not known
};

// Returns the words of the elements under `key`, a line each.
std::string lines_of(RecordBuilder& c, od::object& object, std::string_view key) {
  std::string out;
  for_each_object<Content>(object, key, [&](const Content& content, od::object& part, std::size_t) {
    out.append(out.empty() ? "" : "\n");
    const bool is_data = content.type == "\"embed\"" && !is_true(content.isText);
    out += is_data ? media_mark(c, "media", part) : words_of(c, part, "value");
  });
  return out;
}

Recorded read_recorded(RecordBuilder& c, od::object& metadata) {
  Recorded out;
  for_each_object<Round>(metadata, "toolCallRounds", [&](const Round& round, od::object& object, std::size_t) {
    for_each_object<Call>(object, "toolCalls", [&](const Call& call, od::object&, std::size_t) {
      const TimeMs time = from_unix_number(fraction(round.timestamp).value_or(0));
      out.calls.push_back({c.text(call.id), c.text(call.name), c.text(call.arguments), time, c.text(round.id), {}});
    });
  });
  od::object results;
  if (seek_object(metadata, "toolCallResults", results))
    for_each_field(results, [&](std::string_view id, od::value& value) {
      od::object result;
      std::string& text = out.results[unescaped("\"" + std::string(id) + "\"")];
      if (!value.get_object().get(result)) text = lines_of(c, result, "content");
    });
  const auto add = [&](const Summary& summary) {
    const std::string round = c.text(summary.toolCallRoundId);
    const auto call = std::find_if(out.calls.rbegin(), out.calls.rend(), [&](auto& k) { return k.round == round; });
    (call != out.calls.rend() ? call->summary : out.summary) = c.text(summary.text);
    return true;
  };
  Summary last;
  if (collect_in(metadata, "summary", last)) add(last);
  for_each_object<Summary>(metadata, "summaries", [&](const Summary& s, od::object&, std::size_t) { return add(s); });
  return out;
}

// Reads a response: the text between two other parts is one message.
class Response {
 public:
  Response(RecordBuilder& c, Recorded recorded, TimeMs ended_at)
      : c_(c), recorded_(std::move(recorded)), ended_at_(ended_at) {}

  // Returns false if there was a part of an unknown kind.
  bool read(od::object& request) {
    bool known = true;
    for_each_object<Part>(request, "response",
                          [&](const Part& part, od::object& object, std::size_t) { known &= read_part(part, object); });
    for (auto& call : recorded_.calls)  // those that are not shown
      if (!call.id.empty()) add_call(call, {}, nullptr);
    c_.time = std::max(c_.time, ended_at_);
    say();
    if (!recorded_.summary.empty()) c_.add_compaction({}, std::move(recorded_.summary));
    return known;
  }

 private:
  void say() { c_.add_said(EventKind::assistant_msg, std::exchange(said_, {})); }

  bool read_part(const Part& part, od::object& object) {
    const auto kind = string_body(part.kind);
    if (kind.empty() && is_string(part.value)) {
      c_.append_text(part.value, said_);
    } else if (kind == "markdownContent" || kind == "markdownVuln" || kind == "warning") {
      said_ += words_of(c_, object, "content");
    } else if (kind == "inlineReference") {
      read_reference(part, object);
    } else if (kind == "thinking") {
      say();
      c_.add_said(EventKind::thinking, words_of(c_, object, "value"));
    } else if (kind == "toolInvocationSerialized" || kind == "toolInvocation") {
      say();
      read_invocation(part, object);
    } else if (kind == "textEditGroup") {
      read_edit(object);
    } else if (!kShown.has(kind)) {
      c_.diagnose(DiagnosticType::unknown_field_value, {"response.kind"});
      return false;
    }
    return true;
  }

  void read_reference(const Part& part, od::object& object) {
    std::string name = c_.text(part.name);
    od::object target;
    od::object uri;
    if (name.empty() && seek_object(object, "inlineReference", target)) {
      name = words_of(c_, target, "name");
      if (name.empty() && seek_object(target, "uri", uri)) target = uri;
      if (name.empty()) name = words_of(c_, target, "path");
      name = name.substr(name.rfind('/') + 1);
    }
    if (!name.empty()) said_ += "`" + name + "`";
  }

  // A change of a file that no shown call made: the edit mode of old versions, or an answer that was applied.
  void read_edit(od::object& object) {
    std::string file = c_.text(token_in(object, "uri", "fsPath"));
    if (file.empty()) file = c_.text(token_in(object, "uri", "path"));
    if (edits_called_ || file.empty() || std::find(edited_.begin(), edited_.end(), file) != edited_.end()) return;
    say();
    edited_.push_back(file);
    ObjectWriter input;
    input.text("filePath", file);
    Recorded::ToolCall call{
        "edit-" + std::to_string(edited_.size()), "text_edit", std::move(input).finish(), 0, {}, {}};
    Part done;
    done.isComplete = "true";
    add_call(call, done, nullptr);
    edits_called_ = false;
  }

  void read_invocation(const Part& part, od::object& object) {
    const std::string id = c_.text(part.toolCallId);
    Recorded::ToolCall fresh{id, {}, {}, 0, {}, {}};
    auto& calls = recorded_.calls;
    const auto known = std::find_if(calls.begin(), calls.end(), [&](const auto& k) { return k.id == id; });
    Recorded::ToolCall& call = known != calls.end() && !id.empty() ? *known : fresh;
    if (call.name.empty()) call.name = c_.text(part.toolId);
    if (token_in(object, "source", "type") == "\"mcp\"") call.name = mcp_name(call.name, object);
    c_.is_sidechain = is_string(part.subAgentInvocationId);
    add_call(call, part, &object);
    c_.is_sidechain = false;
  }

  // "mcp_git_status" of the server "git" is "mcp__git__status".
  std::string mcp_name(std::string name, od::object& object) {
    std::string server = c_.text(token_in(object, "source", "serverLabel"));
    if (server.empty()) server = c_.text(token_in(object, "source", "label"));
    if (name.starts_with("mcp_")) name.erase(0, 4);
    if (name.starts_with(server + "_")) name.erase(0, server.size() + 1);
    return "mcp__" + server + "__" + name;
  }

  // `part`, `object`: the call as it is shown, if it is.
  void add_call(Recorded::ToolCall& known, const Part& part, od::object* object) {
    const Recorded::ToolCall call = std::exchange(known, {});
    c_.time = std::max(c_.time, call.time);
    edits_called_ |= access_of(call.name) == FileAccess::modified;
    Event& e = c_.add(EventKind::tool_call, Role::assistant);
    e.tool = call.name;
    e.call_id = call.id;
    if (!call.arguments.empty())
      tool_calls::read_tool_input_text(c_, call.arguments, access_of, e);
    else if (object != nullptr)
      read_shown_input(*object, e);
    if (e.summary.empty()) e.summary = e.tool;
    add_result(call, part, object);
    if (!call.summary.empty()) c_.add_compaction({}, call.summary);
  }

  void read_shown_input(od::object& object, Event& e) {
    od::object data;
    od::value input;
    std::string line;
    if (seek_object(object, "toolSpecificData", data)) {
      if (seek(data, "rawInput", input) || (seek(data, "todoList", input) && seek(object, "toolSpecificData", input))) {
        tool_calls::read_tool_input(c_, input, access_of, e);
        return;
      }
      line = c_.text(token_in(data, "commandLine", "original"));
      if (line.empty()) line = words_of(c_, data, "command");
    }
    const std::string words = line.empty() ? words_of(c_, object, "invocationMessage") : line;
    tool_calls::read_tool_input_text(c_, words, access_of, e);
    if (c_.detail() == Detail::stored) tool_calls::add_command(e, line);
  }

  void add_result(const Recorded::ToolCall& call, const Part& part, od::object* object) {
    const auto told = recorded_.results.find(call.id);
    const bool is_told = told != recorded_.results.end();
    std::string text = is_told ? told->second : std::string();
    std::optional<std::int32_t> exit_code;
    bool failed = false;
    bool refused = false;
    if (object != nullptr) {
      od::object data;
      if (seek_object(*object, "toolSpecificData", data)) {
        if (const auto code = token_in(data, "terminalCommandState", "exitCode"); is_number(code))
          exit_code = static_cast<std::int32_t>(integer(code));
        if (text.empty()) text = words_of(c_, data, "terminalCommandOutput");
        if (text.empty()) text = words_of(c_, data, "result");
      }
      failed = is_true(token_in(*object, "resultDetails", "isError"));
      if (!is_told && seek_object(*object, "resultDetails", data)) text += lines_of(c_, data, "output");
      refused = part.isConfirmed == "false" || token_in(*object, "isConfirmed", "type") == "0";
      if (text.empty()) text = words_of(c_, *object, "pastTenseMessage");
    }
    if (!is_told && text.empty() && !refused && !is_true(part.isComplete)) return;
    std::string choices = tool_calls::choices_in(call.name, call.arguments, text);
    Event& e = tool_calls::add_result(c_, call.id, std::move(text), failed || refused || exit_code.value_or(0) != 0);
    e.tool = call.name;
    e.facts.exit_code = exit_code;
    if (refused) e.summary = kRejectedMark;
    tool_calls::add_choices(c_, call.id, std::move(choices));
  }

  RecordBuilder& c_;
  Recorded recorded_;
  TimeMs ended_at_;
  std::string said_;
  bool edits_called_ = false;
  std::vector<std::string> edited_;
};

RecordOutcome read_head(const Request& keys, RecordBuilder& c) {
  SessionUpdate& session = c.add_session();
  session.title = one_line(c.text(keys.title), 300);
  session.title_rank = session.title.empty() ? TitleRank::none : TitleRank::custom;
  session.cwd = c.text(keys.cwd);
  session.started_at = c.time;
  return RecordOutcome::indexed();
}

void read_prompt(const Request& keys, RecordBuilder& c, od::object& root) {
  std::string text = words_of(c, root, "message");
  od::object data;
  std::string attached;
  if (seek_object(root, "variableData", data))
    for_each_object<Variable>(data, "variables", [&](const Variable& variable, od::object& object, std::size_t) {
      const auto kind = string_body(variable.kind);
      if (kAttached.has(kind)) append_mark(attached, read_media(c, kind, object));
    });
  ContentText said{std::move(text), {}, std::move(attached)};
  if (said.is_blank()) return;
  const bool is_command = keys.slashCommand.starts_with('{') && said.text.starts_with('/');
  add_prompt(c, std::move(said), is_command ? Origin::command : Origin::typed);
}

// Counts the tokens at the first thing that the model said.
void add_usage(const TokenUsage& usage, std::size_t first, RecordBuilder& c) {
  if (usage == TokenUsage{}) return;
  auto& events = c.out().events;
  const auto at = std::find_if(events.begin() + static_cast<std::ptrdiff_t>(first), events.end(),
                               [](const Event& e) { return e.role == Role::assistant; });
  Event& e = at != events.end() ? *at : c.add_lifecycle("usage");
  e.response_key = c.key();
  e.usage = usage;
  e.model = c.model;
}

}  // namespace

RecordOutcome RequestDecoder::read(od::object& root, RawRef raw, EventBatch& out) {
  RecordBuilder c(Platform::copilot_chat, session_uid_, raw, detail_, out);
  c.time = from_unix_number(fraction(keys_.timestamp).value_or(0));
  if (c.time == 0) {
    c.time = from_unix_number(fraction(keys_.since).value_or(0));
    c.time_estimated = true;
  }
  c.cwd = c.text(keys_.cwd);
  if (is_string(keys_.sessionId)) return c.finish(read_head(keys_, c), "session");
  if (!is_string(keys_.requestId)) return RecordOutcome::damaged();
  const std::size_t first = out.events.size();
  c.identify(c.text(keys_.requestId));
  c.model = c.text(keys_.modelId);
  if (c.model.starts_with("copilot/")) c.model.erase(0, 8);

  TokenUsage usage{integer(keys_.promptTokens), integer(keys_.completionTokens)};
  Recorded recorded;
  std::string error;
  od::object result;
  od::object metadata;
  if (seek_object(root, "result", result)) {
    error = c.text(token_in(result, "errorDetails", "message"));
    Metadata tokens;
    if (collect_in(result, "metadata", tokens)) {
      if (usage == TokenUsage{}) usage = {integer(tokens.promptTokens), integer(tokens.outputTokens)};
      if (is_string(tokens.resolvedModel)) c.model = c.text(tokens.resolvedModel);
    }
    if (seek_object(result, "metadata", metadata)) recorded = read_recorded(c, metadata);
  }
  if (error.empty()) error = c.text(token_in(root, "responseErrorDetails", "message"));
  const TimeMs ended = from_unix_number(fraction(token_in(root, "modelState", "completedAt")).value_or(0));

  read_prompt(keys_, c, root);
  const bool known = Response(c, std::move(recorded), ended).read(root);
  if (is_true(keys_.isCanceled) || token_in(root, "modelState", "value") == "2") c.add_lifecycle("interrupt");
  if (!error.empty()) c.add_error(std::move(error));
  add_usage(usage, first, c);
  if (!known) return c.finish(RecordOutcome::unknown("unknown_part"), "request");
  return c.finish(c.emitted() ? RecordOutcome::indexed() : RecordOutcome::skipped("blank_message"), "request");
}

}  // namespace memd::copilot_chat
