#include "adapters/events_v1/events_adapter.hpp"

#include "adapters/events_v1/record_decoder.hpp"

#include <algorithm>
#include <utility>

namespace memd::events_v1 {
namespace {

// Reads events.v1 files, whoever wrote them. Has no roots but configured ones. Stateless, thread-safe.
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
  // Where the events of a source happened if they do not say. Empty: not known.
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
                    Capability::live_tail,          Capability::tool_calls};
  d.limitations = {
      "What a file leaves out (usage, directories, call ids) is not known.",
      "Sessions exported from another memd keep their own platform and count there.",
  };
  d.storage_locations = {"files given to memd import", "directories under platforms.imported.paths"};
  return d;
}

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
                    Capability::tool_calls};
  d.limitations = {
      "The logs stand inside repositories: name each repository under platforms.thunderus.paths.",
      "The format does not promise token usage, models or call ids; calls without an id stay without their result.",
      "Sessions that Thunderus wrote before events.v1 (.agent/sessions) are not read.",
  };
  d.storage_locations = {"<repository>/.thunderus/**/events.jsonl"};
  return d;
}

bool is_inside_log_directory(const std::filesystem::path& path) {
  return std::find(path.begin(), path.end(), kDirectory) != path.end();
}

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

const Adapter& imported_adapter() {
  static const ImportedAdapter instance;
  return instance;
}

const Adapter& thunderus_adapter() {
  static const ThunderusAdapter instance;
  return instance;
}

}  // namespace memd::events_v1
