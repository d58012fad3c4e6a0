#pragma once

#include "adapters/adapter.hpp"

namespace memd::claude_code {

// Claude Code 1.0 … 2.1.x: JSON lines under <root>/projects. There is no public schema: what memd relies on is stated
// where it is read, and tests hold it against real transcripts. Stateless, thread-safe.
class ClaudeCodeAdapter : public Adapter {
 public:
  const AdapterDescription& describe() const override;
  std::vector<std::filesystem::path> roots(const HomeLayout& home) const override;
  std::optional<SourceCandidate> classify(const std::filesystem::path& root,
                                          const std::filesystem::path& file) const override;
  std::string session_uid(const SourceCandidate& source, std::string_view head) const override;
  std::unique_ptr<RecordDecoder> open(const Source& source) const override;
  std::optional<std::string> event_text(std::string_view record, EventKind kind, std::uint16_t block) const override;

  // The copy beside the transcript ("<session>/tool-results/<name>"), never the path the record itself names.
  std::optional<std::filesystem::path> moved_out_text(const Source& source, std::string_view record) const override;
};

const Adapter& adapter();

}  // namespace memd::claude_code
