#include "adapters/events_v1/record_decoder.hpp"

#include "adapters/events_v1/record.hpp"
#include "adapters/json/recovery.hpp"
#include "adapters/json/whole_record.hpp"
#include "schemas/time.hpp"

#include <algorithm>
#include <initializer_list>

namespace memd::events_v1 {
namespace {

static_assert(simdjson::SIMDJSON_PADDING <= kRecordPadding);

enum : std::size_t { kV, kId, kTs, kSession, kActor, kKind, kRefs, kBody, kTopKeys };
constexpr KeyTable<kTopKeys> kTopTable{{"v", "id", "ts", "session_id", "actor", "kind", "refs", "body"}};

enum : std::size_t { kPaths, kPatchId, kSnapshotId, kRefKeys };
constexpr KeyTable<kRefKeys> kRefTable{{"paths", "patch_id", "snapshot_id"}};

constexpr std::string_view kDamaged = "(damaged)";

bool has_control_bytes(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

}  // namespace

struct Decoder::State {
  struct Found {
    std::string type;
    Verdict verdict;
  };

  State(Platform p, std::string_view cwd, Detail d) : platform(p), default_cwd(cwd), detail(d) {}

  // Whether `json` is one object and nothing else; fills `top`. Strictly: On-Demand does not look at what it skips, and
  // a body may hold anything.
  bool open_object(std::string_view json) {
    simdjson::dom::element whole;
    if (strict.parse(json.data(), json.size(), false).get(whole)) return false;
    if (records.iterate(json.data(), json.size(), json.size() + kRecordPadding).get(document)) return false;
    od::object root;
    if (document.get_object().get(root)) return false;
    return collect(root, kTopTable, top) && document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  }

  // False, with `out` as before, when the inside of the open object is broken.
  bool decode_open(RawRef raw, EventBatch& out, Found& found) {
    const auto events = out.events.size();
    const auto sessions = out.sessions.size();
    const auto diagnostics = out.diagnostics.size();
    const auto kind = string_body(top[kKind]);
    found.type = parse_name<LineKind>(kLineKindNames, kind) ? kind : std::string_view("(other)");
    found.verdict = read_line(raw, out);
    if (!found.verdict.broken) return true;
    out.events.resize(events);
    out.sessions.resize(sessions);
    out.diagnostics.erase(out.diagnostics.begin() + static_cast<std::ptrdiff_t>(diagnostics), out.diagnostics.end());
    return false;
  }

  Verdict read_line(RawRef raw, EventBatch& out) {
    if (top[kV] != "1") {
      tell(out, raw, top[kV].empty() ? DiagnosticType::missing_field : DiagnosticType::unknown_field_value, "v");
      return {false, top[kV].empty() ? Disposition::skipped : Disposition::unknown,
              top[kV].empty() ? kSchemaViolation : "unknown_version"};
    }
    Record record;
    record.platform = platform;
    record.raw = raw;
    record.default_cwd = default_cwd;
    if (!check_outer(record, raw, out)) return {false, Disposition::skipped, kSchemaViolation};
    document.rewind();
    od::object root;
    if (document.get_object().get(root)) return {true, Disposition::skipped, "damaged"};
    if (!read_refs(root, record, out)) return {true, Disposition::skipped, "damaged"};
    od::object body;
    if (!seek_object(root, "body", body)) return {true, Disposition::skipped, "damaged"};
    LineReader reader(record, detail, out);
    return reader.read(body);
  }

  bool check_outer(Record& record, RawRef raw, EventBatch& out) {
    TextReader reader;
    bool good = true;
    const auto refuse = [&](std::size_t field, FieldName name, bool right_type) {
      good = false;
      const auto type = top[field].empty() || top[field] == "null" ? DiagnosticType::missing_field
                        : right_type                               ? DiagnosticType::unknown_field_value
                                                                   : DiagnosticType::wrong_field_type;
      tell(out, raw, type, name);
    };
    const std::string id = reader.text(top[kId]);
    if (id.empty()) refuse(kId, "id", is_string(top[kId]));
    const auto time = parse_rfc3339(string_body(top[kTs]));
    if (!time) refuse(kTs, "ts", is_string(top[kTs]));
    const std::string session = reader.text(top[kSession], kMaxSessionId + 1);
    if (session.empty() || session.size() > kMaxSessionId || has_control_bytes(session))
      refuse(kSession, "session_id", is_string(top[kSession]));
    const auto actor = parse_name<Actor>(kActorNames, string_body(top[kActor]));
    if (!actor) refuse(kActor, "actor", is_string(top[kActor]));
    const auto kind = parse_name<LineKind>(kLineKindNames, string_body(top[kKind]));
    if (!kind) refuse(kKind, "kind", is_string(top[kKind]));
    if (!top[kBody].starts_with('{')) refuse(kBody, "body", false);
    if (!good) return false;
    record.session_uid = session_uid_of(platform, session);
    record.key = record_key(platform, record.session_uid + "\n" + id);
    record.time = *time;
    record.actor = *actor;
    record.kind = *kind;
    return true;
  }

  bool read_refs(od::object& root, Record& record, EventBatch& out) {
    if (top[kRefs].empty() || top[kRefs] == "null") return true;
    od::object refs;
    if (!top[kRefs].starts_with('{')) {
      tell(out, record.raw, DiagnosticType::wrong_field_type, "refs");
      return true;
    }
    Tokens<kRefKeys> tokens;
    if (!seek_object(root, "refs", refs) || !collect(refs, kRefTable, tokens)) return false;
    TextReader reader;
    record.patch_id = reader.text(tokens[kPatchId]);
    record.snapshot_id = reader.text(tokens[kSnapshotId]);
    if (tokens[kPaths].empty() || tokens[kPaths] == "null") return true;
    od::value value;
    od::array paths;
    if (!tokens[kPaths].starts_with('[') || !seek(refs, "paths", value) || value.get_array().get(paths)) {
      tell(out, record.raw, DiagnosticType::wrong_field_type, "refs.paths");
      return true;
    }
    return for_each_element(paths, [&](od::value& element, std::size_t) {
      const auto token = token_of(element);
      if (is_string(token) && token.size() > 2)
        record.paths.push_back(reader.text(token));
      else
        tell(out, record.raw, DiagnosticType::wrong_field_type, "refs.paths");
      return true;
    });
  }

  Slice take_slice(std::string_view slice, bool nested, RawRef raw, EventBatch& out, std::vector<Found>& found) {
    bool replaced = false;
    std::string cleaned = cleaned_json(slice, replaced);
    const std::size_t size = cleaned.size();
    cleaned.resize(size + kRecordPadding, ' ');
    if (!open_object({cleaned.data(), size})) return Slice::broken;
    if (nested && (top[kV].empty() || top[kId].empty() || top[kSession].empty() || top[kBody].empty()))
      return Slice::not_record;
    Found record;
    if (!decode_open(raw, out, record)) return Slice::broken;
    if (replaced)
      out.diagnostics.push_back({platform, DiagnosticType::invalid_encoding, Severity::warning, {}, 0, raw.offset});
    found.push_back(std::move(record));
    return Slice::record;
  }

  void recover(const RawRecord& record, EventBatch& out) {
    std::vector<Found> found;
    std::size_t told = 0;
    const auto take = [&](std::string_view slice, bool nested) {
      const auto begin = static_cast<std::size_t>(slice.data() - record.bytes.data());
      const RawRef raw{record.offset + begin, static_cast<std::uint32_t>(slice.size()), 0};
      return take_slice(slice, nested, raw, out, found);
    };
    recover_line(record.bytes, take, [&](const Piece& piece) {
      const bool last = piece.end == record.bytes.size();
      const std::uint64_t bytes = piece.end - piece.begin + (last && record.newline_follows ? 1 : 0);
      if (piece.record) {
        const Found& f = found[told++];
        out.cover(f.type, f.verdict.disposition, f.verdict.reason, bytes);
        if (piece.begin == 0 && last) return;  // only its encoding was wrong, and that is told
      } else {
        out.cover(kDamaged, Disposition::skipped, "damaged", bytes);
      }
      out.diagnostics.push_back({platform,
                                 piece.record ? DiagnosticType::recovered_record : DiagnosticType::damaged_record,
                                 Severity::warning,
                                 {},
                                 0,
                                 record.offset + piece.begin});
    });
  }

  void tell(EventBatch& out, RawRef raw, DiagnosticType type, FieldName field) const {
    out.diagnostics.push_back({platform, type, Severity::warning, {field}, 0, raw.offset});
  }

  Platform platform;
  std::string_view default_cwd;
  Detail detail;
  od::parser records;
  od::document document;
  simdjson::dom::parser strict;  // for what is found in damaged lines: On-Demand does not look at what it skips
  Tokens<kTopKeys> top{};
};

Decoder::Decoder(Platform platform, std::string default_cwd, Detail detail)
    : platform_(platform),
      default_cwd_(std::move(default_cwd)),
      detail_(detail),
      state_(std::make_unique<State>(platform_, default_cwd_, detail_)) {}

Decoder::~Decoder() = default;

void Decoder::decode(const RawRecord& record, EventBatch& out) {
  const std::uint64_t bytes = record.bytes.size() + (record.newline_follows ? 1 : 0);
  const auto first = record.bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    if (bytes > 0) out.cover("(blank)", Disposition::skipped, "blank", bytes);
    return;
  }
  const RawRef raw{record.offset, static_cast<std::uint32_t>(record.bytes.size()), 0};
  State::Found found;
  if (record.bytes[first] == '{' && state_->open_object(record.bytes) && state_->decode_open(raw, out, found))
    out.cover(found.type, found.verdict.disposition, found.verdict.reason, bytes);
  else
    state_->recover(record, out);
}

bool Decoder::is_complete(std::string_view bytes) const {
  return json::is_whole_record(bytes, [this](std::string_view json) { return state_->open_object(json); });
}

}  // namespace memd::events_v1
