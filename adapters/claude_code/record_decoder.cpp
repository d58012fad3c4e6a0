#include "adapters/claude_code/record_decoder.hpp"

#include "adapters/claude_code/paths.hpp"
#include "adapters/claude_code/record_context.hpp"
#include "adapters/json/stamp_token.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/time.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace memd::claude_code {
namespace {

constexpr std::string_view kMetaType = "(agent-meta)";
constexpr std::string_view kUnreadableType = "(unreadable type)";
constexpr std::string_view kHistoryType = "(history)";

MEMD_KEYS(PastedKeys, type, content);

// Replaces "[Pasted text #1 +20 lines]" in the line by the pasted text, as sent to the model.
void expand_paste(std::string& text, std::string_view number, std::string_view pasted) {
  const std::string mark = "[Pasted text #" + std::string(number);
  for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const auto end = text.find(']', at);
    const char next = at + mark.size() < text.size() ? text[at + mark.size()] : ']';
    if (end == std::string::npos || (next != ' ' && next != ']')) continue;
    text.replace(at, end + 1 - at, pasted);
    return;
  }
}

bool expand_pastes(TextReader& reader, od::object& root, std::string& text) {
  od::object pasted;
  if (!seek_object(root, "pastedContents", pasted)) return true;
  return for_each_field(pasted, [&](std::string_view number, od::value& value) {
    od::object entry;
    PastedKeys tokens;
    if (value.get_object().get(entry)) return true;
    if (!collect(entry, tokens)) return false;
    if (string_body(tokens.type) == "text" && is_string(tokens.content))
      expand_paste(text, number, reader.text(tokens.content));
    return true;
  });
}

MEMD_KEYS(ForkKeys, sessionId, messageUuid);

// The record of another session that a record repeats.
struct CopiedRecord {
  std::string_view session;  // as in an envelope
  std::string session_uid;
  std::uint64_t record = 0;
};

// A fork ("/branch", "--fork-session") begins with its origin's records. They are the origin's: told once, wherever
// they are read first.
CopiedRecord read_copied(od::object& root, Platform platform, std::string_view folder) {
  od::object origin;
  ForkKeys tokens;
  if (!seek_object(root, "forkedFrom", origin) || !collect(origin, tokens)) return {};
  const auto session = string_body(tokens.sessionId);
  const auto message = string_body(tokens.messageUuid);
  if (!is_identifier(session) || message.empty()) return {};
  return {tokens.sessionId, make_session_uid(platform, id_in_folder(session, folder)),
          record_key(Platform::claude_code, message)};
}

void add_fork(Platform platform, std::string_view uid, std::string_view origin, EventBatch& out) {
  if (uid == origin) return;
  if (!out.sessions.empty() && out.sessions.back().session_uid == uid && out.sessions.back().forked_from == origin)
    return;  // each copy says so
  SessionUpdate& update = out.sessions.emplace_back();
  update.session_uid = uid;
  update.platform = platform;
  if (const auto parts = split_session_uid(uid)) update.native_id = parts->native_id;
  update.forked_from = origin;
}

std::string session_of_day(std::string_view project, TimeMs time) {
  char id[48];
  std::snprintf(id, sizeof id, "history-%016llx-%.10s", static_cast<unsigned long long>(hash64(project)),
                format_rfc3339(time).c_str());
  return make_session_uid(Platform::claude_code, id);
}

}  // namespace

Decoder::Decoder(const Source& source, Detail detail) : KeyedDecoder(source.platform, source.session_uid, detail) {
  const auto path = parse_source_path(source.path);
  if (!path) return;
  is_meta_ = path->kind == SourceKind::agent_meta;
  is_flat_agent_ = path->kind == SourceKind::flat_agent;
  stem_ = path->stem;
  folder_ = path->folder;
  const bool workflow = path->kind == SourceKind::workflow_agent || path->kind == SourceKind::workflow_journal;
  if (path->kind != SourceKind::main) kind_ = workflow ? SessionKind::workflow : SessionKind::subagent;
  const auto parts = split_session_uid(session_uid_);
  if (parts && kind_ != SessionKind::main)
    parent_uid_ = make_session_uid(platform(), native_parent_id(*path, parts->native_id));
}

void Decoder::begin_source(EventBatch& out) {
  const auto parts = split_session_uid(session_uid_);
  if (!parts) return;
  SessionUpdate update;
  update.session_uid = session_uid_;
  update.platform = platform();
  update.native_id = parts->native_id;
  update.kind = kind_;
  update.parent_uid = parent_uid_;
  out.sessions.push_back(std::move(update));
}

// Messages inside progress records also have type and uuid, but no sessionId.
bool Decoder::surely_a_record() const {
  constexpr std::array<std::string_view, 5> chain{"user", "assistant", "system", "progress", "attachment"};
  const auto type = string_body(keys_.type);
  if (std::find(chain.begin(), chain.end(), type) != chain.end())
    return has_value(keys_.uuid) && has_value(keys_.sessionId);
  if (type == "summary") return has_value(keys_.leafUuid);
  if (type == "file-history-snapshot") return has_value(keys_.messageId);
  return is_identifier(type) && has_value(keys_.sessionId);
}

RecordOutcome Decoder::read(od::object& root, RawRef raw, EventBatch& out) {
  const std::string record_uid = session_uid_.empty() ? session_of_record() : std::string();
  const auto type = string_body(keys_.type);
  const std::string_view uid = session_uid_.empty() ? std::string_view(record_uid) : session_uid_;
  const CopiedRecord copied = has_value(keys_.forkedFrom) ? read_copied(root, platform(), folder_) : CopiedRecord{};
  if (!copied.session_uid.empty()) {
    add_fork(platform(), uid, copied.session_uid, out);
    keys_.sessionId = copied.session;
  }
  RecordContext context(platform(), keys_, copied.session_uid.empty() ? uid : copied.session_uid, raw, detail_, out);
  if (!copied.session_uid.empty()) context.set_copied(copied.record);
  context.own_session = kind_ != SessionKind::main;
  context.is_sidechain = context.is_sidechain || context.own_session;
  RecordOutcome outcome;
  // Early versions wrote an agent's records into its parent's file.
  const std::string agent_id = context.is_sidechain && !context.own_session ? context.text(keys_.agentId) : "";
  if (is_identifier(agent_id)) {
    const std::string agent_uid = context.agent_uid(agent_id);
    RecordContext inner(platform(), keys_, agent_uid, raw, detail_, out);
    inner.own_session = true;
    context.link_agent(agent_id, {});
    outcome = dispatch(inner, root, type);
    inner.pass_on();
    if (inner.lossy()) context.mark_lossy();
  } else {
    outcome = dispatch(context, root, type);
    context.pass_on();
  }
  outcome.type = is_meta_ ? kMetaType : is_identifier(type) ? type : kUnreadableType;
  if (!outcome.broken && context.lossy()) context.diagnose(DiagnosticType::invalid_encoding);
  return outcome;
}

RecordOutcome Decoder::dispatch(RecordContext& context, od::object& root, std::string_view type) {
  if (is_meta_) return read_agent_meta(context);
  if (!is_string(keys_.type)) {
    context.diagnose(keys_.type.empty() ? DiagnosticType::missing_field : DiagnosticType::wrong_field_type, {"type"});
    return RecordOutcome::unknown("unknown_type");
  }
  if (type == "assistant") return read_assistant(context, root);
  if (type == "user") return read_user(context, root);
  if (type == "progress") return read_progress(context, root);
  if (type == "system") return read_system(context, root);
  if (type == "attachment") return read_attachment(context, root);
  if (type == "queue-operation") return read_queue_operation(context);
  return read_side_record(context, root, type);
}

std::string Decoder::session_of_record() const {
  const auto id = string_body(keys_.sessionId);
  if (!is_identifier(id)) return make_session_uid(platform(), stem_);
  const std::string native = id_in_folder(id, folder_);
  return make_session_uid(platform(), is_flat_agent_ ? native + "/" + stem_ : native);
}

bool HistoryDecoder::surely_a_record() const { return is_string(keys_.display) && !keys_.timestamp.empty(); }

RecordOutcome HistoryDecoder::read(od::object& root, RawRef raw, EventBatch& out) {
  TextReader reader(detail_);
  const auto diagnose = [&](FieldName field) {
    out.diagnostics.push_back(
        {Platform::claude_code, DiagnosticType::missing_field, Severity::warning, {field}, 0, raw.offset});
  };
  if (!is_string(keys_.display)) {
    diagnose("display");
    return RecordOutcome::unknown("unknown_type", kHistoryType);
  }
  HistoryPrompt prompt;
  prompt.platform = Platform::claude_code;
  prompt.text = reader.text(keys_.display);
  prompt.time = parse_stamp(stamp_body(keys_.timestamp)).value_or(0);
  prompt.cwd = reader.text(keys_.project);
  if (!expand_pastes(reader, root, prompt.text)) return RecordOutcome::damaged();
  if (prompt.time == 0) {
    diagnose("timestamp");
    return RecordOutcome::unknown("no_time", kHistoryType);
  }
  const auto session = string_body(keys_.sessionId);
  prompt.session_uid = is_identifier(session)
                           ? make_session_uid(Platform::claude_code, id_in_folder(session, folder_of(prompt.cwd)))
                           : session_of_day(prompt.cwd, prompt.time);
  return add_history_prompt(prompt, raw, out, kHistoryType);
}

}  // namespace memd::claude_code
