#pragma once

#include "adapters/opencode/session_items.hpp"
#include "adapters/snapshot_reader.hpp"

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace memd::opencode {

// Reads a session of the versions before 1.2: its own file, which is the source, and a file for each message and each
// part. A message whose id is in an adjacent database was migrated and is left to DatabaseReader, and so is the
// session's own file once the database has the session. One thread at a time; `files` must outlive it.
class TreeReader : public SnapshotReader {
 public:
  TreeReader(const Program& program, const FileView& files, SourcePath path);

  Result<Plan> plan(const std::string& mark) override;
  Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) override;
  Result<std::string> item(const std::string& session_key, const std::string& item_key) override;

 private:
  struct MessageFiles {
    FileView::Entry message;
    std::vector<FileView::Entry> parts;
    std::uint64_t bytes() const;
  };
  Result<SessionRow> read_row() const;
  std::string message_file(const std::string& message_id) const;
  std::vector<FileView::Entry> part_files(const std::string& message_id) const;
  std::vector<MessageFiles> list_messages() const;
  struct Migrated {
    bool session = false;
    std::unordered_set<std::string> messages;
  };
  Result<Migrated> find_migrated() const;

  const Program program_;
  const FileView& files_;
  SourcePath path_;
  std::string storage_;
};

}  // namespace memd::opencode
