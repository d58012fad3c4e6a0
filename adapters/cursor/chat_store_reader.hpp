#pragma once

#include "adapters/cursor/composer.hpp"
#include "adapters/snapshot_reader.hpp"
#include "adapters/sqlite/read_only_database.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memd::cursor {

// Reads a chat of cursor-agent as one session. store.db contains blobs named by their content. The root blob lists the
// messages of the current branch; other blobs are older branches. One thread at a time; `files` must outlive it.
class ChatStoreReader : public SnapshotReader {
 public:
  ChatStoreReader(const FileView& files, std::string path);

  Result<Plan> plan(const std::string& mark) override;
  Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) override;
  Result<std::string> item(const std::string& session_key, const std::string& item_key) override;

 private:
  struct Message {
    std::string key;
    std::string blob;
    std::uint64_t bytes = 0;
  };
  Result<void> load();
  Result<std::string> blob(const std::string& id) const;
  Result<std::string> find_folder() const;

  const FileView& files_;
  std::string path_;
  std::string native_;
  std::unique_ptr<sqlite::ReadOnlyDatabase> database_;
  std::string head_;
  std::uint64_t head_bytes_ = 0;
  std::vector<Message> messages_;
  std::vector<BubbleTime> times_;
  std::vector<CoverageEntry> rest_;
  std::uint64_t size_ = 0;
};

}  // namespace memd::cursor
