// Rows of session_message, of 2.x.
#include "adapters/opencode/item_decoder.hpp"

#include "adapters/json/media.hpp"

#include <utility>

namespace memd::opencode {
namespace {

MEMD_KEYS(RecordDataKeys, text, tokens, command, reason, summary, outcome, agent, exit, status, output);

MEMD_KEYS(BlockKeys, type, text, id, name);

MEMD_KEYS(RecordTimeKeys, created, ran, completed);

MEMD_KEYS(ModelKeys, id, providerID);

MEMD_KEYS(RecordErrorKeys, type, message);

MEMD_KEYS(FileKeys, name, mime);

RecordTimeKeys read_time(od::object& object) {
  RecordTimeKeys tokens;
  if (!collect_in(object, "time", tokens)) return {};
  return tokens;
}

void read_error(ItemContext& c, od::object& data) {
  RecordErrorKeys tokens;
  if (!collect_in(data, "error", tokens)) return;
  c.add_failure(c.text(tokens.type), c.text(tokens.message));
}

void mark_each(ItemContext& c, od::object& data, std::string_view list_name, std::string_view kind, std::string& out) {
  for_each_object<FileKeys>(data, list_name, [&](const FileKeys&, od::object& file, std::size_t) {
    append_mark(out, read_media(c, kind, file));
  });
}

RecordOutcome read_user(ItemContext& c, od::object& data, const RecordDataKeys& tokens) {
  std::string text = c.text(tokens.text);
  std::string marker;
  mark_each(c, data, "files", "file", marker);
  mark_each(c, data, "agents", "agent", marker);
  mark_each(c, data, "skills", "skill", marker);
  if (trimmed(text).empty() && marker.empty()) return RecordOutcome::skipped("blank_message", "user");
  c.add_prompt(c.is_sidechain ? Origin::parent_agent : Origin::typed, std::move(text), std::move(marker));
  return RecordOutcome::indexed("user");
}

void read_content(ItemContext& c, od::object& block) {
  BlockKeys tokens;
  if (!collect(block, tokens)) return;
  const std::string_view type = string_body(tokens.type);
  const auto time = read_time(block);
  if (type == "tool") {
    od::object state;
    const TimeMs ran = integer(time.ran);
    const ToolPart tool{c.text(tokens.name), c.text(tokens.id), ran != 0 ? ran : integer(time.created),
                        integer(time.completed)};
    if (seek_object(block, "state", state))
      read_tool_part(c, tool, state);
    else
      c.diagnose(DiagnosticType::missing_field, {"content.state"});
  } else if (type == "text" || type == "reasoning") {
    c.add_said(type == "reasoning", integer(time.created), c.text(tokens.text));
  } else {
    c.diagnose(DiagnosticType::unknown_field_value, {"content.type"});
  }
}

void read_model(ItemContext& c, od::object& data) {
  ModelKeys tokens;
  if (collect_in(data, "model", tokens)) c.model = model_name(c, tokens.providerID, tokens.id);
}

void put_usage(ItemContext& c, od::object& data, ResponsePurpose purpose = ResponsePurpose::turn) {
  od::object inner;
  od::value value;
  ResponseFacts facts;
  facts.purpose = purpose;
  if (seek(data, "cost", value))
    if (const auto cost = fraction(token_of(value)); cost > 0) facts.cost_usd = cost;
  if (!seek_object(data, "tokens", inner)) return;
  c.add_usage(read_usage(inner), c.response_key(), facts);
}

RecordOutcome read_assistant(ItemContext& c, od::object& data) {
  read_model(c, data);
  for_each_in(data, "content", [&](od::value& element, std::size_t index) {
    od::object block;
    c.block = index;
    if (!element.get_object().get(block)) read_content(c, block);
  });
  c.block = 0;
  read_error(c, data);
  put_usage(c, data);
  if (!c.emitted()) return RecordOutcome::skipped("blank_message", "assistant");
  return RecordOutcome::indexed("assistant");
}

RecordOutcome read_compaction(ItemContext& c, od::object& data, const RecordDataKeys& tokens) {
  c.add_compaction(c.text(tokens.reason, 40), c.text(tokens.summary));
  read_error(c, data);
  put_usage(c, data, ResponsePurpose::compaction);
  return RecordOutcome::indexed("compaction");
}

// Reads a command that the user ran with "!".
RecordOutcome read_shell(ItemContext& c, od::object& data, const RecordDataKeys& tokens) {
  c.add_prompt(c.is_sidechain ? Origin::parent_agent : Origin::shell, c.text(tokens.command));
  std::string_view output = tokens.output;
  if (output.starts_with('{')) output = token_in(data, "output", "text");
  if (!is_string(output)) return RecordOutcome::indexed("shell");
  std::string text = c.text(output, c.detail() == Detail::full ? kNoLimit : kResultTextLimit);
  c.add_injected("shell_output", std::move(text)).is_error = integer(tokens.exit) != 0;
  return RecordOutcome::indexed("shell");
}

RecordOutcome read_idle(ItemContext& c, od::object& data, const RecordDataKeys& tokens) {
  const std::string_view outcome = string_body(tokens.outcome);
  if (outcome == "interrupted") c.add_lifecycle("interrupt");
  if (outcome == "failed") read_error(c, data);
  if (!c.emitted()) return RecordOutcome::skipped("turn_end", "idle");
  return RecordOutcome::indexed("idle");
}

}  // namespace

RecordOutcome read_record(ItemContext& c, std::string_view type, od::object& root) {
  od::object data;
  RecordDataKeys tokens;
  const std::string name(is_identifier(type) ? type : "(unreadable type)");
  if (!seek_object(root, "data", data) || !collect(data, tokens)) return RecordOutcome::skipped("damaged", name);
  if (c.time == 0) c.time = integer(read_time(data).created);
  if (type == "user") return read_user(c, data, tokens);
  if (type == "assistant") return read_assistant(c, data);
  if (type == "compaction") return read_compaction(c, data, tokens);
  if (type == "shell") return read_shell(c, data, tokens);
  if (type == "idle") return read_idle(c, data, tokens);
  if (type == "synthetic" || type == "system" || type == "skill") return RecordOutcome::skipped("injected_text", name);
  if (type == "agent-switched") {
    c.add_lifecycle("mode_change").summary = c.text(tokens.agent, 80);
    return RecordOutcome::indexed(name);
  }
  if (type == "model-switched") {
    read_model(c, data);
    const std::string model = std::exchange(c.model, {});
    c.add_lifecycle("model_change").summary = model;
    return RecordOutcome::indexed(name);
  }
  if (type == "location-switched") {
    c.cwd = c.text(token_in(data, "location", "directory"));
    c.add_lifecycle("location_change").summary = c.cwd;
    return RecordOutcome::indexed(name);
  }
  c.diagnose(DiagnosticType::unknown_record_type, {"type"});
  return RecordOutcome::unknown("unknown_type", name);
}

}  // namespace memd::opencode
