#include "adapters/claude_code/record_context.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/media.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/utf8.hpp"

#include <array>
#include <vector>

namespace memd::claude_code {

// The author of a text.

namespace {

struct Prefix {
  std::string_view text;
  UserTextKind kind;
};

constexpr std::array kPrefixes{
    Prefix{"<command-name>", UserTextKind::command},
    Prefix{"<command-message>", UserTextKind::command},
    Prefix{"<bash-input>", UserTextKind::shell},
    Prefix{"<bash-stdout>", UserTextKind::shell_output},
    Prefix{"<bash-stderr>", UserTextKind::shell_output},
    Prefix{"<local-command-stdout>", UserTextKind::command_output},
    Prefix{"<local-command-stderr>", UserTextKind::command_output},
    Prefix{"<local-command-caveat>", UserTextKind::injected},
    Prefix{"Caveat: The messages below", UserTextKind::injected},
    Prefix{"<task-notification>", UserTextKind::injected},
    Prefix{"{\"task_id\":\"", UserTextKind::injected},  // the same, as 2.1.49 queues it
    Prefix{"<system-reminder>", UserTextKind::injected},
    Prefix{"<teammate-message", UserTextKind::injected},
    Prefix{"<user-prompt-submit-hook>", UserTextKind::injected},
    Prefix{"<ide_opened_file>", UserTextKind::injected},  // a tag without an end
    Prefix{"<ide_selection>", UserTextKind::injected},
    Prefix{"<loaded_context>", UserTextKind::injected},
    Prefix{"[Request interrupted by user", UserTextKind::interrupt},
};

struct Wrapper {
  std::string_view open;
  std::string_view close;
};
constexpr std::array kWrappers{
    Wrapper{"<ide_opened_file>", "</ide_opened_file>"}, Wrapper{"<ide_selection>", "</ide_selection>"},
    Wrapper{"<loaded_context>", "</loaded_context>"}, Wrapper{"<system-reminder>", "</system-reminder>"},
    Wrapper{"<user-prompt-submit-hook>", "</user-prompt-submit-hook>"}};

// Removes what the client put before the prompt in the same record: the VS Code extension's text about open or selected
// files, context for a subagent, reminders.
bool strip_wrapper(std::string_view& text) {
  for (const auto& wrapper : kWrappers) {
    if (!text.starts_with(wrapper.open)) continue;
    const auto end = text.find(wrapper.close);
    if (end == std::string_view::npos) return false;
    text = json::trimmed(text.substr(end + wrapper.close.size()));
    return true;
  }
  return false;
}

}  // namespace

UserText classify_user_text(std::string_view text) {
  text = json::trimmed(text);
  while (strip_wrapper(text)) {
  }
  if (text.empty()) return {};
  for (const auto& prefix : kPrefixes)
    if (text.starts_with(prefix.text)) return {prefix.kind, text};
  return {UserTextKind::human, text};
}

namespace {

std::string_view inside(std::string_view text, std::string_view open, std::string_view close) {
  const auto begin = text.find(open);
  if (begin == std::string_view::npos) return {};
  text = text.substr(begin + open.size());
  return json::trimmed(text.substr(0, text.find(close)));
}

}  // namespace

std::string as_typed(const UserText& text) {
  if (text.kind == UserTextKind::shell) return std::string(inside(text.text, "<bash-input>", "</bash-input>"));
  const auto command = inside(text.text, "<command-name>", "</command-name>");
  if (text.kind != UserTextKind::command || command.empty()) return std::string(text.text);
  std::string typed(command.front() == '/' ? "" : "/");
  typed += command;
  if (const auto arguments = inside(text.text, "<command-args>", "</command-args>"); !arguments.empty())
    typed.append(" ").append(arguments);
  return typed;
}

std::string_view rejection_words(std::string_view result_text) {
  if (!result_text.starts_with("The user doesn't want to")) return {};
  constexpr std::array<std::string_view, 2> marks{"the user said:\n",
                                                  "provided the following reason for the rejection:"};
  for (const auto mark : marks) {
    const auto at = result_text.find(mark);
    if (at == std::string_view::npos) continue;
    std::string_view words = result_text.substr(at + mark.size());
    // The client's own note after the user's text.
    words = json::trimmed(words.substr(0, words.find("\n\nNote: The user's next message")));
    // The client's text when the user asks for other questions instead of answering.
    return words.starts_with("The user wants to clarify these questions.") ? std::string_view{} : words;
  }
  return {};
}

// "user" records.

namespace {

MEMD_KEYS(UserBlockKeys, type, text);

struct Part {
  std::string text;
  std::size_t block = 0;
};

// The content of a user message, except the tool results, which are already emitted.
struct UserContent {
  std::vector<Part> parts;
  std::string marker;
  bool unknown_block = false;
  std::size_t results = 0;
  std::size_t last_result = 0;  // index of its event in the batch
};

// Marks without words ("fallback": another model answers) are not missed.
bool read_unknown_block(RecordContext& c, od::object& block, bool& unknown) {
  bool words = false;
  if (!look_for_words(block, words)) return false;
  if (words) c.diagnose(DiagnosticType::unknown_field_value, {"message.content.type"});
  unknown = unknown || words;
  return true;
}

bool read_blocks(RecordContext& c, od::value& content, UserContent& out) {
  const auto token = token_of(content);
  if (is_string(token)) {
    out.parts.push_back({c.text(token), 0});
    return true;
  }
  od::array blocks;
  if (content.get_array().get(blocks)) {
    c.diagnose(DiagnosticType::wrong_field_type, {"message.content"});
    return true;
  }
  return for_each_element(blocks, [&](od::value& value, std::size_t index) {
    od::object block;
    if (value.get_object().get(block)) return true;
    UserBlockKeys tokens;
    if (!collect(block, tokens)) return false;
    const auto type = string_body(tokens.type);
    if (type == "text") {
      out.parts.push_back({c.text(tokens.text), index});
    } else if (type == "tool_result") {
      ++out.results;
      out.last_result = c.out().events.size();
      c.block = index;
      return read_tool_result(c, block);
    } else if (type == "image" || type == "document") {
      append_mark(out.marker, read_media(c, type, block));
    } else {
      return read_unknown_block(c, block, out.unknown_block);
    }
    return true;
  });
}

void emit_output(RecordContext& c, const Part& part, std::string_view lifecycle) {
  const auto text = c.detail() == Detail::full ? std::string_view(part.text) : utf8_prefix(part.text, kResultTextLimit);
  c.block = part.block;
  c.add_injected(lifecycle, std::string(text));
  c.block = 0;
}

void emit_interrupt(RecordContext& c, std::string_view text) { c.add_lifecycle("interrupt", one_line(text, 80)); }

// Emits text beside tool results: what the user typed while rejecting or interrupting a tool.
void emit_interventions(RecordContext& c, const UserContent& content) {
  for (const Part& part : content.parts) {
    const UserText user_text = classify_user_text(part.text);
    if (user_text.kind == UserTextKind::interrupt) emit_interrupt(c, user_text.text);
    if (!is_human(user_text.kind)) continue;
    Event& e = c.add(EventKind::human_intervention, Role::user, part.block);
    e.origin = c.is_sidechain ? Origin::parent_agent : Origin::embedded;
    e.text = as_typed(user_text);
  }
}

Origin origin_of(const RecordContext& c, UserTextKind kind) {
  if (c.is_sidechain) return Origin::parent_agent;
  if (has_value(c.envelope().planContent)) return Origin::plan;
  if (kind == UserTextKind::command) return Origin::command;
  return kind == UserTextKind::shell ? Origin::shell : Origin::typed;
}

RecordOutcome emit_turn(RecordContext& c, const UserContent& content) {
  std::string text;
  UserTextKind kind = UserTextKind::nothing;
  for (const Part& part : content.parts) {
    const UserText user_text = classify_user_text(part.text);
    switch (user_text.kind) {
      case UserTextKind::interrupt: emit_interrupt(c, user_text.text); break;
      case UserTextKind::shell_output: emit_output(c, part, "shell_output"); break;
      case UserTextKind::command_output: emit_output(c, part, "command_output"); break;
      case UserTextKind::human:
      case UserTextKind::command:
      case UserTextKind::shell:
        if (kind == UserTextKind::nothing) kind = user_text.kind;
        text.append(text.empty() ? "" : "\n").append(as_typed(user_text));
        break;
      case UserTextKind::injected:
      case UserTextKind::nothing: break;
    }
  }
  if (text.empty() && content.marker.empty()) {
    if (c.emitted()) return RecordOutcome::indexed();
    if (content.unknown_block) return RecordOutcome::unknown("unknown_block");
    return RecordOutcome::skipped(content.parts.empty() ? "no_content" : "injected_text");
  }
  const std::string ends_by = kind == UserTextKind::command && (text == "/exit" || text == "/quit") ? text : "";
  Event& e = c.add_prompt(origin_of(c, kind), std::move(text), content.marker);
  // An inline sidechain without an agent id stays in the session it ran in and starts no exchange there.
  e.starts_exchange = !c.is_sidechain || c.own_session;
  if (!ends_by.empty()) c.add_lifecycle("session_stop", ends_by);
  return RecordOutcome::indexed();
}

RecordOutcome emit_compact_summary(RecordContext& c, const UserContent& content) {
  Event& e = c.add_injected("compact_summary", {});
  for (const Part& part : content.parts)
    e.text.append(e.text.empty() ? "" : "\n").append(part.text);
  return RecordOutcome::indexed();
}

}  // namespace

RecordOutcome read_user(RecordContext& c, od::object& root) {
  const Envelope& envelope = c.envelope();
  od::object message;
  od::value value;
  if (!seek_object(root, "message", message) || !seek(message, "content", value)) {
    c.diagnose(DiagnosticType::missing_field, {"message.content"});
    return without_content(root);
  }
  UserContent content;
  if (!read_blocks(c, value, content)) return RecordOutcome::damaged();
  c.block = 0;

  if (content.results > 0) {
    emit_interventions(c, content);
    // The structured result belongs to the record: with several results, the one it belongs to is unknown.
    if (content.results == 1 && envelope.toolUseResult.starts_with('{') && seek(root, "toolUseResult", value) &&
        !read_structured_result(c, value, content.last_result))
      return RecordOutcome::damaged();
    return RecordOutcome::indexed();
  }
  if (is_true(envelope.isCompactSummary)) return emit_compact_summary(c, content);
  if (is_true(envelope.isMeta)) return RecordOutcome::skipped("injected_meta");
  if (is_true(envelope.isVisibleInTranscriptOnly)) return RecordOutcome::skipped("transcript_only");
  if (string_body(envelope.promptSource) == "system") return RecordOutcome::skipped("injected_system");
  return emit_turn(c, content);
}

// "assistant" records.

namespace {

constexpr tool_calls::ToolAccess access_of{Names("Read NotebookRead LSP"), Names("Edit Write MultiEdit NotebookEdit"),
                                           Names("Glob Grep LS")};

MEMD_KEYS(MessageKeys, id, model, usage, stop_reason);

MEMD_KEYS(BlockKeys, type, text, thinking, id, name);

MEMD_KEYS(UsageKeys, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens, service_tier,
          speed, cache_creation, server_tool_use, output_tokens_details);

// Data common to the records of one API response.
struct Response {
  std::string model;
  std::uint64_t key = 0;
  TokenUsage usage;
  ResponseFacts facts;
  bool unknown_block = false;
  bool synthetic = false;  // made by the client
};

bool read_response(RecordContext& c, od::object& message, Response& out) {
  MessageKeys tokens;
  if (!collect(message, tokens)) return false;
  out.synthetic = string_body(tokens.model) == "<synthetic>" || is_true(c.envelope().isApiErrorMessage);
  if (out.synthetic) return true;
  out.model = c.text(tokens.model);
  od::object usage;
  if (!tokens.usage.starts_with('{') || !seek_object(message, "usage", usage)) return true;
  UsageKeys counts;
  if (!collect(usage, counts)) return false;
  out.usage = {integer(counts.input_tokens), integer(counts.output_tokens), integer(counts.cache_read_input_tokens),
               integer(counts.cache_creation_input_tokens)};
  const auto part = [&](std::string_view outer, std::string_view inner) {
    return std::max<std::int64_t>(integer(token_in(usage, outer, inner)), 0);
  };
  if (counts.cache_creation.starts_with('{'))
    out.usage.cache_creation_1h =
        std::min(part("cache_creation", "ephemeral_1h_input_tokens"), out.usage.cache_creation);
  if (counts.output_tokens_details.starts_with('{'))
    out.usage.reasoning = std::min(part("output_tokens_details", "thinking_tokens"), out.usage.output);
  if (counts.server_tool_use.starts_with('{')) out.facts.web_searches = part("server_tool_use", "web_search_requests");
  out.facts.tier = parse_service_tier(string_body(counts.service_tier));
  out.facts.is_fast = string_body(counts.speed) == "fast";
  out.facts.is_finished = tokens.stop_reason != "null";
  // Without a response id the record's key is used. A service behind another address may send no request id; the client
  // numbers its requests since 2.1.3xx.
  const Envelope& envelope = c.envelope();
  const auto request = string_body(has_value(envelope.requestId) ? envelope.requestId : envelope.requestRef);
  const std::uint64_t id = hash64(string_body(tokens.id));
  out.key = tokens.id.empty() ? c.key()
            : request.empty() ? response_key_of_figures(id, c.time, out.usage)
                              : response_key_of_request(id, hash64(request));
  return true;
}

bool read_tool_use(RecordContext& c, od::object& block, const BlockKeys& tokens) {
  Event& call = c.add(EventKind::tool_call, Role::assistant);
  call.tool = c.text(tokens.name);
  call.call_id = c.text(tokens.id);
  call.summary = call.tool;
  od::value input;
  return !seek(block, "input", input) || tool_calls::read_tool_input(c, input, access_of, call);
}

void emit_text(RecordContext& c, const Response& response, std::string text) {
  if (trimmed(text).empty()) return;
  if (response.synthetic && !is_true(c.envelope().isApiErrorMessage)) {
    c.add_lifecycle("synthetic").text = std::move(text);  // "No response requested."
  } else if (response.synthetic) {
    c.add_error(std::move(text));
  } else {
    c.add_said(EventKind::assistant_msg, std::move(text));
  }
}

bool read_block(RecordContext& c, od::object& block, Response& response) {
  BlockKeys tokens;
  if (!collect(block, tokens)) return false;
  const auto type = string_body(tokens.type);
  if (type == "text") {
    emit_text(c, response, c.text(tokens.text));
  } else if (type == "thinking" || type == "redacted_thinking") {
    Event& e = c.add(EventKind::thinking, Role::assistant);
    e.text = c.text(tokens.thinking);
    if (type == "redacted_thinking") e.summary = "[redacted]";
  } else if (type == "tool_use" || type == "server_tool_use" || type == "mcp_tool_use") {
    return read_tool_use(c, block, tokens);
  } else if (type.ends_with("_tool_result")) {
    return read_tool_result(c, block);
  } else if (type == "image" || type == "document") {
    Event& e = c.add(EventKind::assistant_msg, Role::assistant);
    append_mark(e.summary, read_media(c, type, block));
  } else {
    return read_unknown_block(c, block, response.unknown_block);
  }
  return true;
}

}  // namespace

RecordOutcome read_assistant(RecordContext& c, od::object& root) {
  od::object message;
  Response response;
  if (!seek_object(root, "message", message)) {
    c.diagnose(DiagnosticType::missing_field, {"message"});
    return without_content(root);
  }
  if (!read_response(c, message, response)) return RecordOutcome::damaged();

  od::value content;
  od::array blocks;
  if (seek(message, "content", content)) {
    const auto token = token_of(content);
    if (is_string(token)) {
      emit_text(c, response, c.text(token));
    } else if (!content.get_array().get(blocks)) {
      const bool whole = for_each_element(blocks, [&](od::value& value, std::size_t index) {
        od::object block;
        c.block = index;
        return value.get_object().get(block) ? true : read_block(c, block, response);
      });
      if (!whole) return RecordOutcome::damaged();
    }
  }

  c.block = 0;
  // Usage counts even for a record without events: blank text, a block of an unknown type.
  c.add_usage(response.usage, response.key, response.facts);
  if (!c.emitted())
    return response.unknown_block ? RecordOutcome::unknown("unknown_block") : RecordOutcome::skipped("blank_message");
  for (Event& e : c.events())
    e.model = response.model;
  return RecordOutcome::indexed();
}

}  // namespace memd::claude_code
