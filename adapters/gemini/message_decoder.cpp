#include "adapters/gemini/message_decoder.hpp"

#include "adapters/gemini/paths.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/media.hpp"
#include "adapters/json/stamp_token.hpp"
#include "adapters/names.hpp"
#include "adapters/tool_calls/choices.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "adapters/tool_calls/tool_result.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/ids.hpp"

#include <utility>

namespace memd::gemini {
namespace {

enum class UserTextKind {
  nothing,
  human,
  command,   // "/…"
  shell,     // a "!" command, reported to the model afterwards
  injected,  // inserted by the client for the model
  nudge,     // "Please continue.", sent by the client instead of the user
  summary,   // the summary that replaced compacted messages
};

struct UserText {
  UserTextKind kind = UserTextKind::nothing;
  std::string_view text;  // without the client's additions
};

// Removes what hooks add before and behind a text. Gemini CLI escapes angle brackets in it.
std::string_view without_hooks(std::string_view text) {
  constexpr std::string_view open = "<hook_context>";
  constexpr std::string_view close = "</hook_context>";
  text = json::trimmed(text);
  while (text.starts_with(open)) {
    const auto end = text.find(close);
    if (end == std::string_view::npos) return {};
    text = json::trimmed(text.substr(end + close.size()));
  }
  while (text.ends_with(close)) {
    const auto begin = text.rfind(open);
    if (begin == std::string_view::npos) break;
    text = json::trimmed(text.substr(0, begin));
  }
  return text;
}

// Detects the kind of the text of a message of type "user" by its markers.
UserText classify_user_text(std::string_view text) {
  constexpr std::string_view files = "--- Content from referenced files ---";
  constexpr std::string_view shell = "I ran the following shell command:";
  text = json::trimmed(text);
  if (text.empty()) return {};
  for (const std::string_view setup : {"<session_context>", "This is the Gemini CLI. We are setting up the context"})
    if (text.starts_with(setup)) return {UserTextKind::injected, text};
  if (text.starts_with("<state_snapshot>")) return {UserTextKind::summary, text};
  if (text == "System: Please continue." || text == "Please continue.") return {UserTextKind::nudge, text};
  if (text.find(" You have one final chance to complete the task") != std::string_view::npos &&
      text.starts_with("You have "))
    return {UserTextKind::nudge, text};
  text = without_hooks(text);
  if (const auto at = text.find(files); at != std::string_view::npos) text = without_hooks(text.substr(0, at));
  if (text.empty()) return {UserTextKind::injected, text};
  if (text.starts_with(shell)) return {UserTextKind::shell, text};
  const bool command =
      text.size() > 1 && text[0] == '/' && text.find('/', 1) == std::string_view::npos && text[1] != ' ';
  return {command ? UserTextKind::command : UserTextKind::human, text};
}

// Returns the time in a token; 0 when there is none.
TimeMs time_of(TextReader& reader, std::string_view token) {
  return parse_stamp(is_string(token) ? reader.text(token, 64) : std::string(stamp_body(token))).value_or(0);
}

// Calls of tools.

MEMD_KEYS(CallKeys, id, name, status, timestamp, resultDisplay);

MEMD_KEYS(ResponseKeys, output, error);

MEMD_KEYS(StatKeys, model_added_lines, model_removed_lines, user_added_lines, user_removed_lines);

constexpr tool_calls::ToolAccess access_of{Names("read_file read_many_files"), Names("write_file replace edit"),
                                           Names("list_directory glob search_file_content grep_search grep ls")};

struct ResultText {
  std::string text;
  bool error = false;
};

void append_part(std::string& out, std::string_view text) {
  if (text.empty()) return;
  if (!out.empty()) out.push_back('\n');
  out.append(text);
}

// Reads {"output": "…"} or {"error": "…"}; extensions may answer in any form.
void read_response(MessageContext& c, od::object& response, ResultText& out) {
  ResponseKeys tokens;
  if (!collect(response, tokens)) return;
  out.error |= is_string(tokens.error);
  if (is_string(tokens.output) || is_string(tokens.error)) {
    append_part(out.text, c.text(is_string(tokens.output) ? tokens.output : tokens.error));
    return;
  }
  std::string_view raw;
  if (restart(response) && !response.raw_json().get(raw)) append_part(out.text, trimmed(raw));
}

void read_result_part(MessageContext& c, od::value& value, ResultText& out) {
  const auto token = token_of(value);
  if (is_string(token)) return append_part(out.text, c.text(token));
  od::object part;
  if (value.get_object().get(part)) return;
  od::object answer;
  od::object response;
  if (seek_object(part, "functionResponse", answer)) {
    if (seek_object(answer, "response", response)) read_response(c, response, out);
    return;
  }
  od::value text;
  if (seek(part, "text", text))
    append_part(out.text, c.text(token_of(text)));
  else
    append_part(out.text, media_mark(c, "media", part));
}

ResultText read_result(MessageContext& c, od::object& entry) {
  ResultText out;
  od::value value;
  od::array parts;
  if (!seek(entry, "result", value)) return out;
  if (!token_of(value).starts_with('[')) {
    read_result_part(c, value, out);
  } else if (!value.get_array().get(parts)) {
    for_each_element(parts, [&](od::value& part, std::size_t) { read_result_part(c, part, out); });
  }
  return out;
}

void count_lines(od::object& entry, FileTouch& touch) {
  od::object display;
  StatKeys tokens;
  if (!seek_object(entry, "resultDisplay", display) || !collect_in(display, "diffStat", tokens)) return;
  touch.lines_added = static_cast<std::int32_t>(integer(tokens.model_added_lines) + integer(tokens.user_added_lines));
  touch.lines_removed =
      static_cast<std::int32_t>(integer(tokens.model_removed_lines) + integer(tokens.user_removed_lines));
}

bool has_ended(std::string_view status) {
  constexpr Names kUnderWay("validating scheduled awaiting_approval executing");
  return !status.empty() && !kUnderWay.has(status);
}

Event& add_call(MessageContext& c, od::object& entry, const CallKeys& tokens, std::size_t block) {
  Event& call = c.add(EventKind::tool_call, Role::assistant, block);
  call.tool = c.text(tokens.name);
  call.call_id = c.text(tokens.id);
  call.summary = call.tool;
  od::value input;
  if (seek(entry, "args", input)) tool_calls::read_tool_input(c, input, access_of, call);
  return call;
}

void set_result(MessageContext& c, std::string_view tool, std::string_view status, ResultText result, Event& e) {
  if (result.text.ends_with("</hook_context>")) result.text = without_hooks(result.text);
  if (tool == "run_shell_command") e.facts.exit_code = tool_calls::exit_code_behind("Exit Code: ", result.text);
  e.is_error = status == "error" || status == "cancelled" || result.error || e.facts.exit_code.value_or(0) != 0;
  if (status == "cancelled") e.summary = kCancelledMark;
  tool_calls::take_result_text(c.detail(), std::move(result.text), e);
}

// Emits an element of toolCalls: the call and, when it has ended, its result. `block` is its index in the list.
void read_tool_call(MessageContext& c, od::object& entry, const CallKeys& tokens, std::size_t block) {
  const std::string_view status = string_body(tokens.status);
  const Event& call = add_call(c, entry, tokens, block);
  const std::string call_id = call.call_id;
  const std::string tool = call.tool;
  std::vector<FileTouch> files = call.files;
  ResultText result = read_result(c, entry);
  if (!has_ended(status) && result.text.empty()) return;
  od::object asked;
  std::string_view input;
  if (!seek_object(entry, "args", asked) || asked.raw_json().get(input)) input = {};
  std::string choices = tool_calls::choices_in(tool, input, result.text);

  Event& e = c.add(EventKind::tool_result, Role::tool, block);
  if (const TimeMs ended = time_of(c, tokens.timestamp)) e.time = ended;
  e.call_id = call_id;
  set_result(c, tool, status, std::move(result), e);
  if (!e.is_error && !files.empty() && files.front().access == FileAccess::modified) {
    count_lines(entry, files.front());
    e.files.push_back(files.front());
  }
  const TimeMs answered = e.time;
  tool_calls::add_choices(c, call_id, std::move(choices), answered);
}

// Messages.

MEMD_KEYS(HeadKeys, sessionId, kind, startTime, summary, cwd);

MEMD_KEYS(TokenKeys, input, output, cached, thoughts, tool);

MEMD_KEYS(ThoughtKeys, subject, description, timestamp);

MEMD_KEYS(PartKeys, text, thought, functionCall, functionResponse);

// The content of a message: a string, a part, or parts.
struct Content {
  std::string text;
  std::string media;   // marks
  bool tools = false;  // contains calls and responses; toolCalls has more complete ones
};

void read_part(MessageContext& c, od::value& value, Content& out) {
  const auto token = token_of(value);
  if (is_string(token)) return c.append_text(token, out.text);
  od::object part;
  PartKeys tokens;
  if (value.get_object().get(part) || !collect(part, tokens)) return;
  if (!tokens.functionCall.empty() || !tokens.functionResponse.empty()) {
    out.tools = true;
  } else if (is_string(tokens.text)) {
    if (is_true(tokens.thought)) return;
    c.append_text(tokens.text, out.text);
  } else {
    append_mark(out.media, read_media(c, "media", part));
  }
}

bool read_content(MessageContext& c, od::object& message, std::string_view field, Content& out) {
  od::value value;
  od::array parts;
  if (!seek(message, field, value)) return false;
  if (token_of(value).starts_with('[')) {
    if (value.get_array().get(parts)) return false;
    for_each_element(parts, [&](od::value& part, std::size_t) { read_part(c, part, out); });
  } else {
    read_part(c, value, out);
  }
  return true;
}

// Emits the calls and responses in the content that no toolCalls tells: `untold` has the indexes of their parts. The
// block is the index after kContentBlock.
constexpr std::size_t kContentBlock = 1000;

void read_untold(MessageContext& c, od::object& message, std::string_view untold) {
  od::value content;
  od::array parts;
  if (untold.empty() || !seek(message, "content", content)) return;
  const auto read = [&](od::value& value, std::size_t index) {
    od::object part;
    od::object inner;
    od::object response;
    CallKeys tokens;
    if (value.get_object().get(part)) return;
    if (seek_object(part, "functionCall", inner)) {
      if (collect(inner, tokens)) add_call(c, inner, tokens, kContentBlock + index);
    } else if (seek_object(part, "functionResponse", inner) && collect(inner, tokens)) {
      ResultText result;
      const std::string tool = c.text(tokens.name);
      if (seek_object(inner, "response", response)) read_response(c, response, result);
      Event& e = c.add(EventKind::tool_result, Role::tool, kContentBlock + index);
      e.tool = tool;
      e.call_id = c.text(tokens.id);
      set_result(c, tool, {}, std::move(result), e);
    }
  };
  const std::string wanted = " " + std::string(untold) + " ";
  if (!token_of(content).starts_with('[')) return read(content, 0);
  if (content.get_array().get(parts)) return;
  for_each_element(parts, [&](od::value& part, std::size_t index) {
    if (wanted.find(" " + std::to_string(index) + " ") != std::string::npos) read(part, index);
  });
}

// Reads token counts. In the file, input includes cached tokens but not the tokens that tools add to the prompt, and
// output excludes thoughts.
TokenUsage read_usage(od::object& message) {
  TokenKeys tokens;
  if (!collect_in(message, "tokens", tokens)) return {};
  const std::int64_t cached = integer(tokens.cached);
  return {integer(tokens.input) - cached + integer(tokens.tool),
          integer(tokens.output) + integer(tokens.thoughts),
          cached,
          0,
          0,
          integer(tokens.thoughts)};
}

void read_thoughts(MessageContext& c, od::object& message) {
  for_each_object<ThoughtKeys>(message, "thoughts", [&](const ThoughtKeys& thought, od::object&, std::size_t index) {
    Event& e = c.add(EventKind::thinking, Role::assistant, index);
    if (const TimeMs at = time_of(c, thought.timestamp)) e.time = at;
    e.text = c.text(thought.subject);
    if (is_string(thought.description)) {
      if (!e.text.empty()) e.text.append(": ");
      c.append_text(thought.description, e.text);
    }
  });
}

RecordOutcome read_assistant(MessageContext& c, od::object& message, std::string_view untold) {
  read_thoughts(c, message);
  Content content;
  read_content(c, message, "content", content);
  c.add_said(EventKind::assistant_msg, std::move(content.text));
  for_each_object<CallKeys>(message, "toolCalls", [&](const CallKeys& call, od::object& entry, std::size_t index) {
    read_tool_call(c, entry, call, index);
  });
  read_untold(c, message, untold);
  c.add_usage(read_usage(message), hash_combine(c.key(), hash64("response")));
  if (!c.emitted()) return RecordOutcome::skipped("blank_message", "gemini");
  return RecordOutcome::indexed("gemini");
}

RecordOutcome read_notice(MessageContext& c, od::object& message, std::string_view type) {
  Content content;
  read_content(c, message, "content", content);
  if (trimmed(content.text).empty()) return RecordOutcome::skipped("blank_message", type);
  if (type == "error") {
    c.add_error(std::move(content.text));
  } else {
    const bool interrupt = trimmed(content.text) == "Request cancelled.";
    c.add_lifecycle(interrupt ? "interrupt" : type).text = std::move(content.text);
  }
  return RecordOutcome::indexed(type);
}

}  // namespace

MessageDecoder::MessageDecoder(const Source& source, Detail detail)
    : KeyedDecoder(Platform::gemini, source.session_uid, detail, {.strict = true, .items = true}) {
  if (const auto path = parse_chat_path(source.path); path && !path->parent.empty())
    parent_uid_ = make_session_uid(Platform::gemini, path->parent);
}

RecordOutcome MessageDecoder::read(od::object& root, RawRef raw, EventBatch& out) {
  MessageContext c(Platform::gemini, session_uid_, raw, detail_, out);
  c.block = 0;
  c.model_of_all = true;
  c.is_sidechain = !parent_uid_.empty();
  RecordOutcome outcome = raw.offset == 0 ? read_head(c, root) : read_message(c, root);
  if (c.lossy()) c.diagnose(DiagnosticType::invalid_encoding);
  return outcome;
}

RecordOutcome MessageDecoder::read_head(MessageContext& c, od::object& root) const {
  HeadKeys head;
  if (session_uid_.empty() || !collect(root, head)) return RecordOutcome::indexed("(session)");
  SessionUpdate& update = c.add_session();
  update.parent_uid = parent_uid_;
  if (!parent_uid_.empty() || string_body(head.kind) == "subagent") update.kind = SessionKind::subagent;
  update.title = one_line(c.text(head.summary, 1000), 200);
  if (!update.title.empty()) update.title_rank = TitleRank::ai;
  update.cwd = c.text(head.cwd);
  update.started_at = time_of(c, head.startTime);
  return RecordOutcome::indexed("(session)");
}

RecordOutcome MessageDecoder::read_message(MessageContext& c, od::object& message) {
  if (is_true(keys_.damaged)) {
    c.diagnose(DiagnosticType::damaged_record);
    return RecordOutcome::skipped("damaged", "(damaged)");
  }
  const std::string id = c.text(keys_.id);
  std::string_view bytes;
  // Ids are UUIDs. A shorter id could be a counter that other chats use too.
  if (!id.empty())
    c.identify(id.size() < 16 ? session_uid_ + "/" + id : id);
  else if (restart(message) && !message.raw_json().get(bytes))
    c.identify(hash64(trimmed(bytes), hash64(session_uid_)));
  c.time = time_of(c, keys_.timestamp);
  c.model = c.text(keys_.model);
  c.cwd = c.text(keys_.cwd);
  const std::string_view type = string_body(keys_.type);
  // Only an entry of logs.json names its session.
  if (is_string(keys_.message) && is_string(keys_.sessionId)) return read_log_entry(c);
  if (is_true(keys_.repeats)) return RecordOutcome::skipped("repeats_kept", type);
  if (is_true(keys_.acknowledges)) return RecordOutcome::skipped("acknowledges_summary", type);
  const std::string untold = c.text(keys_.untold);
  if (type == "user") return read_user(c, message, untold);
  if (type == "gemini") return read_assistant(c, message, untold);
  if (type == "info" || type == "warning" || type == "error") return read_notice(c, message, type);
  c.diagnose(is_string(keys_.type) ? DiagnosticType::unknown_record_type : DiagnosticType::missing_field, {"type"});
  return RecordOutcome::unknown("unknown_type", is_identifier(type) ? type : "(unreadable type)");
}

// Reads an entry of logs.json, a prompt as it was typed.
RecordOutcome MessageDecoder::read_log_entry(MessageContext& c) {
  if (c.time == 0) {
    c.diagnose(DiagnosticType::missing_field, {"timestamp"});
    return RecordOutcome::unknown("no_time", "prompt");
  }
  const HistoryPrompt prompt{Platform::gemini, make_session_uid(Platform::gemini, c.text(keys_.sessionId)), c.time,
                             c.text(keys_.message), c.cwd};
  return add_history_prompt(prompt, c.raw(), c.out(), "prompt");
}

RecordOutcome MessageDecoder::read_user(MessageContext& c, od::object& message, std::string_view untold) const {
  Content content;
  Content shown;
  // The text the user typed, where the content has more: files referenced with "@".
  const bool typed = read_content(c, message, "displayContent", shown) && !trimmed(shown.text).empty();
  if (!read_content(c, message, "content", content) && !typed) {
    c.diagnose(DiagnosticType::missing_field, {"content"});
    return RecordOutcome::skipped("no_content", "user");
  }
  const UserText user_text = classify_user_text(typed ? shown.text : content.text);
  if (is_string(keys_.compaction) || user_text.kind == UserTextKind::summary) {
    c.add_injected("compaction", {}).summary = c.text(keys_.compaction);
    c.add_injected("compact_summary", std::string(trimmed(content.text)));
    return RecordOutcome::indexed("user");
  }
  read_untold(c, message, untold);
  if (user_text.kind == UserTextKind::injected)
    return c.emitted() ? RecordOutcome::indexed("user") : RecordOutcome::skipped("injected_text", "user");
  if (user_text.kind == UserTextKind::nothing && content.media.empty()) {
    if (c.emitted()) return RecordOutcome::indexed("user");
    return RecordOutcome::skipped(content.tools ? "tool_response" : "blank_message", "user");
  }
  const Origin origin = user_text.kind == UserTextKind::nudge     ? Origin::injected
                        : c.is_sidechain                          ? Origin::parent_agent
                        : user_text.kind == UserTextKind::command ? Origin::command
                        : user_text.kind == UserTextKind::shell   ? Origin::shell
                                                                  : Origin::typed;
  c.add_prompt(origin, std::string(user_text.text), content.media);
  return RecordOutcome::indexed("user");
}

}  // namespace memd::gemini
