#include "adapters/claude_code/record_handlers.hpp"
#include "adapters/claude_code/tool_result.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "schemas/hash.hpp"

namespace memd::claude_code {
namespace {

std::optional<FileAccess> access_of(std::string_view tool) {
  if (tool == "Read" || tool == "NotebookRead" || tool == "LSP") return FileAccess::read;
  if (tool == "Edit" || tool == "Write" || tool == "MultiEdit" || tool == "NotebookEdit") return FileAccess::modified;
  if (tool == "Glob" || tool == "Grep" || tool == "LS") return FileAccess::referenced;
  return std::nullopt;
}

enum : std::size_t { kId, kModel, kUsage, kMessageKeys };
constexpr KeyTable<kMessageKeys> kMessageTable{{"id", "model", "usage"}};

enum : std::size_t { kType, kText, kThinking, kBlockId, kName, kBlockKeys };
constexpr KeyTable<kBlockKeys> kBlockTable{{"type", "text", "thinking", "id", "name"}};

enum : std::size_t { kInput, kOutput, kCacheRead, kCacheCreation, kUsageKeys };
constexpr KeyTable<kUsageKeys> kUsageTable{
    {"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"}};

// What the records of one API response share.
struct Response {
  std::string model;
  std::uint64_t key = 0;
  TokenUsage usage;
  bool unknown_block = false;
  bool synthetic = false;  // made by the client
};

bool read_response(RecordContext& c, od::object& message, Response& out) {
  Tokens<kMessageKeys> tokens;
  if (!collect(message, kMessageTable, tokens)) return false;
  out.synthetic = string_body(tokens[kModel]) == "<synthetic>" || c.envelope().is(Key::is_api_error);
  if (out.synthetic) return true;
  out.model = c.text(tokens[kModel]);
  od::object usage;
  if (!tokens[kUsage].starts_with('{') || !seek_object(message, "usage", usage)) return true;
  Tokens<kUsageKeys> counts;
  if (!collect(usage, kUsageTable, counts)) return false;
  out.usage = {integer(counts[kInput]), integer(counts[kOutput]), integer(counts[kCacheRead]),
               integer(counts[kCacheCreation])};
  // Without an id of the response its record stands for it.
  out.key = tokens[kId].empty()
                ? c.key()
                : hash_combine(hash64(string_body(tokens[kId])), hash64(c.envelope().body(Key::request_id)));
  return true;
}

bool read_tool_use(RecordContext& c, od::object& block, const Tokens<kBlockKeys>& tokens, std::size_t index) {
  Event& call = c.add(EventKind::tool_call, Role::assistant, index);
  call.tool = c.text(tokens[kName]);
  call.call_id = c.text(tokens[kBlockId]);
  call.summary = call.tool;
  od::value input;
  return !seek(block, "input", input) || tool_calls::read_tool_input(c, input, access_of, call);
}

void emit_text(RecordContext& c, const Response& response, std::string text, std::size_t index) {
  if (trimmed(text).empty()) return;
  if (response.synthetic && !c.envelope().is(Key::is_api_error)) {
    Event& e = c.add_lifecycle("synthetic");  // "No response requested."
    e.raw.block = static_cast<std::uint16_t>(index);
    e.text = std::move(text);
    return;
  }
  Event& e = c.add(response.synthetic ? EventKind::error : EventKind::assistant_msg,
                   response.synthetic ? Role::system : Role::assistant, index);
  if (response.synthetic) {
    e.lifecycle = "api_error";
    e.is_error = true;
  }
  e.text = std::move(text);
}

bool read_block(RecordContext& c, od::object& block, Response& response, std::size_t index) {
  Tokens<kBlockKeys> tokens;
  if (!collect(block, kBlockTable, tokens)) return false;
  const auto type = string_body(tokens[kType]);
  if (type == "text") {
    emit_text(c, response, c.text(tokens[kText]), index);
  } else if (type == "thinking" || type == "redacted_thinking") {
    Event& e = c.add(EventKind::thinking, Role::assistant, index);
    e.text = c.text(tokens[kThinking]);
    if (type == "redacted_thinking") e.summary = "[redacted]";
  } else if (type == "tool_use" || type == "server_tool_use" || type == "mcp_tool_use") {
    return read_tool_use(c, block, tokens, index);
  } else if (type.ends_with("_tool_result")) {
    return read_tool_result(c, block, index);
  } else if (type == "image" || type == "document") {
    Event& e = c.add(EventKind::assistant_msg, Role::assistant, index);
    std::string marker;
    if (!append_marker(c, block, type, marker)) return false;
    e.summary = std::move(marker);
  } else {
    c.diagnose(DiagnosticType::unknown_field_value, {"message.content.type"});
    response.unknown_block = true;
  }
  return true;
}

}  // namespace

Fate read_assistant(RecordContext& c, od::object& root) {
  od::object message;
  Response response;
  if (!seek_object(root, "message", message)) {
    c.diagnose(DiagnosticType::missing_field, {"message"});
    return Fate::skipped("no_content");
  }
  if (!read_response(c, message, response)) return Fate::damaged();

  const std::size_t first = c.out().events.size();
  od::value content;
  od::array blocks;
  if (seek(message, "content", content)) {
    const auto token = token_of(content);
    if (is_string(token)) {
      emit_text(c, response, c.text(token), 0);
    } else if (!content.get_array().get(blocks)) {
      const bool whole = for_each_element(blocks, [&](od::value& value, std::size_t index) {
        od::object block;
        return value.get_object().get(block) ? true : read_block(c, block, response, index);
      });
      if (!whole) return Fate::damaged();
    }
  }

  auto& events = c.out().events;
  // Usage counts even where the record says nothing: blank text, a block of an unknown type.
  if (events.size() == first && response.usage != TokenUsage{}) c.add_lifecycle("usage");
  if (events.size() == first)
    return response.unknown_block ? Fate::unknown("unknown_block") : Fate::skipped("blank_message");
  for (std::size_t i = first; i < events.size(); ++i)
    events[i].model = response.model;
  if (response.usage != TokenUsage{}) {
    events[first].response_key = response.key;
    events[first].usage = response.usage;
  }
  return Fate::indexed();
}

}  // namespace memd::claude_code
