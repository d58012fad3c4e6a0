#include "adapters/events_v1/record_decoder.hpp"

#include "schemas/time.hpp"

#include <algorithm>
#include <utility>

namespace memd::events_v1 {
namespace {

enum : std::size_t { kPaths, kPatchId, kSnapshotId, kRefKeys };
constexpr KeyTable<kRefKeys> kRefTable{{"paths", "patch_id", "snapshot_id"}};

bool has_control_bytes(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

}  // namespace

// Strict, because a body may hold anything.
Decoder::Decoder(Platform platform, std::string default_cwd, Detail detail)
    : LogDecoder(platform, {.strict = true, .knows_lfs = false}),
      platform_(platform),
      default_cwd_(std::move(default_cwd)),
      detail_(detail) {}

bool Decoder::open(od::object& root) const { return collect(root, kTopTable, top_); }

bool Decoder::surely_a_record() const {
  return !top_[kV].empty() && !top_[kId].empty() && !top_[kSession].empty() && !top_[kBody].empty();
}

Fate Decoder::read(od::object& root, RawRef raw, EventBatch& out) {
  const auto kind = string_body(top_[kKind]);
  const std::string_view type = parse_name<LineKind>(kLineKindNames, kind) ? kind : std::string_view("(other)");
  if (top_[kV].empty()) {
    tell(out, raw, DiagnosticType::missing_field, "v");
    return Fate::skipped(kSchemaViolation, type);
  }
  if (top_[kV] != "1") {
    tell(out, raw, DiagnosticType::unknown_field_value, "v");
    return Fate::unknown("unknown_version", type);
  }
  Record record;
  record.platform = platform_;
  record.raw = raw;
  record.default_cwd = default_cwd_;
  if (!check_outer(record, out)) return Fate::skipped(kSchemaViolation, type);
  od::object body;
  if (!read_refs(root, record, out) || !seek_object(root, "body", body)) return Fate::damaged();
  Fate fate = LineReader(record, detail_, out).read(body);
  fate.type = type;
  return fate;
}

bool Decoder::check_outer(Record& record, EventBatch& out) const {
  TextReader reader;
  bool good = true;
  const auto refuse = [&](std::size_t field, FieldName name, bool right_type) {
    good = false;
    const auto type = top_[field].empty() || top_[field] == "null" ? DiagnosticType::missing_field
                      : right_type                                 ? DiagnosticType::unknown_field_value
                                                                   : DiagnosticType::wrong_field_type;
    tell(out, record.raw, type, name);
  };
  const std::string id = reader.text(top_[kId]);
  if (id.empty()) refuse(kId, "id", is_string(top_[kId]));
  const auto time = parse_rfc3339(string_body(top_[kTs]));
  if (!time) refuse(kTs, "ts", is_string(top_[kTs]));
  const std::string session = reader.text(top_[kSession], kMaxSessionId + 1);
  if (session.empty() || session.size() > kMaxSessionId || has_control_bytes(session))
    refuse(kSession, "session_id", is_string(top_[kSession]));
  const auto actor = parse_name<Actor>(kActorNames, string_body(top_[kActor]));
  if (!actor) refuse(kActor, "actor", is_string(top_[kActor]));
  const auto kind = parse_name<LineKind>(kLineKindNames, string_body(top_[kKind]));
  if (!kind) refuse(kKind, "kind", is_string(top_[kKind]));
  if (!top_[kBody].starts_with('{')) refuse(kBody, "body", false);
  if (!good) return false;
  record.session_uid = session_uid_of(platform_, session);
  record.key = record_key(platform_, record.session_uid + "\n" + id);
  record.time = *time;
  record.actor = *actor;
  record.kind = *kind;
  return true;
}

bool Decoder::read_refs(od::object& root, Record& record, EventBatch& out) const {
  if (top_[kRefs].empty() || top_[kRefs] == "null") return true;
  od::object refs;
  if (!top_[kRefs].starts_with('{')) {
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

void Decoder::tell(EventBatch& out, RawRef raw, DiagnosticType type, FieldName field) const {
  out.diagnostics.push_back({platform_, type, Severity::warning, {field}, 0, raw.offset});
}

}  // namespace memd::events_v1
