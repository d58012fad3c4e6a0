#pragma once

#include "adapters/cursor/composer.hpp"
#include "adapters/cursor/places.hpp"
#include "adapters/cursor/state_rows.hpp"
#include "adapters/snapshot_reader.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memd::cursor {

// The stored state of a global state database, from which the next pass finds changes without reading all rows. The
// tables are declared ON CONFLICT REPLACE (CREATE TABLE cursorDiskKV, as VS Code makes it): a written row gets a new,
// greater rowid, so rows written since have greater rowids than the last one seen. A full pass follows a VACUUM (it
// raises the schema version and renumbers), a replaced file, or the loss of the last row. A row deleted, or written
// without a new rowid, is found only by a full pass (SnapshotReader::Plan::unsure); until then only active
// conversations are checked for such changes.
struct StateMark {
  std::string change;  // sqlite::change_mark
  std::int64_t schema_version = 0;
  std::int64_t last_rowid = 0;
  std::string last_key;            // key of the row with last_rowid
  std::int64_t counted_rowid = 0;  // last_rowid at the time all rows were counted
  std::uint64_t size = 0;          // size of all rows at that time
  bool checked = false;            // a full pass was made in this state
  // The most recently changed conversations: a build that updates rows in place would change them again.
  std::vector<std::string> active;

  std::string to_text() const;
  static std::optional<StateMark> parse(std::string_view text);
};

// Reads the conversations of <User>/globalStorage/state.vscdb. A composer is a session, its facts are the head, each
// bubble is an item. One thread at a time; `files` and `folders` must outlive it.
//
// If the mark of the last full pass is still valid, only some items are checked: those missing from the store, those
// written since, and the last few, because some builds update rows in place. The plan of such a pass is unsure.
class GlobalStateReader : public SnapshotReader {
 public:
  GlobalStateReader(const FileView& files, const Source& source, WorkspaceFolders& folders);

  Result<Plan> plan(const std::string& mark) override;
  Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) override;
  Result<std::string> item(const std::string& session_key, const std::string& item_key) override;

 private:
  struct Loaded {
    Conversation conversation;
    std::uint64_t head_bytes = 0;                     // bytes of the composer's row, without the bubbles inside
    std::unordered_map<std::string, std::size_t> at;  // entry index by id
    std::vector<std::optional<OwnTime>> own;          // times of the entries read so far
    std::vector<BubbleTime> times;                    // empty until first needed
    std::string head;                                 // JSON
  };

  Result<void> open();
  Result<bool> holds(const StateMark& before) const;  // whether the mark is still valid for the rows
  Result<std::int64_t> unchanged_below();             // rows with a smaller rowid are unchanged
  Result<std::optional<Plan>> changes(const StateMark& before, StateMark now);
  Result<Plan> everything(StateMark now);
  Result<bool> load(const std::string& id);  // loads into loaded_; false: there is no such conversation
  Result<std::optional<std::string>> entry_value(std::size_t i);
  Result<BubbleTime> time_of(std::size_t i);
  Result<std::string> head_json();

  const FileView& files_;
  std::string path_;
  WorkspaceFolders& folders_;
  bool folders_looked_at_ = false;
  std::unique_ptr<StateRows> rows_;
  std::optional<StateMark> mark_;
  std::optional<std::int64_t> unchanged_below_;
  std::optional<Loaded> loaded_;
};

}  // namespace memd::cursor
