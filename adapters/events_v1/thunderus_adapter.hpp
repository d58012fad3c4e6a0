#pragma once

#include "adapters/events_v1/events_adapter.hpp"

namespace memd::thunderus {

// Thunderus keeps an event log in each repository it works in: <repository>/.thunderus/**/events.jsonl, in the format
// events.v1. The repositories have to be named in the configuration (platforms.thunderus.paths): a repository, its
// .thunderus directory, or a log itself.
class ThunderusAdapter final : public events_v1::EventsAdapter {
 public:
  ThunderusAdapter();
  std::optional<SourceCandidate> classify(const std::filesystem::path& root,
                                          const std::filesystem::path& file) const override;
  bool looks_into(const std::filesystem::path& root, const std::filesystem::path& directory) const override;

 protected:
  std::string directory_of(const std::filesystem::path& source) const override;
};

const Adapter& adapter();

}  // namespace memd::thunderus
