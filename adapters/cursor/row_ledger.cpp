#include "adapters/cursor/row_ledger.hpp"

#include "adapters/sqlite/value_size.hpp"
#include "schemas/ascii.hpp"

#include <algorithm>

namespace memd::cursor {

using sqlite::Query;
using sqlite::ValueSize;

namespace {

constexpr int kRowLedgerRowsAtOnce = 500;
constexpr std::size_t kLongestClass = 40;

bool is_plain(std::string_view text) {
  return !text.empty() && text.size() <= kLongestClass && std::all_of(text.begin(), text.end(), [](char c) {
    return ascii::is_letter(c) || c == '.' || c == '_' || c == ':';
  });
}

}  // namespace

std::string key_class(std::string_view key) {
  std::size_t end = key.find_first_of(":-");
  if (key.starts_with("agentKv:")) end = key.find(':', end + 1);
  if (key.starts_with("composer.content.")) end = std::string_view("composer.content").size();
  const auto name = key.substr(0, std::min(end, key.size()));
  return std::string(is_plain(name) ? name : "(other key)");
}

void RowLedger::add(std::string_view type, std::string_view reason, std::uint64_t bytes, std::uint64_t records) {
  rest_.cover(type, Disposition::skipped, reason, bytes, records);
  size_ += bytes;
}

void RowLedger::note(const StateRows::Found& composer) {
  using Missing = StateRows::Missing;
  const Conversation& conversation = composer.conversation;
  if (composer.missing != Missing::no) {
    unused_.emplace(composer.rowid, composer.missing == Missing::null ? "deleted" : "damaged");
    return;
  }
  if (conversation.is_empty()) {
    const bool lost = !conversation.composer.entries.empty();
    const bool in_state = !lost && conversation.composer.state.size() > 1;
    unused_.emplace(composer.rowid, lost                              ? "messages_missing"
                                    : in_state                        ? "unread_state"
                                    : conversation.composer.has_draft ? "draft_only"
                                                                      : "no_messages");
    return;
  }
  items_.insert(composer.rowid);
  for (const std::int64_t row : conversation.rows)
    if (row != 0) items_.insert(row);
}

Result<void> RowLedger::count_rows() {
  for (std::int64_t next = std::numeric_limits<std::int64_t>::min();;) {
    MEMD_TRY_ASSIGN(const auto rows, rows_.from(next, kRowLedgerRowsAtOnce));
    ValueSize sizes(rows_.database(), "cursorDiskKV", "value");
    for (const auto& row : rows) {
      const auto size = sizes.of(row.rowid);
      if (!size && size.error().is(Errc::not_found)) continue;  // replaced meanwhile: it comes again, further on
      if (!size) return size.error();
      const auto& value = *size;
      const std::uint64_t bytes = row.key.size() + value.value_or(0);
      const std::string type = row.is_null_key ? "(no key)" : key_class(row.key);
      if (const auto unused = unused_.find(row.rowid); unused != unused_.end())
        add("composerData", unused->second, bytes);
      else if (!value)
        add(type, "deleted", bytes);
      else if (items_.contains(row.rowid))
        size_ += bytes;
      else if (row.key.starts_with(kBubbleKey))
        add(type, "orphan", bytes);
      else
        add(type, row.key.starts_with(kBlobKey) ? "model_side" : "editor_state", bytes);
    }
    if (rows.size() < static_cast<std::size_t>(kRowLedgerRowsAtOnce)) return {};
    next = rows.back().rowid + 1;
  }
}

Result<std::uint64_t> count_item_table(const sqlite::ReadOnlyDatabase& database,
                                       const std::unordered_set<std::string>& except, EventBatch& rest) {
  MEMD_TRY_ASSIGN(Query query, database.prepare("SELECT rowid, key FROM ItemTable"));
  ValueSize sizes(database, "ItemTable", "value");
  std::uint64_t total = 0;
  for (;;) {
    MEMD_TRY_ASSIGN(const bool row, query.step());
    if (!row) return total;
    const auto key = query.text(1);
    if (except.contains(std::string(key))) continue;
    MEMD_TRY_ASSIGN(const auto value, sizes.of(query.integer(0)));
    const std::uint64_t bytes = key.size() + value.value_or(0);
    const bool secret = key.starts_with("cursorAuth/") || key.starts_with("secret://");
    rest.cover(secret ? "ItemTable:credentials" : "ItemTable", Disposition::skipped,
               secret ? "never_read" : "editor_state", bytes);
    total += bytes;
  }
}

// A table nobody knew when this was written: how many rows it has.
Result<void> RowLedger::count_table(const std::string& table) {
  auto query = rows_.database().prepare("SELECT count(*) FROM \"" + table + "\"");
  if (!query) return {};
  MEMD_TRY_ASSIGN(const bool row, query->step());
  if (row && query->integer(0) > 0)
    rest_.cover("table:" + table, Disposition::unknown, "unknown_table", 0,
                static_cast<std::uint64_t>(query->integer(0)));
  return {};
}

Result<void> RowLedger::count() {
  // A kind that is there no more has to be said to be.
  for (const char* reason : {"deleted", "damaged", "messages_missing", "unread_state", "draft_only", "no_messages"})
    add("composerData", reason, 0, 0);
  for (const char* reason : {"deleted", "orphan"})
    add("bubbleId", reason, 0, 0);
  for (const char* type : {"messageRequestContext", "checkpointId", "codeBlockDiff", "codeBlockPartialInlineDiffFates",
                           "inlineDiffs", "inlineDiffUndoRedo", "composer.content", "ofsContent", "agentKv:checkpoint"})
    add(type, "editor_state", 0, 0);
  add("agentKv:blob", "model_side", 0, 0);
  if (rows_.has_rows()) MEMD_TRY(count_rows());
  std::vector<std::string> tables;
  {
    MEMD_TRY_ASSIGN(Query query, rows_.database().prepare("SELECT name FROM sqlite_schema WHERE type = 'table'"));
    for (;;) {
      MEMD_TRY_ASSIGN(const bool row, query.step());
      if (!row) break;
      tables.emplace_back(query.text(0));
    }
  }
  for (const auto& table : tables) {
    if (table == "ItemTable") {
      MEMD_TRY_ASSIGN(const std::uint64_t bytes, count_item_table(rows_.database(), {}, rest_));
      size_ += bytes;
    } else if (table == "composerHeaders") {
      MEMD_TRY_ASSIGN(Query query, rows_.database().prepare("SELECT count(*), sum(length(CAST(value AS BLOB)) + "
                                                            "length(CAST(composerId AS BLOB))) FROM composerHeaders"));
      MEMD_TRY_ASSIGN(const bool row, query.step());
      if (row && query.integer(0) > 0) {
        const auto bytes = static_cast<std::uint64_t>(query.integer(1));
        rest_.cover(table, Disposition::indexed, "", bytes, static_cast<std::uint64_t>(query.integer(0)));
        size_ += bytes;
      }
    } else if (table != "cursorDiskKV" && is_plain(table) && !table.starts_with("sqlite_")) {
      MEMD_TRY(count_table(table));
    }
  }
  return {};
}

}  // namespace memd::cursor
