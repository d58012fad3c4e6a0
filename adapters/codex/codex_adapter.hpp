#pragma once

#include "adapters/adapter.hpp"

namespace memd::codex {

// OpenAI Codex (command line, editor extension, desktop app), from its first rollouts of 2025 on: JSON lines under
// $CODEX_HOME. The format is that of its public source (openai/codex, codex-rs/protocol and codex-rs/rollout), held
// against real rollouts in the tests. An overriding root is a CODEX_HOME, or a directory with rollouts below it.
// Stateless, thread-safe.
class CodexAdapter : public Adapter {
 public:
  const AdapterDescription& describe() const override;
  std::vector<std::filesystem::path> roots(const HomeLayout& home) const override;
  std::optional<SourceCandidate> classify(const std::filesystem::path& root,
                                          const std::filesystem::path& file) const override;
  bool looks_into(const std::filesystem::path& root, const std::filesystem::path& directory) const override;
  std::string session_uid(const SourceCandidate& source, std::string_view head) const override;
  std::unique_ptr<RecordDecoder> open(const Source& source) const override;
  std::optional<std::string> event_text(std::string_view record, EventKind kind, std::uint16_t block) const override;
};

const Adapter& adapter();

}  // namespace memd::codex
