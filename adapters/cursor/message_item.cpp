#include "adapters/cursor/item_decoder.hpp"
#include "adapters/cursor/prompt_text.hpp"
#include "adapters/names.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "adapters/tool_calls/tool_result.hpp"

namespace memd::cursor {

namespace {

MEMD_KEYS(MessageKeys, role, type, content);
MEMD_KEYS(PartKeys, text, value, output);
MEMD_KEYS(BlockKeys, type, text, thinking, toolCallId, id, toolName, name, isError);

constexpr Names kThoughts("reasoning thinking redacted-reasoning redacted_thinking");
constexpr Names kCalls("tool-call tool_use tool_call");

struct Message {
  std::string role;
  std::string prompt;  // the user's text of all blocks
  bool injected = false;
  bool unknown_block = false;
};

void say(ItemContext& c, Message& message, std::string text) {
  if (trimmed(text).empty()) return;
  if (message.role != "user") {
    c.add_said(EventKind::assistant_msg, std::move(text));
    return;
  }
  const PromptText words = read_prompt_text(text);
  message.injected |= words.injected;
  take_time(c, words.time);
  if (words.text.empty()) return;
  message.prompt.append(message.prompt.empty() ? "" : "\n").append(words.text);
}

// Reads a result: text, {"type":"text","value":…}, or blocks of text.
bool append_result(ItemContext& c, od::value& value, std::string& text) {
  const auto token = token_of(value);
  if (is_string(token)) {
    c.append_text(token, text);
    return true;
  }
  od::array blocks;
  od::object object;
  if (token.starts_with('[')) {
    if (value.get_array().get(blocks)) return false;
    return for_each_element(blocks, [&](od::value& block, std::size_t) {
      if (!text.empty()) text.push_back('\n');
      return append_result(c, block, text);
    });
  }
  if (!token.starts_with('{')) {
    if (token != "null") text.append(token);
    return true;
  }
  PartKeys keys;
  std::string_view raw;
  if (value.get_object().get(object) || !collect(object, keys)) return false;
  for (const auto part : {keys.text, keys.value, keys.output})
    if (is_string(part)) {
      c.append_text(part, text);
      return true;
    }
  if (!restart(object) || object.raw_json().get(raw)) return false;
  text.append(trimmed(raw));
  return true;
}

bool read_call(ItemContext& c, od::object& block, const BlockKeys& tokens) {
  Event& call = c.add(EventKind::tool_call, Role::assistant);
  call.tool = c.text(is_string(tokens.toolName) ? tokens.toolName : tokens.name, 200);
  call.call_id = c.text(is_string(tokens.toolCallId) ? tokens.toolCallId : tokens.id);
  call.summary = call.tool;
  for (const std::string_view key : {"args", "input"}) {
    od::value input;
    if (!seek(block, key, input)) continue;
    const auto token = token_of(input);
    if (is_string(token)) {
      tool_calls::read_tool_input_text(c, c.text(token), access_of, call);
      return true;
    }
    return tool_calls::read_tool_input(c, input, access_of, call);
  }
  return true;
}

bool read_result(ItemContext& c, od::object& block, const BlockKeys& tokens) {
  std::string text;
  for (const std::string_view key : {"result", "output", "content"}) {
    od::value value;
    if (!seek(block, key, value)) continue;
    if (!append_result(c, value, text)) return false;
    break;
  }
  const auto id = is_string(tokens.toolCallId) ? tokens.toolCallId : tokens.id;
  tool_calls::add_result(c, c.text(id), std::move(text), is_true(tokens.isError));
  return true;
}

bool read_block(ItemContext& c, Message& message, od::object& block) {
  BlockKeys tokens;
  if (!collect(block, tokens)) return false;
  const auto type = string_body(tokens.type);
  if (type == "text")
    say(c, message, c.text(tokens.text));
  else if (kThoughts.has(type))
    c.add_said(EventKind::thinking, c.text(is_string(tokens.text) ? tokens.text : tokens.thinking));
  else if (kCalls.has(type))
    return read_call(c, block, tokens);
  else if (type == "tool-result" || type == "tool_result")
    return read_result(c, block, tokens);
  else if (type == "image" || type == "file")
    say(c, message, "[" + std::string(type) + "]");
  else
    message.unknown_block = true;
  return true;
}

}  // namespace

// Reads {"role", "content"}. In the transcripts of the IDE and of cursor-agent the content is in "message".
RecordOutcome read_message(ItemContext& c, od::object& record) {
  MessageKeys keys;
  if (!collect(record, keys)) return RecordOutcome::damaged();
  Message message;
  message.role = c.text(keys.role, 40);
  if (message.role.empty()) {
    const auto type = string_body(keys.type);
    if (type == "turn_ended") return RecordOutcome::skipped("turn_end");
    if (!type.empty()) c.diagnose(DiagnosticType::unknown_record_type, {"type"});
    return RecordOutcome::unknown("no_role");
  }
  if (message.role == "system") return RecordOutcome::skipped("system_prompt");
  od::object inner;
  od::value content;
  const bool wrapped = keys.content.empty() && seek_object(record, "message", inner);
  if (!seek(wrapped ? inner : record, "content", content)) return RecordOutcome::skipped("blank_message");

  const auto token = token_of(content);
  if (is_string(token)) {
    say(c, message, c.text(token));
  } else if (token.starts_with('[')) {
    od::array blocks;
    if (content.get_array().get(blocks)) return RecordOutcome::damaged();
    const bool whole = for_each_element(blocks, [&](od::value& value, std::size_t index) {
      od::object block;
      c.block = index;
      if (is_string(token_of(value)))
        say(c, message, c.text(token_of(value)));
      else if (!value.get_object().get(block))
        return read_block(c, message, block);
      return true;
    });
    if (!whole) return RecordOutcome::damaged();
  }
  c.block = 0;
  if (!message.prompt.empty()) emit_prompt(c, std::move(message.prompt));
  if (message.unknown_block) c.diagnose(DiagnosticType::unknown_field_value, {"content.type"});
  if (c.emitted()) return RecordOutcome::indexed();
  if (message.unknown_block) return RecordOutcome::unknown("unknown_block");
  return RecordOutcome::skipped(message.injected ? "injected_text" : "blank_message");
}

}  // namespace memd::cursor
