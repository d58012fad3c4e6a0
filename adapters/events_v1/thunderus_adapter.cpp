#include "adapters/events_v1/thunderus_adapter.hpp"

#include <algorithm>

namespace memd::thunderus {
namespace {

constexpr std::string_view kDirectory = ".thunderus";
constexpr std::string_view kLog = "events.jsonl";

AdapterDescription description() {
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

}  // namespace

ThunderusAdapter::ThunderusAdapter() : EventsAdapter(description()) {}

std::optional<SourceCandidate> ThunderusAdapter::classify(const std::filesystem::path& root,
                                                          const std::filesystem::path& file) const {
  if (file.filename() != kLog) return std::nullopt;
  if (file != root && !is_inside_log_directory(file.parent_path())) return std::nullopt;
  return SourceCandidate{Platform::thunderus, file.string(), SourceFormat::jsonl};
}

bool ThunderusAdapter::looks_into(const std::filesystem::path& root, const std::filesystem::path& directory) const {
  return directory == root || is_inside_log_directory(directory);
}

std::string ThunderusAdapter::directory_of(const std::filesystem::path& source) const {
  std::filesystem::path repository;
  for (const auto& part : source) {
    if (part == kDirectory) return repository.string();
    repository /= part;
  }
  return {};
}

const Adapter& adapter() {
  static const ThunderusAdapter instance;
  return instance;
}

}  // namespace memd::thunderus
