#pragma once

#include "adapters/adapter.hpp"

namespace memd::grok {

// Grok Build, xAI's coding agent. Formats: update_log.hpp, session_reader.hpp. Stateless, thread-safe.
class GrokAdapter : public Adapter {
 public:
  const AdapterDescription& describe() const override;
  std::vector<std::filesystem::path> roots(const HomeLayout& home) const override;
  std::optional<SourceCandidate> classify(const std::filesystem::path& root,
                                          const std::filesystem::path& file) const override;
  bool looks_into(const std::filesystem::path& root, const std::filesystem::path& directory) const override;
  std::string session_uid(const SourceCandidate& source, std::string_view head) const override;
  std::unique_ptr<RecordDecoder> open(const Source& source) const override;
  std::unique_ptr<SnapshotReader> open_snapshot(const Source& source, const FileView& files) const override;
  std::optional<std::string> event_text(std::string_view record, EventKind kind, std::uint16_t block) const override;
};

const Adapter& adapter();

}  // namespace memd::grok
