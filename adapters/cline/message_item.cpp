// Messages as sent to the model: of the newer store, and of tasks whose interface messages are lost.
#include "adapters/cline/item_decoder.hpp"
#include "adapters/cline/model_text.hpp"
#include "adapters/json/media.hpp"
#include "adapters/tool_calls/tool_input.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace memd::cline {
namespace {

MEMD_KEYS(MessageKeys, role, ts, metadata, metrics, modelInfo);

MEMD_KEYS(MetadataKeys, displayOnly, kind);

MEMD_KEYS(ModelKeys, id, modelId);

MEMD_KEYS(MessageBlockKeys, type, text, thinking, id, name, tool_use_id, is_error);

MEMD_KEYS(MetricKeys, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, tokens);

MEMD_KEYS(TokenKeys, prompt, completion, cached);

struct Message {
  explicit Message(const ItemFields& fields) : calls(fields.calls) {}

  bool assistant = false;
  OpenCalls calls;  // of the message before, whose results are text
  std::size_t xml_calls = 0;
  std::string human;
  std::string marker;
  bool command = false;
  bool unknown = false;  // a block's type is unknown, so its text is not read
};

void emit_words(ItemContext& c, std::string_view text) {
  const Said said = split_thinking(text);
  c.add_said(EventKind::thinking, std::string(said.thinking));
  c.add_said(EventKind::assistant_msg, std::string(said.talk));
}

void read_assistant_text(ItemContext& c, const ItemFields& fields, Message& m, std::string_view text) {
  std::size_t done = 0;
  for (const XmlCall& call : xml_calls(text)) {
    emit_words(c, text.substr(done, call.begin - done));
    done = call.end;
    if (is_talk(call.tool)) {
      emit_words(c, call.talk);
      continue;
    }
    Event& e = c.add(EventKind::tool_call, Role::assistant);
    e.tool = call.tool;
    e.call_id = xml_call_id(fields.key, m.xml_calls++);
    read_text_input(c, call.input, e);
  }
  emit_words(c, text.substr(done));
}

void read_user_text(ItemContext& c, Message& m, std::string_view text) {
  emit_text_results(c, text, m.calls);
  const Words words = human_words(text);
  if (words.text.empty()) return;
  m.human.append(m.human.empty() ? "" : "\n").append(words.text);
  m.command |= words.command;
}

void read_text(ItemContext& c, const ItemFields& fields, Message& m, std::string_view text) {
  if (m.assistant)
    read_assistant_text(c, fields, m, text);
  else
    read_user_text(c, m, text);
}

void read_result(ItemContext& c, od::object& block, const MessageBlockKeys& tokens, const ItemFields& fields) {
  ToolCall call;
  call.id = c.text(tokens.tool_use_id);
  call.tool = c.text(tokens.name);
  for (const ToolCall& known : fields.calls)
    if (call.tool.empty() && known.id == call.id) call.tool = known.tool;
  emit_output(c, call, read_output(c, block), is_true(tokens.is_error));
}

bool read_block(ItemContext& c, od::object& block, const ItemFields& fields, Message& m) {
  MessageBlockKeys tokens;
  if (!collect(block, tokens)) return false;
  const auto type = string_body(tokens.type);
  if (type == "text") {
    read_text(c, fields, m, c.text(tokens.text));
  } else if (type == "thinking" || type == "redacted_thinking" || type == "reasoning") {
    c.add_said(EventKind::thinking, c.text(is_string(tokens.thinking) ? tokens.thinking : tokens.text));
  } else if (type == "tool_use") {
    Event& e = c.add(EventKind::tool_call, Role::assistant);
    e.tool = c.text(tokens.name);
    e.call_id = c.text(tokens.id);
    e.summary = e.tool;
    if (!read_block_input(c, block, e)) return false;
    if (c.detail() == Detail::stored && access_of(e.tool) == FileAccess::modified)
      tool_calls::add_edits(block, "input", e);
  } else if (type == "tool_result") {
    read_result(c, block, tokens, fields);
  } else if (type == "image" || type == "document" || type == "file" || type == "media") {
    append_mark(m.marker, read_media(c, type, block));
  } else {
    m.unknown = true;
    c.diagnose(DiagnosticType::unknown_field_value, {"content.type"});
  }
  return true;
}

MEMD_KEYS(ActivityKeys, toolCallId, toolName, output, isError);

// Reads the calls that the provider of the model made during its answer: they are no blocks of the message.
bool read_activities(ItemContext& c, od::object& metadata) {
  const auto read = [&](const ActivityKeys& keys, od::object& activity, std::size_t) {
    const ToolCall call{c.text(keys.toolCallId), c.text(keys.toolName), {}};
    if (call.tool.empty()) return true;
    Event& e = c.add(EventKind::tool_call, Role::assistant);
    e.tool = call.tool;
    e.call_id = call.id;
    e.summary = call.tool;
    if (!read_block_input(c, activity, e)) return false;
    if (!keys.output.empty() || !keys.isError.empty())
      emit_output(c, call, read_output(c, activity, "output"), is_true(keys.isError));
    return true;
  };
  return for_each_object<ActivityKeys>(metadata, "modelToolActivities", read);
}

bool read_content_blocks(ItemContext& c, od::object& object, const ItemFields& fields, Message& m) {
  od::value content;
  if (!seek(object, "content", content)) return true;
  const auto token = token_of(content);
  if (is_string(token)) {
    read_text(c, fields, m, c.text(token));
    return true;
  }
  od::array blocks;
  if (content.get_array().get(blocks)) return true;
  return for_each_element(blocks, [&](od::value& value, std::size_t) {
    od::object block;
    return value.get_object().get(block) ? true : read_block(c, block, fields, m);
  });
}

// Reads the token counts. The newer store counts cached tokens as input; the older one counts them separately, as one
// number.
bool read_metrics(od::object& object, TokenUsage& usage) {
  od::object metrics;
  MetricKeys tokens;
  if (!seek_object(object, "metrics", metrics)) return true;
  if (!collect(metrics, tokens)) return false;
  usage = {integer(tokens.inputTokens), integer(tokens.outputTokens), integer(tokens.cacheReadTokens),
           integer(tokens.cacheWriteTokens)};
  usage.input = std::max<std::int64_t>(0, usage.input - usage.cache_read - usage.cache_creation);
  TokenKeys counts;
  if (!tokens.tokens.starts_with('{')) return true;
  if (!collect_in(metrics, "tokens", counts)) return false;
  usage = {integer(counts.prompt), integer(counts.completion), integer(counts.cached), 0};
  return true;
}

}  // namespace

RecordOutcome read_message(ItemContext& c, od::object& item, const ItemFields& fields, std::string& type) {
  od::object object;
  MessageKeys tokens;
  if (!seek_object(item, "message", object) || !collect(object, tokens)) return RecordOutcome::damaged();
  Message m(fields);
  m.assistant = string_body(tokens.role) == "assistant";
  type = m.assistant ? "message:assistant" : "message:user";
  MetadataKeys metadata;
  if (tokens.metadata.starts_with('{')) collect_in(object, "metadata", metadata);
  if (is_true(metadata.displayOnly)) return RecordOutcome::skipped("display_only");
  // The newer store may keep the summary in place of the messages it covers.
  if (string_body(metadata.kind) == "compaction_summary") {
    std::string summary;
    od::value content;
    if (seek(object, "content", content) && !append_texts(c, content, summary)) return RecordOutcome::damaged();
    c.add_compaction({}, std::move(summary));
    return RecordOutcome::indexed();
  }
  ModelKeys model;
  if (tokens.modelInfo.starts_with('{') && collect_in(object, "modelInfo", model)) {
    c.model = c.text(model.id);
    if (c.model.empty()) c.model = c.text(model.modelId);
  }
  od::object inner;
  if (m.assistant && tokens.metadata.starts_with('{') && seek_object(object, "metadata", inner) &&
      !read_activities(c, inner))
    return RecordOutcome::damaged();
  if (!read_content_blocks(c, object, fields, m)) return RecordOutcome::damaged();
  if (!m.human.empty() || (!m.marker.empty() && !c.emitted() && !m.assistant)) {
    // Text beside tool results was typed while the agent worked.
    const bool beside = c.emitted();
    Event& e = c.add(beside ? EventKind::human_intervention : EventKind::user_msg, Role::user);
    e.origin = beside ? Origin::embedded : m.command ? Origin::command : Origin::typed;
    if (is_true(fields.keys.subtask) && !beside) e.origin = Origin::parent_agent;
    e.starts_exchange = !beside;
    e.text = std::move(m.human);
    e.summary = m.marker;
  }
  TokenUsage usage;
  if (tokens.metrics.starts_with('{') && !read_metrics(object, usage)) return RecordOutcome::damaged();
  // Copied history repeats the tokens of its original session.
  if (!is_true(fields.keys.copied)) c.add_usage(usage, c.key());
  if (m.unknown) return RecordOutcome::unknown("unknown_block");
  return c.emitted() ? RecordOutcome::indexed()
                     : RecordOutcome::skipped(m.assistant ? "blank_message" : "injected_text");
}

RecordOutcome read_compaction(ItemContext& c, od::object& item) {
  od::object compaction;
  if (!seek_object(item, "compaction", compaction)) return RecordOutcome::damaged();
  std::string before;
  if (const auto count = token_in(item, "compaction", "source_message_count"); !count.empty())
    before = std::to_string(integer(count)) + " messages before";
  std::string summary;
  const bool whole = for_each_in(compaction, "messages", [&](od::value& element, std::size_t index) {
    od::object message;
    od::value content;
    return index > 0 || element.get_object().get(message) || !seek(message, "content", content) ||
           append_texts(c, content, summary);
  });
  if (!whole) return RecordOutcome::damaged();
  c.add_compaction(before, std::move(summary));
  return RecordOutcome::indexed();
}

}  // namespace memd::cline
