#pragma once

#include "adapters/cursor/bubble_times.hpp"
#include "adapters/cursor/state_mark.hpp"
#include "adapters/cursor/state_rows.hpp"
#include "adapters/cursor/workspace_folders.hpp"
#include "adapters/snapshot_reader.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace memd::cursor {

// Conversations of <User>/globalStorage/state.vscdb: a composer is a session, its facts the head, each bubble an item.
//
// A session key is the composer's id, or "<id>@<rowid>" when only rows from that one on can have changed. Items are
// read that are new or were written since, and the last few, in case a build updates rows in place.
class GlobalStateReader : public SnapshotReader {
 public:
  GlobalStateReader(const FileView& files, std::string path, WorkspaceFolders& folders);

  Result<Plan> plan(const std::string& mark) override;
  Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) override;
  Result<std::string> item(const std::string& session_key, const std::string& item_key) override;

 private:
  struct Loaded {
    Conversation conversation;
    std::uint64_t head_bytes = 0;                     // of the composer's row, without the bubbles inside
    std::unordered_map<std::string, std::size_t> at;  // entry by id
    std::vector<std::optional<OwnTime>> own;          // as far as they were read
    std::vector<BubbleTime> times;                    // empty until asked for
    std::string head;                                 // JSON
  };

  Result<void> open();
  Result<std::optional<Plan>> changes(const StateMark& before, StateMark now);
  Result<Plan> everything(StateMark now);
  Result<bool> load(const std::string& id);  // into loaded_; false: there is no such conversation
  Result<std::optional<std::string>> entry_value(std::size_t i);
  Result<BubbleTime> time_of(std::size_t i);
  Result<std::string> head_json();

  const FileView& files_;
  std::string path_;
  WorkspaceFolders& folders_;
  bool folders_looked_at_ = false;
  std::unique_ptr<StateRows> rows_;
  std::optional<Loaded> loaded_;
};

}  // namespace memd::cursor
