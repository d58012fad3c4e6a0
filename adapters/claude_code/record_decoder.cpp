#include "adapters/claude_code/record_decoder.hpp"

#include "adapters/claude_code/paths.hpp"
#include "adapters/claude_code/record_handlers.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/whole_record.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <array>

namespace memd::claude_code {
namespace {

static_assert(simdjson::SIMDJSON_PADDING <= kRecordPadding);

constexpr KeyTable<kKeyNames.size()> kEnvelopeTable{kKeyNames};

constexpr std::string_view kDamaged = "(damaged)";
constexpr std::string_view kMetaType = "(agent-meta)";
constexpr std::string_view kUnreadableType = "(unreadable type)";

std::string ledger_type(std::string_view type, bool is_meta) {
  if (is_meta) return std::string(kMetaType);
  return std::string(is_identifier(type) ? type : kUnreadableType);
}

bool is_lfs_line(std::string_view line) {
  return line.starts_with("version https://git-lfs") || line.starts_with("oid sha256:") ||
         (line.starts_with("size ") && line.size() < 32);
}

// Whether an object found inside a cut record is a record for certain, and not a part of the cut one: messages inside
// progress records have type and uuid too, but no sessionId.
bool surely_a_record(const Envelope& envelope) {
  constexpr std::array<std::string_view, 5> chain{"user", "assistant", "system", "progress", "attachment"};
  const auto type = envelope.body(Key::type);
  if (std::find(chain.begin(), chain.end(), type) != chain.end())
    return envelope.has(Key::uuid) && envelope.has(Key::session_id);
  if (type == "summary") return envelope.has(Key::leaf_uuid);
  if (type == "file-history-snapshot") return envelope.has(Key::message_id);
  return is_identifier(type) && envelope.has(Key::session_id);
}

}  // namespace

struct Decoder::Parsers {
  od::parser records;
  od::document document;
  simdjson::dom::parser strict;  // for what is found in damaged lines: On-Demand does not look at what it skips
};

Decoder::Decoder(const Source& source, Detail detail)
    : source_uid_(source.session_uid), detail_(detail), parsers_(std::make_unique<Parsers>()) {
  const auto path = parse_source_path(source.path);
  if (!path) return;
  is_meta_ = path->kind == SourceKind::agent_meta;
  is_flat_agent_ = path->kind == SourceKind::flat_agent;
  stem_ = path->stem;
  const bool workflow = path->kind == SourceKind::workflow_agent || path->kind == SourceKind::workflow_journal;
  if (path->kind != SourceKind::main) kind_ = workflow ? SessionKind::workflow : SessionKind::subagent;
  const auto parts = split_session_uid(source_uid_);
  if (parts && kind_ != SessionKind::main)
    parent_uid_ = make_session_uid(Platform::claude_code, native_parent_id(*path, parts->native_id));
}

Decoder::~Decoder() = default;

bool Decoder::open_object(std::string_view json) const {
  auto& document = parsers_->document;
  if (parsers_->records.iterate(json.data(), json.size(), json.size() + kRecordPadding).get(document)) return false;
  od::object root;
  if (document.get_object().get(root)) return false;
  if (!collect(root, kEnvelopeTable, envelope_.tokens)) return false;
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;  // nothing behind the object
}

bool Decoder::is_complete(std::string_view bytes) const {
  return json::is_whole_record(bytes, [this](std::string_view json) { return open_object(json); });
}

void Decoder::decode(const RawRecord& record, EventBatch& out) {
  if (record.offset == 0) introduce_session(out);
  const std::uint64_t bytes = record.bytes.size() + (record.newline_follows ? 1 : 0);
  const auto first = record.bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    if (bytes > 0) out.cover("(blank)", Disposition::skipped, "blank", bytes);
    return;
  }
  const RawRef raw{record.offset, static_cast<std::uint32_t>(record.bytes.size()), 0};
  Found found;
  if (record.bytes[first] == '{' && open_object(record.bytes) && decode_open(raw, out, found)) {
    out.cover(found.type, found.verdict.disposition, found.verdict.reason, bytes);
    return;
  }
  if (is_lfs_line(record.bytes)) {
    out.cover("(git-lfs pointer)", Disposition::skipped, "git_lfs_pointer", bytes);
    if (record.bytes.starts_with("version "))
      out.diagnostics.push_back(
          {Platform::claude_code, DiagnosticType::not_a_transcript, Severity::error, {}, 0, record.offset});
    return;
  }
  recover(record, out);
}

bool Decoder::decode_open(RawRef raw, EventBatch& out, Found& found) {
  const auto events = out.events.size();
  const auto sessions = out.sessions.size();
  const auto diagnostics = out.diagnostics.size();

  const std::string record_uid = source_uid_.empty() ? session_of_record() : std::string();
  const auto type = envelope_.body(Key::type);
  found.type = ledger_type(type, is_meta_);
  RecordContext context(envelope_, source_uid_.empty() ? std::string_view(record_uid) : source_uid_, raw, detail_, out);
  context.own_session = kind_ != SessionKind::main;
  context.sidechain = context.sidechain || context.own_session;
  // Early versions wrote an agent's records into its parent's file.
  const std::string agent_id = context.sidechain && !context.own_session ? context.text(envelope_[Key::agent_id]) : "";
  if (is_identifier(agent_id)) {
    const std::string agent_uid = context.agent_uid(agent_id);
    RecordContext inner(envelope_, agent_uid, raw, detail_, out);
    inner.own_session = true;
    context.link_agent(agent_id, {});
    found.verdict = dispatch(inner, type);
    if (inner.lossy()) context.mark_lossy();
  } else {
    found.verdict = dispatch(context, type);
  }
  if (found.verdict.broken) {
    out.events.resize(events);
    out.sessions.resize(sessions);
    out.diagnostics.erase(out.diagnostics.begin() + static_cast<std::ptrdiff_t>(diagnostics), out.diagnostics.end());
    return false;
  }
  if (context.lossy()) context.diagnose(DiagnosticType::invalid_encoding);
  return true;
}

Verdict Decoder::dispatch(RecordContext& context, std::string_view type) {
  if (is_meta_) return read_agent_meta(context);
  if (!is_string(envelope_[Key::type])) {
    context.diagnose(envelope_[Key::type].empty() ? DiagnosticType::missing_field : DiagnosticType::wrong_field_type,
                     {"type"});
    return Verdict::unknown("unknown_type");
  }
  parsers_->document.rewind();
  od::object root;
  if (parsers_->document.get_object().get(root)) return Verdict::damaged();
  if (type == "assistant") return read_assistant(context, root);
  if (type == "user") return read_user(context, root);
  if (type == "progress") return read_progress(context, root);
  if (type == "system") return read_system(context, root);
  if (type == "attachment") return read_attachment(context, root);
  if (type == "queue-operation") return read_queue_operation(context);
  return read_side_record(context, type);
}

void Decoder::recover(const RawRecord& record, EventBatch& out) {
  std::vector<Found> found;
  std::size_t told = 0;
  const auto raw_of = [&](std::size_t begin, std::size_t length) {
    return RawRef{record.offset + begin, static_cast<std::uint32_t>(length), 0};
  };
  const auto take = [&](std::string_view slice, bool nested) {
    const auto begin = static_cast<std::size_t>(slice.data() - record.bytes.data());
    return take_slice(slice, nested, raw_of(begin, slice.size()), out, found);
  };
  recover_line(record.bytes, take, [&](const Piece& piece) {
    const bool last = piece.end == record.bytes.size();
    const std::uint64_t bytes = piece.end - piece.begin + (last && record.newline_follows ? 1 : 0);
    const bool whole_line = piece.begin == 0 && last;
    if (piece.record) {
      const Found& f = found[told++];
      out.cover(f.type, f.verdict.disposition, f.verdict.reason, bytes);
    } else {
      out.cover(kDamaged, Disposition::skipped, "damaged", bytes);
    }
    if (piece.record && whole_line) return;  // only its encoding was wrong, and that is told
    out.diagnostics.push_back({Platform::claude_code,
                               piece.record ? DiagnosticType::recovered_record : DiagnosticType::damaged_record,
                               Severity::warning,
                               {},
                               0,
                               record.offset + piece.begin});
  });
}

Slice Decoder::take_slice(std::string_view slice, bool nested, RawRef raw, EventBatch& out, std::vector<Found>& found) {
  bool replaced = false;
  std::string cleaned = cleaned_json(slice, replaced);
  const std::size_t size = cleaned.size();
  cleaned.resize(size + kRecordPadding, ' ');
  simdjson::dom::element strict;
  if (parsers_->strict.parse(cleaned.data(), size, false).get(strict)) return Slice::broken;
  if (!open_object({cleaned.data(), size})) return Slice::broken;
  if (nested && !surely_a_record(envelope_)) return Slice::not_record;
  Found record;
  if (!decode_open(raw, out, record)) return Slice::broken;
  if (replaced)
    out.diagnostics.push_back(
        {Platform::claude_code, DiagnosticType::invalid_encoding, Severity::warning, {}, 0, raw.offset});
  found.push_back(std::move(record));
  return Slice::record;
}

void Decoder::introduce_session(EventBatch& out) const {
  const auto parts = split_session_uid(source_uid_);
  if (!parts) return;
  SessionUpdate update;
  update.session_uid = source_uid_;
  update.platform = Platform::claude_code;
  update.native_id = parts->native_id;
  update.kind = kind_;
  update.parent_uid = parent_uid_;
  out.sessions.push_back(std::move(update));
}

std::string Decoder::session_of_record() const {
  const auto id = envelope_.body(Key::session_id);
  if (!is_identifier(id)) return make_session_uid(Platform::claude_code, stem_);
  return make_session_uid(Platform::claude_code, is_flat_agent_ ? std::string(id) + "/" + stem_ : std::string(id));
}

}  // namespace memd::claude_code
