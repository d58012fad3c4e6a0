#include "adapters/codex/decoders.hpp"

#include "adapters/json/stamp_token.hpp"
#include "schemas/ids.hpp"

namespace memd::codex {

bool RolloutDecoder::surely_a_record() const {
  return is_string(keys_.timestamp) && is_string(keys_.type) && keys_.payload.starts_with('{');
}

bool RolloutDecoder::tells_compaction_output(od::object& root) const {
  return keys_.metadata.starts_with('{') && is_true(token_in(root, "metadata", "compaction_output"));
}

RecordOutcome RolloutDecoder::read(od::object& root, RawRef raw, EventBatch& out) {
  const bool enveloped = keys_.payload.starts_with('{');
  const auto type = string_body(keys_.type);
  // Among the items without envelope, only the first object, which has no type, has a time.
  const auto timestamp = enveloped || type.empty() ? stamp_body(keys_.timestamp) : std::string_view{};
  const Line line{session_uid_, enveloped ? type : "response_item", timestamp, raw, tells_compaction_output(root)};
  RecordContext c(line, detail_, out);
  RecordOutcome outcome = enveloped ? read_enveloped(c, root) : read_bare(c, root);
  if (!outcome.broken && c.lossy()) c.diagnose(DiagnosticType::invalid_encoding);
  return outcome;
}

RecordOutcome RolloutDecoder::dispatch(RecordContext& c, od::object& item, const Payload& payload) {
  const auto type = c.line().type;
  if (type == "response_item") return read_response_item(c, item, payload);
  if (type == "event_msg") return read_event_msg(c, item, payload);
  if (type == "session_meta") return read_session_meta(c, item);
  if (type == "turn_context") return read_turn_context(c, item, payload);
  if (type == "compacted") return read_compacted(c, item, payload);
  if (type == "token_usage_record") return read_token_usage(c, item);
  if (type == "inter_agent_communication") return read_agent_message(c, item, payload);
  if (type == "inter_agent_communication_metadata") return RecordOutcome::skipped("bookkeeping");
  if (type == "world_state") return RecordOutcome::skipped("environment");
  c.diagnose(DiagnosticType::unknown_record_type, {"type"});
  return RecordOutcome::unknown("unknown_type");
}

RecordOutcome RolloutDecoder::read_enveloped(RecordContext& c, od::object& root) {
  od::object item;
  Payload payload;
  if (!seek_object(root, "payload", item) || !collect(item, payload)) return RecordOutcome::damaged();
  RecordOutcome outcome = dispatch(c, item, payload);
  outcome.type = is_identifier(c.line().type) ? c.line().type : "(unreadable type)";
  return outcome;
}

RecordOutcome RolloutDecoder::read_bare(RecordContext& c, od::object& root) {
  Payload payload;
  if (!collect(root, payload)) return RecordOutcome::damaged();
  RecordOutcome outcome;
  if (is_string(keys_.record_type)) {
    outcome = RecordOutcome::skipped("state_marker");
    outcome.type = "record_type";
  } else if (is_string(keys_.type)) {
    outcome = read_response_item(c, root, payload);
    outcome.type = "response_item";
  } else if (is_string(keys_.id) && is_string(keys_.timestamp)) {
    outcome = read_session_meta(c, root);
    outcome.type = "session_meta";
  } else {
    c.diagnose(DiagnosticType::missing_field, {"type"});
    outcome = RecordOutcome::unknown("unknown_type");
    outcome.type = "(no type)";
  }
  return outcome;
}

// The two lists beside the rollouts.

namespace {

constexpr std::string_view kIndexType = "(session-index)";
constexpr std::string_view kHistoryType = "(history)";

}  // namespace

std::uint64_t session_start_key(std::string_view thread_id) {
  return record_key(Platform::codex, std::string("session/").append(thread_id));
}

bool SessionIndexDecoder::surely_a_record() const { return is_string(keys_.id) && is_string(keys_.thread_name); }

RecordOutcome SessionIndexDecoder::read(od::object&, RawRef raw, EventBatch& out) {
  TextReader reader;
  const std::string name = one_line(reader.text(keys_.thread_name), 300);
  const auto id = string_body(keys_.id);
  if (!is_uuid(id)) {
    out.diagnostics.push_back(
        {Platform::codex, DiagnosticType::missing_field, Severity::warning, {"id"}, 0, raw.offset});
    return RecordOutcome::unknown("no_session", kIndexType);
  }
  if (name.empty()) return RecordOutcome::skipped("empty_title", kIndexType);
  SessionUpdate update;
  update.platform = Platform::codex;
  update.title = name;
  update.title_rank = TitleRank::custom;
  update.title_record_key = session_start_key(id);
  out.sessions.push_back(std::move(update));
  return RecordOutcome::indexed(kIndexType);
}

bool HistoryDecoder::surely_a_record() const { return is_string(keys_.session_id) && is_string(keys_.text); }

RecordOutcome HistoryDecoder::read(od::object&, RawRef raw, EventBatch& out) {
  TextReader reader(detail_);
  const auto id = string_body(keys_.session_id);
  if (!is_uuid(id)) return RecordOutcome::skipped("no_session", kHistoryType);
  const HistoryPrompt prompt{Platform::codex,
                             make_session_uid(Platform::codex, id),
                             from_unix_seconds(integer(keys_.ts)),
                             reader.text(keys_.text),
                             {}};
  return add_history_prompt(prompt, raw, out, kHistoryType);
}

}  // namespace memd::codex
