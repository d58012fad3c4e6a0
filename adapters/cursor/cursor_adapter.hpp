#pragma once

#include "adapters/adapter.hpp"
#include "adapters/cursor/workspace_folders.hpp"

namespace memd::cursor {

// Cursor, the IDE and cursor-agent. Thread-safe. Its sources are changed in place or have no ids and times of their
// own:
//   <User>/globalStorage/state.vscdb             conversations since 0.43
//   <User>/workspaceStorage/<hash>/state.vscdb   chat tabs and conversations before that, the prompt history
//   ~/.cursor/chats/<hash>/<uuid>/store.db       cursor-agent
//   ~/.cursor/projects/<slug>/agent-transcripts  transcripts without results, taken where nothing better is there
class CursorAdapter : public Adapter {
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

 private:
  // Remembers what the files said, to read them once. The answers would be the same without it.
  mutable WorkspaceFolders folders_;
};

const Adapter& adapter();

}  // namespace memd::cursor
