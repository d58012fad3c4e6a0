#include "adapters/cursor/state_rows.hpp"

#include "adapters/cursor/file_uri.hpp"
#include "adapters/cursor/message_blobs.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace memd::cursor {

using sqlite::Query;

namespace {

// The smallest text that is greater than all that start with `prefix`.
std::string end_of(std::string_view prefix) {
  std::string end(prefix);
  end.back() = static_cast<char>(end.back() + 1);
  return end;
}

void read_workspace(std::string_view value, CatalogueEntry& entry) {
  using namespace json;  // NOLINT(google-build-using-namespace)
  std::string padded(value);
  padded.resize(value.size() + simdjson::SIMDJSON_PADDING, ' ');
  od::parser parser;
  od::document document;
  od::object root, workspace, uri;
  if (parser.iterate(padded.data(), value.size(), padded.size()).get(document) || document.get_object().get(root) ||
      !seek_object(root, "workspaceIdentifier", workspace))
    return;
  Tokens<1> ids;
  if (collect(workspace, KeyTable<1>{{"id"}}, ids) && entry.workspace.empty())
    append_unescaped(string_body(ids[0]), entry.workspace);
  Tokens<3> paths;
  if (!seek_object(workspace, "uri", uri) || !collect(uri, KeyTable<3>{{"external", "fsPath", "path"}}, paths)) return;
  for (const auto token : paths) {
    std::string text;
    append_unescaped(string_body(token), text);
    if (entry.folder.empty()) entry.folder = path_of_uri(text);
  }
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
  for (;;) {
    MEMD_TRY_ASSIGN(const bool row, query.step());
    if (!row) return rows;
    rows.push_back({query.integer(0), std::string(query.text(1)), query.is_null(1)});
  }
}

Result<std::vector<std::string>> StateRows::keys_under(std::string_view prefix, const std::string& after,
                                                       int limit) const {
  std::vector<std::string> keys;
  if (!has_rows_) return keys;
  MEMD_TRY_ASSIGN(Query query, database_->prepare("SELECT key FROM cursorDiskKV WHERE key > ?1 AND key < ?2 "
                                                  "ORDER BY key LIMIT ?3"));
  const std::string end = end_of(prefix);
  query.bind(1, after.empty() ? prefix : std::string_view(after)).bind(2, end).bind(3, limit);
  for (;;) {
    MEMD_TRY_ASSIGN(const bool row, query.step());
    if (!row) return keys;
    keys.emplace_back(query.text(0));
  }
}

Result<std::optional<std::string>> StateRows::value(std::string_view key) const {
  if (!has_rows_) return std::optional<std::string>();
  MEMD_TRY_ASSIGN(Query query, database_->prepare("SELECT value FROM cursorDiskKV WHERE key = ?1"));
  MEMD_TRY_ASSIGN(const bool row, query.bind(1, key).step());
  if (!row || query.is_null(0)) return std::optional<std::string>();
  return std::optional(std::string(query.text(0)));
}

Result<std::optional<std::string>> StateRows::value(std::int64_t rowid) const {
  MEMD_TRY_ASSIGN(Query query, database_->prepare("SELECT value FROM cursorDiskKV WHERE rowid = ?1"));
  MEMD_TRY_ASSIGN(const bool row, query.bind(1, rowid).step());
  if (!row || query.is_null(0)) return std::optional<std::string>();
  return std::optional(std::string(query.text(0)));
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

// One range of the index holds the rows of all bubbles.
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
    for (;;) {
      MEMD_TRY_ASSIGN(const bool row, query.step());
      if (!row) break;
      rowids.emplace(query.text(0).substr(prefix.size()), query.integer(1));
    }
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

}  // namespace memd::cursor
