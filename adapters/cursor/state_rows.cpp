#include "adapters/cursor/state_rows.hpp"

#include "adapters/cursor/composer.hpp"
#include "adapters/cursor/places.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/sqlite/read_only_database.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace memd::cursor {

using sqlite::Query;

namespace {

// Returns the smallest text greater than all texts that start with `prefix`.
std::string end_of(std::string_view prefix) {
  std::string end(prefix);
  end.back() = static_cast<char>(end.back() + 1);
  return end;
}

MEMD_KEYS(UriKeys, external, fsPath, path);

void read_workspace(std::string_view value, CatalogueEntry& entry) {
  using namespace json;  // NOLINT(google-build-using-namespace)
  InnerJson json;
  od::object workspace;
  UriKeys uri;
  if (!json.open(value) || !seek_object(json.root, "workspaceIdentifier", workspace)) return;
  od::value id;
  if (entry.workspace.empty() && seek(workspace, "id", id)) entry.workspace = unescaped(token_of(id));
  if (!collect_in(workspace, "uri", uri)) return;
  for (const auto token : {uri.external, uri.fsPath, uri.path})
    if (entry.folder.empty()) entry.folder = path_of_uri(unescaped(token));
}

}  // namespace

bool Conversation::is_empty() const {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (has_entry(i)) return false;
  return true;
}

std::string Conversation::row_key(std::size_t i) const {
  const std::string& entry = composer.entries[i].id;
  if (from_blobs) return std::string(kBlobKey) + entry;
  return std::string(kBubbleKey) + id + ":" + entry;
}

Result<std::unique_ptr<StateRows>> StateRows::open(const FileView& files, const std::string& path) {
  MEMD_TRY_ASSIGN(auto database, sqlite::ReadOnlyDatabase::open(files, path));
  std::unique_ptr<StateRows> rows(new StateRows(std::move(database)));
  MEMD_TRY_ASSIGN(rows->has_rows_, rows->database_->has_table("cursorDiskKV"));
  MEMD_TRY_ASSIGN(rows->has_catalogue_, rows->database_->has_table("composerHeaders"));
  return rows;
}

Result<std::int64_t> StateRows::schema_version() const {
  MEMD_TRY_ASSIGN(Query query, database_->prepare("PRAGMA schema_version"));
  MEMD_TRY_ASSIGN(const bool row, query.step());
  return row ? query.integer(0) : 0;
}

Result<StateRows::Row> StateRows::last_row() const {
  if (!has_rows_) return Row{};
  MEMD_TRY_ASSIGN(Query query, database_->prepare("SELECT rowid, key FROM cursorDiskKV ORDER BY rowid DESC LIMIT 1"));
  MEMD_TRY_ASSIGN(const bool row, query.step());
  if (!row) return Row{};
  return Row{query.integer(0), std::string(query.text(1)), query.is_null(1)};
}

Result<std::int64_t> StateRows::rowid_of(std::string_view key) const {
  if (!has_rows_) return 0;
  MEMD_TRY_ASSIGN(Query query, database_->prepare("SELECT rowid FROM cursorDiskKV WHERE key = ?1"));
  MEMD_TRY_ASSIGN(const bool row, query.bind(1, key).step());
  return row ? query.integer(0) : 0;
}

Result<std::vector<StateRows::Row>> StateRows::from(std::int64_t rowid, int limit) const {
  std::vector<Row> rows;
  if (!has_rows_) return rows;
  MEMD_TRY_ASSIGN(Query query, database_->prepare("SELECT rowid, key FROM cursorDiskKV WHERE rowid >= ?1 "
                                                  "ORDER BY rowid LIMIT ?2"));
  query.bind(1, rowid).bind(2, limit);
  MEMD_TRY(query.each([&] { rows.push_back({query.integer(0), std::string(query.text(1)), query.is_null(1)}); }));
  return rows;
}

Result<std::vector<std::string>> StateRows::keys_under(std::string_view prefix, const std::string& after,
                                                       int limit) const {
  std::vector<std::string> keys;
  if (!has_rows_) return keys;
  MEMD_TRY_ASSIGN(Query query, database_->prepare("SELECT key FROM cursorDiskKV WHERE key > ?1 AND key < ?2 "
                                                  "ORDER BY key LIMIT ?3"));
  const std::string end = end_of(prefix);
  query.bind(1, after.empty() ? prefix : std::string_view(after)).bind(2, end).bind(3, limit);
  MEMD_TRY(query.each([&] { keys.emplace_back(query.text(0)); }));
  return keys;
}

namespace {

// Returns the first column of the first row; nullopt: there is no row, or it is NULL.
Result<std::optional<std::string>> first_value(Query& query) {
  MEMD_TRY_ASSIGN(const bool row, query.step());
  if (!row || query.is_null(0)) return std::optional<std::string>();
  return std::optional(std::string(query.text(0)));
}

}  // namespace

Result<std::optional<std::string>> StateRows::value(std::string_view key) const {
  if (!has_rows_) return std::optional<std::string>();
  MEMD_TRY_ASSIGN(Query query, database_->prepare("SELECT value FROM cursorDiskKV WHERE key = ?1"));
  return first_value(query.bind(1, key));
}

Result<std::optional<std::string>> StateRows::value(std::int64_t rowid) const {
  if (!has_rows_) return std::optional<std::string>();
  MEMD_TRY_ASSIGN(Query query, database_->prepare("SELECT value FROM cursorDiskKV WHERE rowid = ?1"));
  return first_value(query.bind(1, rowid));
}

Result<StateRows::Found> StateRows::conversation(const std::string& id) const {
  Found found;
  Conversation& conversation = found.conversation;
  conversation.id = id;
  const std::string key = std::string(kComposerKey) + id;
  MEMD_TRY_ASSIGN(found.rowid, rowid_of(key));
  if (found.rowid == 0) {
    found.missing = Missing::no_row;
    return found;
  }
  MEMD_TRY_ASSIGN(auto text, value(found.rowid));
  if (!text) {
    found.missing = Missing::null;
    return found;
  }
  conversation.value = std::move(*text);
  auto composer = parse_composer(conversation.value);
  if (!composer) {
    found.missing = Missing::damaged;
    return found;
  }
  conversation.composer = std::move(*composer);
  MEMD_TRY(find_rows(conversation));
  return found;
}

// Finds the rows of all bubbles, which are one range of the index.
Result<void> StateRows::find_rows(Conversation& conversation) const {
  auto& entries = conversation.composer.entries;
  std::unordered_map<std::string, std::int64_t> rowids;
  const bool inline_only =
      std::all_of(entries.begin(), entries.end(), [](const Composer::Entry& e) { return e.is_inline(); });
  if (!inline_only) {
    MEMD_TRY_ASSIGN(Query query,
                    database_->prepare("SELECT key, rowid FROM cursorDiskKV WHERE key >= ?1 AND key < ?2"));
    const std::string prefix = std::string(kBubbleKey) + conversation.id + ":";
    const std::string end = end_of(prefix);
    query.bind(1, prefix).bind(2, end);
    MEMD_TRY(query.each([&] { rowids.emplace(query.text(0).substr(prefix.size()), query.integer(1)); }));
  }
  if (rowids.empty() && (entries.empty() || !inline_only)) {
    if (const auto ids = child_ids(decode_state(conversation.composer.state)); !ids.empty()) {
      entries.clear();
      conversation.from_blobs = true;
      for (const auto& blob : ids) {
        if (rowids.contains(blob)) continue;
        MEMD_TRY_ASSIGN(const std::int64_t rowid, rowid_of(std::string(kBlobKey) + blob));
        rowids.emplace(blob, rowid);
        entries.push_back({blob, false, 0, 0});
      }
    }
  }
  conversation.rows.assign(entries.size(), 0);
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (const auto it = rowids.find(entries[i].id); it != rowids.end() && !entries[i].is_inline())
      conversation.rows[i] = it->second;
  return {};
}

Result<CatalogueEntry> StateRows::catalogue_entry(const std::string& id) const {
  CatalogueEntry entry;
  if (!has_catalogue_) return entry;
  auto query = database_->prepare(
      "SELECT workspaceId, value, isArchived, isSubagent, subagentTypeName "
      "FROM composerHeaders WHERE composerId = ?1");
  if (!query) return entry;  // a build with other columns
  MEMD_TRY_ASSIGN(const bool row, query->bind(1, id).step());
  if (!row) return entry;
  entry.workspace = query->text(0);
  entry.archived = query->integer(2) != 0;
  entry.subagent = query->integer(3) != 0;
  entry.agent_name = query->text(4);
  read_workspace(query->text(1), entry);
  return entry;
}

using sqlite::ValueSize;

// The ledger of rows.

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
      if (!size && size.error().is(Errc::not_found)) continue;  // replaced meanwhile: it follows with a greater rowid
      if (!size) return size.error();
      const auto& value = *size;
      const std::uint64_t bytes = row.key.size() + value.value_or(0);
      const std::string type = row.is_null_key ? "(no key)" : key_class(row.key);
      if (const auto unused = unused_.find(row.rowid); unused != unused_.end())
        add("composerData", unused->second, bytes);
      else if (!value)
        add(type, "deleted", bytes);
      else if (items_.contains(row.rowid) || row.key.starts_with(kComposerKey))  // the latter: written since note()
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
                                       std::span<const std::string_view> except, EventBatch& rest) {
  MEMD_TRY_ASSIGN(Query query, database.prepare("SELECT rowid, key FROM ItemTable"));
  ValueSize sizes(database, "ItemTable", "value");
  std::uint64_t total = 0;
  MEMD_TRY(query.each([&]() -> Result<void> {
    const auto key = query.text(1);
    if (std::ranges::find(except, key) != except.end()) return {};
    MEMD_TRY_ASSIGN(const auto value, sizes.of(query.integer(0)));
    const std::uint64_t bytes = key.size() + value.value_or(0);
    const bool secret = key.starts_with("cursorAuth/") || key.starts_with("secret://");
    rest.cover(secret ? "ItemTable:credentials" : "ItemTable", Disposition::skipped,
               secret ? "never_read" : "editor_state", bytes);
    total += bytes;
    return {};
  }));
  return total;
}

// Counts the rows of a table unknown to this version.
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
  // A kind that disappeared must be listed.
  for (const char* reason :
       {"deleted", "damaged", "messages_missing", "unread_state", "draft_only", "no_messages", "editor_state"})
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
    MEMD_TRY(query.each([&] { tables.emplace_back(query.text(0)); }));
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
