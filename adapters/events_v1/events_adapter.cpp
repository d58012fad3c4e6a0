#include "adapters/events_v1/line_reader.hpp"
#include "adapters/json/log_decoder.hpp"
#include "adapters/registry.hpp"
#include "schemas/base/reflected_name.hpp"
#include "schemas/base/time.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::events_v1 {
namespace {

MEMD_KEYS(LineKeys, v, id, ts, session_id, actor, kind, refs, body);
MEMD_KEYS(RefKeys, paths, patch_id, snapshot_id);

bool has_control_bytes(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

// Decodes the lines of an events.v1 file (schemas/json/events.v1.schema.json). A line may name any session.
//   * A line that violates the schema in a required field (v, id, ts, session_id, actor, kind, body) is skipped with a
//     diagnostic for each field. Other violations are reported and the event is kept.
//   * A `v` other than 1 is unknown. Events made by memd's assembler (body.derived_from) are skipped: it makes them
//     again.
//   * Event id: body.event_id, else the record_key of session and line id, since ids need to be unique within a session
//     only.
// One thread at a time.
class Decoder final : public KeyedDecoder<LineKeys> {
 public:
  // `default_cwd`: working directory of events that name none; may be empty. Strict, because a body may contain
  // anything.
  Decoder(Platform platform, std::string default_cwd, Detail detail = Detail::stored)
      : KeyedDecoder(platform, {}, detail, {.strict = true, .knows_lfs = false}),
        platform_(platform),
        default_cwd_(std::move(default_cwd)) {}

 protected:
  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override;
  bool surely_a_record() const override {
    return !keys_.v.empty() && !keys_.id.empty() && !keys_.session_id.empty() && !keys_.body.empty();
  }

 private:
  bool check_outer(Record& record, EventBatch& out) const;
  bool read_refs(od::object& root, Record& record, EventBatch& out) const;
  void tell(EventBatch& out, RawRef raw, DiagnosticType type, FieldName field) const;

  Platform platform_;
  std::string default_cwd_;
};

RecordOutcome Decoder::read(od::object& root, RawRef raw, EventBatch& out) {
  const auto kind = string_body(keys_.kind);
  const std::string_view type = reflect::enum_of<LineKind>(kind) ? kind : std::string_view("(other)");
  if (keys_.v.empty()) {
    tell(out, raw, DiagnosticType::missing_field, "v");
    return RecordOutcome::skipped(kSchemaViolation, type);
  }
  if (keys_.v != "1") {
    tell(out, raw, DiagnosticType::unknown_field_value, "v");
    return RecordOutcome::unknown("unknown_version", type);
  }
  Record record;
  record.platform = platform_;
  record.raw = raw;
  record.default_cwd = default_cwd_;
  if (!check_outer(record, out)) return RecordOutcome::skipped(kSchemaViolation, type);
  od::object body;
  if (!read_refs(root, record, out) || !seek_object(root, "body", body)) return RecordOutcome::damaged();
  RecordOutcome outcome = LineReader(record, detail_, out).read(body);
  outcome.type = type;
  return outcome;
}

bool Decoder::check_outer(Record& record, EventBatch& out) const {
  TextReader reader;
  bool good = true;
  const auto refuse = [&](std::string_view token, FieldName name, bool right_type) {
    good = false;
    const auto type = !has_value(token) ? DiagnosticType::missing_field
                      : right_type      ? DiagnosticType::unknown_field_value
                                        : DiagnosticType::wrong_field_type;
    tell(out, record.raw, type, name);
  };
  const std::string id = reader.text(keys_.id);
  if (id.empty()) refuse(keys_.id, "id", is_string(keys_.id));
  const auto time = parse_rfc3339(string_body(keys_.ts));
  if (!time) refuse(keys_.ts, "ts", is_string(keys_.ts));
  const std::string session = reader.text(keys_.session_id, kMaxSessionId + 1);
  if (session.empty() || session.size() > kMaxSessionId || has_control_bytes(session))
    refuse(keys_.session_id, "session_id", is_string(keys_.session_id));
  const auto actor = reflect::enum_of<Actor>(string_body(keys_.actor));
  if (!actor) refuse(keys_.actor, "actor", is_string(keys_.actor));
  const auto kind = reflect::enum_of<LineKind>(string_body(keys_.kind));
  if (!kind) refuse(keys_.kind, "kind", is_string(keys_.kind));
  if (!keys_.body.starts_with('{')) refuse(keys_.body, "body", false);
  if (!good) return false;
  record.session_uid = session_uid_of(platform_, session);
  record.key = record_key(platform_, record.session_uid + "\n" + id);
  record.time = *time;
  record.actor = *actor;
  record.kind = *kind;
  return true;
}

bool Decoder::read_refs(od::object& root, Record& record, EventBatch& out) const {
  if (!has_value(keys_.refs)) return true;
  od::object refs;
  if (!keys_.refs.starts_with('{')) {
    tell(out, record.raw, DiagnosticType::wrong_field_type, "refs");
    return true;
  }
  RefKeys keys;
  if (!seek_object(root, "refs", refs) || !collect(refs, keys)) return false;
  TextReader reader;
  record.patch_id = reader.text(keys.patch_id);
  record.snapshot_id = reader.text(keys.snapshot_id);
  if (!has_value(keys.paths)) return true;
  od::value value;
  od::array paths;
  if (!keys.paths.starts_with('[') || !seek(refs, "paths", value) || value.get_array().get(paths)) {
    tell(out, record.raw, DiagnosticType::wrong_field_type, "refs.paths");
    return true;
  }
  return for_each_element(paths, [&](od::value& element, std::size_t) {
    const auto token = token_of(element);
    if (is_string(token) && token.size() > 2)
      record.paths.push_back(reader.text(token));
    else
      tell(out, record.raw, DiagnosticType::wrong_field_type, "refs.paths");
  });
}

void Decoder::tell(EventBatch& out, RawRef raw, DiagnosticType type, FieldName field) const {
  out.diagnostics.push_back({platform_, type, Severity::warning, {field}, 0, raw.offset});
}

// Reads events.v1 files of any tool. Has only configured roots. Stateless, thread-safe.
class EventsAdapter : public Adapter {
 public:
  explicit EventsAdapter(AdapterDescription description) : description_(std::move(description)) {}

  const AdapterDescription& describe() const override { return description_; }
  std::vector<std::filesystem::path> roots(const HomeLayout& home) const override { return home.override_roots; }
  // Each line names its session.
  std::string session_uid(const SourceCandidate&, std::string_view) const override { return {}; }

  std::unique_ptr<RecordDecoder> open(const Source& source) const override {
    return std::make_unique<Decoder>(description_.platform, directory_of(source.path));
  }

  std::optional<std::string> event_text(std::string_view record, EventKind kind, std::uint16_t block) const override {
    Decoder decoder(description_.platform, {}, json::Detail::full);
    EventBatch batch;
    decoder.decode({record, 0, false}, batch);
    return take_text(batch, kind, block);
  }

 protected:
  // Returns the working directory of events that name none. Empty: unknown.
  virtual std::string directory_of(const std::filesystem::path& source) const {
    (void)source;
    return {};
  }

 private:
  AdapterDescription description_;
};

AdapterDescription imported_description() {
  AdapterDescription d;
  d.platform = Platform::imported;
  d.adapter_version = "1.0.0";
  d.data_completeness = DataCompleteness::partial;
  d.capabilities = {Capability::semantic_search,    Capability::temporal_query, Capability::session_summary,
                    Capability::exchange_retrieval, Capability::token_metrics,  Capability::file_context,
                    Capability::live_tail,          Capability::tool_calls,     Capability::cost,
                    Capability::session_stop,       Capability::git_branch};
  d.limitations = {
      "Information missing from a file (usage, directories, call ids) is unknown.",
      "Sessions exported from another memd keep their platform and count there.",
  };
  d.storage_locations = {"files given to memd import", "directories under platforms.imported.paths"};
  return d;
}

// Adapter for events from other tools and machines: files given to `memd import`, and *.jsonl below the configured
// directories (platforms.imported.paths), which are followed as they grow.
class ImportedAdapter final : public EventsAdapter {
 public:
  ImportedAdapter() : EventsAdapter(imported_description()) {}

  std::optional<SourceCandidate> classify(const std::filesystem::path& root,
                                          const std::filesystem::path& file) const override {
    if (file != root && file.extension() != ".jsonl") return std::nullopt;
    return SourceCandidate{Platform::imported, file.string(), SourceFormat::jsonl};
  }
};

constexpr std::string_view kDirectory = ".thunderus";
constexpr std::string_view kLog = "events.jsonl";

AdapterDescription thunderus_description() {
  AdapterDescription d;
  d.platform = Platform::thunderus;
  d.adapter_version = "1.0.0";
  d.data_completeness = DataCompleteness::partial;
  d.capabilities = {Capability::semantic_search,    Capability::temporal_query, Capability::session_summary,
                    Capability::exchange_retrieval, Capability::file_context,   Capability::live_tail,
                    Capability::tool_calls,         Capability::git_branch};
  d.limitations = {
      "The logs are inside repositories: list each repository under platforms.thunderus.paths.",
      "The format guarantees no token usage, models or call ids; calls without an id have no result.",
      "Sessions written before events.v1 (.agent/sessions) are not read.",
  };
  d.storage_locations = {"<repository>/.thunderus/**/events.jsonl"};
  return d;
}

bool is_inside_log_directory(const std::filesystem::path& path) {
  return std::find(path.begin(), path.end(), kDirectory) != path.end();
}

// Adapter for Thunderus, which keeps an event log in each repository: <repository>/.thunderus/**/events.jsonl. The
// configuration names the repositories (platforms.thunderus.paths): a repository, its .thunderus directory, or a log
// itself.
class ThunderusAdapter final : public EventsAdapter {
 public:
  ThunderusAdapter() : EventsAdapter(thunderus_description()) {}

  std::optional<SourceCandidate> classify(const std::filesystem::path& root,
                                          const std::filesystem::path& file) const override {
    if (file.filename() != kLog) return std::nullopt;
    if (file != root && !is_inside_log_directory(file.parent_path())) return std::nullopt;
    return SourceCandidate{Platform::thunderus, file.string(), SourceFormat::jsonl};
  }

  bool looks_into(const std::filesystem::path& root, const std::filesystem::path& directory) const override {
    return directory == root || is_inside_log_directory(directory);
  }

 protected:
  std::string directory_of(const std::filesystem::path& source) const override {
    std::filesystem::path repository;
    for (const auto& part : source) {
      if (part == kDirectory) return repository.string();
      repository /= part;
    }
    return {};
  }
};

}  // namespace

}  // namespace memd::events_v1

MEMD_ADAPTER(imported, events_v1::ImportedAdapter())

MEMD_ADAPTER(thunderus, events_v1::ThunderusAdapter())
