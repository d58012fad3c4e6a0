#pragma once

#include "adapters/cursor/composer.hpp"
#include "adapters/snapshot_reader.hpp"
#include "adapters/sqlite/read_only_database.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::cursor {

// Reads the data that a workspace's own state.vscdb had before the global one existed: chat tabs up to 0.45,
// conversations up to late 2024, and the history of prompts. They are four rows of its ItemTable, read by key. One
// thread at a time; `files` must outlive it.
class WorkspaceStateReader : public SnapshotReader {
 public:
  WorkspaceStateReader(const FileView& files, std::string path);

  Result<Plan> plan(const std::string& mark) override;
  Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) override;
  Result<std::string> item(const std::string& session_key, const std::string& item_key) override;

 private:
  struct Record {
    std::string key;
    std::string json;  // JSON of the item
    std::uint64_t bytes = 0;
  };
  struct Talk {
    std::string id;
    std::string head;
    std::uint64_t head_bytes = 0;
    std::vector<Record> records;
  };
  enum Row : std::size_t { kTabs, kComposers, kPrompts, kGenerations, kRows };

  Result<void> load();
  void add_tabs();
  void add_composers();
  Result<void> add_prompts();
  Result<bool> has_conversations() const;
  void take(Row row, const Talk& talk);
  const Talk* find(const std::string& id) const;

  const FileView& files_;
  std::string path_;
  bool loaded_ = false;
  std::string folder_;
  std::array<std::string, kRows> values_;
  std::array<std::uint64_t, kRows> left_{};  // bytes of the rows that belong to no item
  std::vector<Talk> talks_;
  std::vector<CoverageEntry> rest_;
  std::uint64_t size_ = 0;
};

}  // namespace memd::cursor
