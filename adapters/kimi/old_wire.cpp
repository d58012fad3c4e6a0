#include "adapters/kimi/old_wire.hpp"

#include "adapters/names.hpp"
#include "adapters/tool_calls/choices.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "adapters/tool_calls/tool_result.hpp"
#include "schemas/base/stamp.hpp"

#include <array>

namespace memd::kimi {

using namespace json;  // NOLINT(google-build-using-namespace): the whole file reads JSON

namespace {

MEMD_KEYS(Envelope, type);
MEMD_KEYS(Payload, type, text, think, id, tool_call_id, message_id, parent_tool_call_id, task_tool_call_id, agent_id,
          body, content);
MEMD_KEYS(OldFunction, name);
MEMD_KEYS(OldUsage, input_other, output, input_cache_read, input_cache_creation);

constexpr std::array kOldLeftOut{
    Reason{"turn_marker", Names("TurnEnd StepBegin CompactionEnd HookTriggered HookResolved MCPLoadingBegin "
                                "MCPLoadingEnd")},
    Reason{"display", Names("ApprovalRequest ApprovalRequestResolved ApprovalResponse QuestionRequest QuestionResponse "
                            "ToolCallRequest")}};

constexpr tool_calls::ToolAccess access_of{Names("Read ReadFile ReadMediaFile"),
                                           Names("Edit Write WriteFile StrReplaceFile"), Names("Grep Glob")};

RecordOutcome read_message(RecordBuilder& c, od::object& message, std::string_view type);

RecordOutcome read_payload(RecordBuilder& c, od::object& payload, const Payload& keys, std::string_view type) {
  if (type == "TurnBegin" || type == "SteerInput") {
    ContentText content = read_content(c, payload, "user_input");
    if (content.is_blank()) return RecordOutcome::skipped("blank_message");
    add_prompt(c, std::move(content),
               c.is_sidechain         ? Origin::parent_agent
               : type == "SteerInput" ? Origin::queued
                                      : Origin::typed);
  } else if (type == "ContentPart") {
    const bool thought = string_body(keys.type) == "think";
    if (!c.add_said(thought ? EventKind::thinking : EventKind::assistant_msg, c.text(thought ? keys.think : keys.text)))
      return RecordOutcome::skipped("blank_message");
  } else if (type == "ToolCall") {
    od::object function;
    OldFunction named;
    if (!seek_object(payload, "function", function) || !collect(function, named))
      return RecordOutcome::unknown("no_content");
    add_call(c, function, keys.id, named.name, "arguments");
  } else if (type == "ToolResult") {
    od::object value;
    if (!seek_object(payload, "return_value", value)) return RecordOutcome::unknown("no_content");
    add_result(c, value, keys.tool_call_id, "is_error");
  } else if (type == "StatusUpdate") {
    OldUsage usage;
    if (!collect_in(payload, "token_usage", usage)) return RecordOutcome::skipped("bookkeeping");
    c.add_usage({integer(usage.input_other), integer(usage.output), integer(usage.input_cache_read),
                 integer(usage.input_cache_creation)},
                c.key());
  } else if (type == "StepInterrupted") {
    c.add_lifecycle("interrupt");
  } else if (type == "CompactionBegin") {
    c.add_compaction({}, {});
  } else if (type == "Notification") {
    c.add_injected("notification", c.text(keys.body));
  } else if (type == "PlanDisplay") {
    c.add_injected("plan", c.text(keys.content));
  } else {
    c.diagnose(DiagnosticType::unknown_record_type, {"message.type"});
    return RecordOutcome::unknown("unknown_type");
  }
  return RecordOutcome::indexed();
}

// The event of a subagent is a message inside the message. Later versions write a log for each subagent, too.
RecordOutcome read_subagent_event(RecordBuilder& c, od::object& payload, const Payload& keys) {
  if (is_string(keys.agent_id)) return RecordOutcome::skipped("repeats_subagent");
  const auto call = is_string(keys.parent_tool_call_id) ? keys.parent_tool_call_id : keys.task_tool_call_id;
  const std::string uid = std::string(c.session_uid()) + "/" + c.text(call);
  RecordBuilder inner(c.platform(), uid, c.raw(), c.detail(), c.out());
  inner.identify(c.key());
  inner.time = c.time;
  inner.is_sidechain = true;
  inner.id_is_local = true;
  od::object event;
  Envelope envelope;
  if (!seek_object(payload, "event", event) || !collect(event, envelope)) return RecordOutcome::unknown("no_content");
  const auto type = string_body(envelope.type);
  if (type == "TurnBegin") c.add_subagent(uid, c.text(call), c.time);
  return inner.finish(read_message(inner, event, type), "SubagentEvent");
}

RecordOutcome read_message(RecordBuilder& c, od::object& message, std::string_view type) {
  if (const auto reason = reason_for(kOldLeftOut, type); !reason.empty()) return RecordOutcome::skipped(reason);
  od::object payload;
  Payload keys;
  if (!seek_object(message, "payload", payload) || !collect(payload, keys)) return RecordOutcome::unknown("no_content");
  if (type == "SubagentEvent") return read_subagent_event(c, payload, keys);
  return read_payload(c, payload, keys, type);
}

}  // namespace

void add_call(RecordBuilder& c, od::object& object, std::string_view id, std::string_view name,
              std::string_view input) {
  tool_calls::add_call(c, c.text(name), c.text(id), object, input, access_of);
}

std::string add_result(RecordBuilder& c, od::object& result, std::string_view call, std::string_view error_key) {
  constexpr std::string_view kAgentId = "agent_id: ";
  ContentText content = read_content(c, result, "output");
  od::value failed;
  const bool is_error = seek(result, error_key, failed) && is_true(token_of(failed));
  std::string agent;
  if (const auto at = content.text.find(kAgentId); at != std::string::npos && (at == 0 || content.text[at - 1] == '\n'))
    agent = one_line(std::string_view(content.text).substr(at + kAgentId.size()), 80);
  const auto exit_code = tool_calls::exit_code_behind("Command failed with exit code: ", content.text);
  std::string choices = tool_calls::choices_in({}, {}, content.text);
  Event& e = tool_calls::add_result(c, c.text(call), std::move(content.text), is_error);
  e.summary = std::move(content.marks);
  e.facts.exit_code = exit_code;
  tool_calls::add_choices(c, c.text(call), std::move(choices));
  return is_identifier(agent) ? agent : std::string();
}

RecordOutcome read_old_record(RecordBuilder& c, od::object& root, std::string_view timestamp) {
  od::object message;
  Envelope envelope;
  c.time = from_unix_number(fraction(timestamp).value_or(0));
  if (!seek_object(root, "message", message) || !collect(message, envelope)) {
    c.diagnose(DiagnosticType::missing_field, {"message"});
    return c.finish(RecordOutcome::unknown("no_content"), "(old record)");
  }
  const auto type = string_body(envelope.type);
  return c.finish(read_message(c, message, type), type);
}

}  // namespace memd::kimi
