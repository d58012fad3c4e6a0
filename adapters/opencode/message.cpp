// Messages of 1.x: the message's own JSON and its parts.
#include "adapters/opencode/item_decoder.hpp"

#include "adapters/json/media.hpp"

#include <utility>

namespace memd::opencode {
namespace {

MEMD_KEYS(DataKeys, role, modelID, providerID, agent, mode, summary, tokens, error, cost);

MEMD_KEYS(PartKeys, type, text, synthetic, ignored, tool, callID, mime, filename, name, prompt, command, auto_);

MEMD_KEYS(StoredKeys, created, data);

MEMD_KEYS(ErrorKeys, name, message);

// The client's text in a user message when the user ran a command with "!".
constexpr std::string_view kShellMarker = "The following tool was executed by the user";

struct Message {
  bool is_user = false;
  bool is_summary = false;  // an assistant message that replaced compacted ones
  TokenUsage usage;
  TokenUsage steps;  // by its parts "step-finish"
  ResponseFacts facts;
  // For a user message, from its parts:
  std::string text;
  std::string marker;
  std::vector<FileTouch> files;
  Origin origin = Origin::typed;
  bool injected = false;
};

void read_failure(ItemContext& c, od::object& holder) {
  od::object error;
  od::object data;
  ErrorKeys tokens;
  if (!seek_object(holder, "error", error) || !collect(error, tokens)) return;
  std::string name = c.text(tokens.name);
  std::string message = c.text(tokens.message);
  if (seek_object(error, "data", data) && collect(data, tokens) && is_string(tokens.message))
    message = c.text(tokens.message);
  c.add_failure(std::move(name), message);
}

void read_file_part(ItemContext& c, od::object& part, Message& message) {
  append_mark(message.marker, read_media(c, "file", part));
  if (const auto path = token_in(part, "source", "path"); is_string(path))
    message.files.push_back({c.text(path), FileAccess::referenced, 0, 0});
}

void read_user_part(ItemContext& c, std::string_view type, od::object& part, const PartKeys& tokens, Message& message) {
  if (type == "text") {
    std::string text = c.text(tokens.text);
    if (is_true(tokens.synthetic) || is_true(tokens.ignored)) {
      message.injected = true;
      if (text == kShellMarker) message.origin = Origin::shell;
      return;
    }
    if (trimmed(text).empty()) return;
    message.text.append(message.text.empty() ? "" : "\n").append(text);
  } else if (type == "file") {
    read_file_part(c, part, message);
  } else if (type == "agent") {
    append_mark(message.marker, {"agent", c.text(tokens.name, 80), {}, {}});
  } else if (type == "subtask") {
    if (message.text.empty()) message.text = c.text(tokens.prompt);
    if (is_string(tokens.command)) message.origin = Origin::command;
  } else if (type == "compaction") {
    c.add_lifecycle("compaction", is_true(tokens.auto_) ? "auto" : "manual");
  }
}

void read_changed_files(ItemContext& c, od::object& part) {
  std::vector<FileTouch> touches;
  for_each_in(part, "files", [&](od::value& file, std::size_t) {
    touches.push_back({c.text(token_of(file)), FileAccess::modified, 0, 0});
  });
  if (touches.empty()) return;
  Event& e = c.add_lifecycle("files_changed");
  for (const auto& touch : touches)
    e.summary.append(e.summary.empty() ? "" : " ").append(touch.path);
  e.files = std::move(touches);
}

void read_said(ItemContext& c, std::string_view type, od::object& part, const PartKeys& tokens, const Message& message,
               TimeMs stored) {
  const bool thought = type == "reasoning";
  const TimeMs told = integer(token_in(part, "time", thought ? "start" : "end"));
  Event* const e = c.add_said(thought, told != 0 ? told : stored, c.text(tokens.text));
  if (e == nullptr || thought || !message.is_summary) return;
  e->kind = EventKind::lifecycle;
  e->role = Role::system;
  e->origin = Origin::injected;
  e->lifecycle = "compact_summary";
}

void read_part(ItemContext& c, od::object& stored, Message& message) {
  StoredKeys outer;
  od::object part;
  PartKeys tokens;
  if (!collect(stored, outer)) return;
  if (!seek_object(stored, "data", part) || !collect(part, tokens))
    return c.diagnose(DiagnosticType::damaged_record, {"part.data"});
  const std::string_view type = string_body(tokens.type);
  const TimeMs created = integer(outer.created);
  od::object counts;
  if (type == "step-finish" && seek_object(part, "tokens", counts)) message.steps += read_usage(counts);
  if (type == "step-start" || type == "step-finish" || type == "snapshot") return;
  if (type == "patch") return read_changed_files(c, part);
  if (type == "retry") return read_failure(c, part);
  const bool of_user = type == "file" || type == "agent" || type == "subtask" || type == "compaction";
  if (of_user || (message.is_user && type == "text")) return read_user_part(c, type, part, tokens, message);
  if (type == "text" || type == "reasoning") return read_said(c, type, part, tokens, message, created);
  od::object state;
  if (type == "tool") {
    ToolPart tool{c.text(tokens.tool), c.text(tokens.callID), 0, 0};
    if (seek_object(part, "state", state))
      read_tool_part(c, tool, state);
    else
      c.diagnose(DiagnosticType::missing_field, {"part.state"});
    return;
  }
  c.diagnose(DiagnosticType::unknown_field_value, {"part.type"});
}

bool read_data(ItemContext& c, od::object& root, Message& message) {
  od::object data;
  DataKeys tokens;
  if (!seek_object(root, "data", data) || !collect(data, tokens)) return false;
  const std::string_view role = string_body(tokens.role);
  if (role != "user" && role != "assistant") {
    c.diagnose(tokens.role.empty() ? DiagnosticType::missing_field : DiagnosticType::unknown_field_value, {"role"});
    return false;
  }
  message.is_user = role == "user";
  if (c.time == 0) c.time = integer(token_in(data, "time", "created"));
  if (message.is_user) return true;
  message.is_summary = is_true(tokens.summary);
  if (message.is_summary) message.facts.purpose = ResponsePurpose::compaction;
  if (const auto cost = fraction(tokens.cost); cost > 0) message.facts.cost_usd = cost;
  c.model = model_name(c, tokens.providerID, tokens.modelID);
  od::object inner;
  c.cwd = c.text(token_in(data, "path", "cwd"));
  if (tokens.tokens.starts_with('{') && seek_object(data, "tokens", inner)) message.usage = read_usage(inner);
  return true;
}

RecordOutcome finish_user(ItemContext& c, Message& message) {
  const bool shell = message.origin == Origin::shell;
  if (message.text.empty() && message.marker.empty() && !shell) {
    if (c.emitted()) return RecordOutcome::indexed("message/user");
    return RecordOutcome::skipped(message.injected ? "injected_text" : "no_content", "message/user");
  }
  if (shell && message.marker.empty()) message.marker = "[shell command]";
  Event& e = c.add_prompt(c.is_sidechain ? Origin::parent_agent : message.origin, std::move(message.text),
                          std::move(message.marker));
  e.files = std::move(message.files);
  return RecordOutcome::indexed("message/user");
}

}  // namespace

RecordOutcome read_message(ItemContext& c, od::object& root) {
  Message message;
  if (!read_data(c, root, message)) return RecordOutcome::unknown("unknown_role", "message");
  for_each_in(root, "parts", [&](od::value& element, std::size_t block) {
    od::object part;
    c.block = block;
    if (!element.get_object().get(part)) read_part(c, part, message);
  });
  c.block = 0;
  if (message.is_user) return finish_user(c, message);

  // The message repeats the tokens of its last step, unless its program was ended in between.
  if (message.steps.output > message.usage.output) message.usage = message.steps;
  od::object data;
  if (seek_object(root, "data", data)) read_failure(c, data);
  c.add_usage(message.usage, c.response_key(), message.facts);
  if (!c.emitted()) return RecordOutcome::skipped("blank_message", "message/assistant");
  return RecordOutcome::indexed("message/assistant");
}

}  // namespace memd::opencode
