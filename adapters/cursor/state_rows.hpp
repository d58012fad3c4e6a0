#pragma once

#include "adapters/cursor/composer.hpp"
#include "adapters/sqlite/read_only_database.hpp"
#include "schemas/base/result.hpp"
#include "schemas/event_batch.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace memd::cursor {

inline constexpr std::string_view kComposerKey = "composerData:";
inline constexpr std::string_view kBubbleKey = "bubbleId:";
inline constexpr std::string_view kBlobKey = "agentKv:blob:";

// A composer with the rows of its messages.
struct Conversation {
  std::string id;
  std::string value;  // value of its composerData row
  Composer composer;
  bool from_blobs = false;         // the entries are messages of the agent back end
  std::vector<std::int64_t> rows;  // rowid of each entry; 0: it is inside the value, or has no row (any more)
  bool has_entry(std::size_t i) const { return rows[i] != 0 || composer.entries[i].is_inline(); }
  bool is_empty() const;
  // Returns the key of the row of an entry that has one.
  std::string row_key(std::size_t i) const;
};

// Data on a composer from the catalogue of late builds (table composerHeaders).
struct CatalogueEntry {
  std::string workspace;  // hash of the workspace
  std::string folder;
  std::string agent_name;
  bool archived = false;
  bool subagent = false;
};

// Access to the key-value tables of Cursor's global state. Each call runs one or two short statements. Owns the
// database; one thread at a time.
class StateRows {
 public:
  static Result<std::unique_ptr<StateRows>> open(const FileView& files, const std::string& path);

  const sqlite::ReadOnlyDatabase& database() const { return *database_; }
  bool has_rows() const { return has_rows_; }  // whether cursorDiskKV exists

  struct Row {
    std::int64_t rowid = 0;
    std::string key;
    bool is_null_key = false;
  };
  Result<std::int64_t> schema_version() const;
  Result<Row> last_row() const;                                        // the row with the greatest rowid; rowid 0: none
  Result<std::int64_t> rowid_of(std::string_view key) const;           // 0: none
  Result<std::vector<Row>> from(std::int64_t rowid, int limit) const;  // in rowid order, starting with the given one
  Result<std::vector<std::string>> keys_under(std::string_view prefix, const std::string& after, int limit) const;

  // Return the value of a row. nullopt: no such row, or its value is NULL.
  Result<std::optional<std::string>> value(std::string_view key) const;
  Result<std::optional<std::string>> value(std::int64_t rowid) const;

  enum class Missing : std::uint8_t { no, no_row, null, damaged };
  struct Found {
    Conversation conversation;
    std::int64_t rowid = 0;
    Missing missing = Missing::no;
  };
  Result<Found> conversation(const std::string& id) const;
  Result<CatalogueEntry> catalogue_entry(const std::string& id) const;

 private:
  explicit StateRows(std::unique_ptr<sqlite::ReadOnlyDatabase> database) : database_(std::move(database)) {}
  Result<void> find_rows(Conversation& conversation) const;

  std::unique_ptr<sqlite::ReadOnlyDatabase> database_;
  bool has_rows_ = false;
  bool has_catalogue_ = false;
};

// Returns the kind of row that a key denotes: "bubbleId:…" → "bubbleId", "agentKv:blob:…" → "agentKv:blob".
std::string key_class(std::string_view key);

// Accounts for each row of a state database: it is an item of a session, or is counted in the rest with a reason.
// Measures values without reading them. `rows` must outlive it. One thread at a time.
class RowLedger {
 public:
  explicit RowLedger(const StateRows& rows) : rows_(rows) {}

  // Registers a composer; call before count().
  void note(const StateRows::Found& composer);
  Result<void> count();

  std::vector<CoverageEntry> take_rest() { return std::move(rest_.coverage); }
  std::uint64_t size() const { return size_; }

 private:
  Result<void> count_rows();
  Result<void> count_table(const std::string& table);
  void add(std::string_view type, std::string_view reason, std::uint64_t bytes, std::uint64_t records = 1);

  const StateRows& rows_;
  std::unordered_set<std::int64_t> items_;                     // rows that are items or session heads
  std::unordered_map<std::int64_t, std::string_view> unused_;  // rows of composers that are neither, with the reason
  EventBatch rest_;
  std::uint64_t size_ = 0;
};

// Adds the rows of an ItemTable to a ledger, except those with the given keys.
Result<std::uint64_t> count_item_table(const sqlite::ReadOnlyDatabase& database,
                                       std::span<const std::string_view> except, EventBatch& rest);

}  // namespace memd::cursor
