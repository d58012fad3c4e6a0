#pragma once

#include "adapters/cursor/state_rows.hpp"
#include "schemas/event_batch.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace memd::cursor {

// What kind of row a key names: "bubbleId:…" → "bubbleId", "agentKv:blob:…" → "agentKv:blob".
std::string key_class(std::string_view key);

// Accounts for each row of a state database: it is an item of some session, or belongs to the rest, for a reason.
// Values are not read, only measured.
class RowLedger {
 public:
  explicit RowLedger(const StateRows& rows) : rows_(rows) {}

  // A composer, before the rows are counted.
  void note(const StateRows::Found& composer);
  Result<void> count();

  std::vector<CoverageEntry> take_rest() { return std::move(rest_.coverage); }
  std::uint64_t size() const { return size_; }

 private:
  Result<void> count_rows();
  Result<void> count_table(const std::string& table);
  void add(std::string_view type, std::string_view reason, std::uint64_t bytes, std::uint64_t records = 1);

  const StateRows& rows_;
  std::unordered_set<std::int64_t> items_;                     // rows that are items, or the head of a session
  std::unordered_map<std::int64_t, std::string_view> unused_;  // composers that are not, and why
  EventBatch rest_;
  std::uint64_t size_ = 0;
};

// Adds the rows of an ItemTable to a ledger, except those with the given keys.
Result<std::uint64_t> count_item_table(const sqlite::ReadOnlyDatabase& database,
                                       const std::unordered_set<std::string>& except, EventBatch& rest);

}  // namespace memd::cursor
