#include "adapters/events_v1/imported_adapter.hpp"

namespace memd::imported {
namespace {

AdapterDescription description() {
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

}  // namespace

ImportedAdapter::ImportedAdapter() : EventsAdapter(description()) {}

std::optional<SourceCandidate> ImportedAdapter::classify(const std::filesystem::path& root,
                                                         const std::filesystem::path& file) const {
  if (file != root && file.extension() != ".jsonl") return std::nullopt;
  return SourceCandidate{Platform::imported, file.string(), SourceFormat::jsonl};
}

const Adapter& adapter() {
  static const ImportedAdapter instance;
  return instance;
}

}  // namespace memd::imported
