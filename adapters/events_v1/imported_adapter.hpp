#pragma once

#include "adapters/events_v1/events_adapter.hpp"

namespace memd::imported {

// Events that other tools and other machines hand over: files given to `memd import`, and *.jsonl below directories
// named in the configuration (platforms.imported.paths), which are followed as they grow.
class ImportedAdapter final : public events_v1::EventsAdapter {
 public:
  ImportedAdapter();
  std::optional<SourceCandidate> classify(const std::filesystem::path& root,
                                          const std::filesystem::path& file) const override;
};

const Adapter& adapter();

}  // namespace memd::imported
