#include "adapters/opencode/database_reader.hpp"

#include "adapters/opencode/database_changes.hpp"
#include "adapters/sqlite/read_only_database.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <limits>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace memd::opencode {
namespace {

constexpr std::string_view kHeadKey = "(session)";
constexpr std::size_t kFullCheckLimit = 256;  // sessions with at most this many messages are checked whole
constexpr std::size_t kTailCheckCount = 128;  // minimum number of newest messages checked in longer sessions

std::uint64_t version_of(std::string_view id, std::int64_t updated, std::uint64_t seed) {
  return hash64(id, hash_combine(seed, static_cast<std::uint64_t>(updated)));
}

// Adds the parts of the item's message to its version and its bytes.
Result<void> add_parts(sqlite::Query& parts, const RevertPoint& revert, SnapshotReader::Item& item) {
  parts.bind(1, item.key);
  return parts.each([&] {
    if (revert.hides_part(item.key, parts.text(0))) return;
    item.version = version_of(parts.text(0), parts.integer(1), item.version);
    item.ledger_bytes += parts.text(0).size() + static_cast<std::uint64_t>(parts.integer(2));
  });
}

}  // namespace

// The stored items of a session, and the point where checking begins.
struct DatabaseReader::Window {
  std::unordered_map<std::string_view, std::uint64_t> versions;  // of stored items that are not gone
  std::vector<std::string_view> settled;                         // stored items that are not checked
  std::unordered_set<std::string_view> is_settled;

  explicit Window(std::span<const SourceItem> known) {
    std::vector<const SourceItem*> shown;
    for (const auto& item : known)
      if (!item.gone) shown.push_back(&item);
    std::size_t settle = 0;
    if (shown.size() > kFullCheckLimit)
      for (settle = shown.size() - kTailCheckCount; settle > 0 && !shown[settle]->starts_exchange;)
        --settle;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      versions.emplace(shown[i]->key, shown[i]->version);
      if (i < settle) settled.push_back(shown[i]->key);
    }
    is_settled.insert(settled.begin(), settled.end());
  }

  bool knows(std::string_view id, std::uint64_t version) const {
    const auto it = versions.find(id);
    return it != versions.end() && it->second == version;
  }
};

void DatabaseReader::close() {
  message_by_id_.reset();
  parts_by_message_.reset();
  record_by_id_.reset();
  stored_.reset();
  database_.reset();
}

Result<void> DatabaseReader::open() {
  if (database_) return {};
  MEMD_TRY_ASSIGN(database_, sqlite::ReadOnlyDatabase::open(files_, path_));
  const sqlite::ReadTransaction whole(*database_);
  MEMD_TRY_ASSIGN(stored_, StoredSessions::open(*database_));
  return {};
}

Result<const std::optional<StoredSessions::Found>*> DatabaseReader::find(const std::string& session_key) {
  MEMD_TRY(open());
  if (found_key_ != session_key) {
    MEMD_TRY_ASSIGN(found_, stored_->find(session_key));
    found_key_ = session_key;
  }
  return &found_;
}

Result<SnapshotReader::Plan> DatabaseReader::plan(const std::string& text) {
  close();  // the files may be read only while it is closed
  found_key_.clear();
  const ReadMark since = ReadMark::parse(text);
  ReadMark mark;
  MEMD_TRY_ASSIGN(mark.change, sqlite::change_mark(files_, path_));
  Plan plan;
  if (!since.change.empty() && since.change == mark.change) {
    plan.mark = text;
    plan.unchanged = true;
    plan.size = since.size;
    return plan;
  }
  MEMD_TRY(open());
  {
    const sqlite::ReadTransaction whole(*database_);
    const DatabaseChanges changes(*stored_);
    bool done = false;
    if (!since.change.empty()) {
      MEMD_TRY_ASSIGN(done, changes.read_since(since, plan, mark));
    }
    if (!done) MEMD_TRY(changes.read_all(plan, mark));
  }
  MEMD_TRY(database_->confirm());
  plan.mark = mark.text();
  return plan;
}

Result<std::optional<SnapshotReader::Session>> DatabaseReader::session(const std::string& session_key,
                                                                       std::span<const SourceItem> known) {
  found_key_.clear();
  MEMD_TRY(open());
  const sqlite::ReadTransaction whole(*database_);
  MEMD_TRY_ASSIGN(const auto* found, find(session_key));
  if (!*found) return std::optional<Session>();
  const Window window(known);
  Session session;
  session.session_uid = make_session_uid(platform_, session_key);
  session.head = Item{std::string(kHeadKey), hash64(head_json((*found)->row)), (*found)->row_bytes};
  if ((*found)->in_records)
    MEMD_TRY(read_records(**found, window, session));
  else if (stored_->has_parts())
    MEMD_TRY(read_messages(**found, window, session));
  MEMD_TRY(database_->confirm());
  return std::optional(std::move(session));
}

Result<void> DatabaseReader::read_messages(const Found& found, const Window& window, Session& out) const {
  const RevertPoint revert = read_revert(found.row.revert);
  std::vector<std::string> to_look_at;
  std::unordered_set<std::string_view> present;  // settled items that are still there
  // Covered by the index (session_id, time_created, id).
  MEMD_TRY_ASSIGN(auto ids,
                  database_->prepare("SELECT id FROM message WHERE session_id = ?1 ORDER BY time_created, id"));
  ids.bind(1, found.row.id);
  MEMD_TRY(ids.each([&] {
    if (revert.hides_message(ids.text(0))) return;
    if (const auto it = window.is_settled.find(ids.text(0)); it != window.is_settled.end())
      present.insert(*it);
    else
      to_look_at.emplace_back(ids.text(0));
  }));
  for (const auto key : window.settled)
    if (present.contains(key)) out.items.push_back({std::string(key), 0, 0});
  return check_messages(std::move(to_look_at), revert, window, out);
}

// Adds the items of these messages of 1.x.
Result<void> DatabaseReader::check_messages(std::vector<std::string> to_look_at, const RevertPoint& revert,
                                            const Window& window, Session& out) const {
  MEMD_TRY_ASSIGN(auto message, database_->prepare("SELECT time_created, time_updated, length(CAST(data AS BLOB)), data"
                                                   " FROM message WHERE id = ?1"));
  // A size requires reading the whole part, so it is queried only for parts that will be read.
  const bool is_new = window.versions.empty();
  MEMD_TRY_ASSIGN(auto sizes, database_->prepare("SELECT id, time_updated, length(CAST(data AS BLOB)) FROM part"
                                                 " WHERE message_id = ?1 ORDER BY id"));
  MEMD_TRY_ASSIGN(auto times,
                  database_->prepare("SELECT id, time_updated, 0 FROM part WHERE message_id = ?1 ORDER BY id"));
  std::vector<MessagePlace> places;
  std::unordered_map<std::string, Item> items;
  for (auto& id : to_look_at) {
    MEMD_TRY_ASSIGN(const bool there, message.bind(1, id).step());
    if (!there) continue;
    places.push_back(read_place(id, message.text(3), message.integer(0)));
    const Item own{id, version_of(id, message.integer(1), 0),
                   id.size() + static_cast<std::uint64_t>(message.integer(2))};
    Item item = own;
    message.reset();
    MEMD_TRY(add_parts(is_new ? sizes : times, revert, item));
    if (window.knows(id, item.version)) {
      item.version = item.ledger_bytes = 0;
    } else if (!is_new) {
      item = own;
      MEMD_TRY(add_parts(sizes, revert, item));
    }
    items.emplace(std::move(id), std::move(item));
  }
  for (const auto& place : in_reading_order(std::move(places)))
    out.items.push_back(std::move(items.at(place.id)));
  return {};
}

// Adds the messages of 1.x that have no record of 2.x under their id: a migration that was cut short left them. New
// messages go to the table of 2.x, so these are older.
Result<void> DatabaseReader::read_left_messages(const Found& found, const Window& window, Session& out) const {
  const RevertPoint revert = read_revert(found.row.revert);
  std::vector<std::string> to_look_at;
  MEMD_TRY_ASSIGN(auto ids, database_->prepare("SELECT id FROM message WHERE session_id = ?1 AND id NOT IN (SELECT id"
                                               " FROM session_message WHERE session_id = ?1) ORDER BY time_created,"
                                               " id"));
  ids.bind(1, found.row.id);
  MEMD_TRY(ids.each([&] {
    if (revert.hides_message(ids.text(0))) return;
    if (window.is_settled.contains(ids.text(0)))
      out.items.push_back({std::string(ids.text(0)), 0, 0});
    else
      to_look_at.emplace_back(ids.text(0));
  }));
  return check_messages(std::move(to_look_at), revert, window, out);
}

Result<void> DatabaseReader::read_records(const Found& found, const Window& window, Session& out) const {
  if (stored_->has_parts()) MEMD_TRY(read_left_messages(found, window, out));
  std::int64_t hidden_from = std::numeric_limits<std::int64_t>::max();
  std::int64_t from = std::numeric_limits<std::int64_t>::min();
  MEMD_TRY_ASSIGN(auto seq, database_->prepare("SELECT seq FROM session_message WHERE id = ?1"));
  const std::string revert = read_revert(found.row.revert).message_id;
  MEMD_TRY_ASSIGN(const bool reverted, seq.bind(1, revert).step());
  if (reverted) hidden_from = seq.integer(0);
  seq.reset();
  if (!window.settled.empty()) {
    MEMD_TRY_ASSIGN(const bool there, seq.bind(1, window.settled.back()).step());
    if (there) from = seq.integer(0) + 1;
    seq.reset();
  }
  // Settled items keep their positions. The index (session_id, time_created, id) shows whether they still exist.
  if (from != std::numeric_limits<std::int64_t>::min() && from <= hidden_from) {
    std::unordered_set<std::string_view> present;
    MEMD_TRY_ASSIGN(auto ids, database_->prepare("SELECT id FROM session_message WHERE session_id = ?1"
                                                 " ORDER BY time_created, id"));
    ids.bind(1, found.row.id);
    MEMD_TRY(ids.each([&] {
      if (const auto it = window.is_settled.find(ids.text(0)); it != window.is_settled.end()) present.insert(*it);
    }));
    for (const auto key : window.settled)
      if (present.contains(key)) out.items.push_back({std::string(key), 0, 0});
  } else {
    from = std::numeric_limits<std::int64_t>::min();
  }
  MEMD_TRY_ASSIGN(auto records, database_->prepare("SELECT id, time_updated FROM session_message"
                                                   " WHERE session_id = ?1 AND seq >= ?2 AND seq < ?3 ORDER BY seq"));
  MEMD_TRY_ASSIGN(auto size,
                  database_->prepare("SELECT length(CAST(data AS BLOB)) FROM session_message WHERE id = ?1"));
  records.bind(1, found.row.id).bind(2, from).bind(3, hidden_from);
  return records.each([&]() -> Result<void> {
    Item item{std::string(records.text(0)), version_of(records.text(0), records.integer(1), 2), 0};
    if (window.knows(item.key, item.version)) {
      item.version = 0;
    } else {
      MEMD_TRY_ASSIGN(const bool there, size.bind(1, item.key).step());
      if (there) item.ledger_bytes = item.key.size() + static_cast<std::uint64_t>(size.integer(0));
      size.reset();
    }
    out.items.push_back(std::move(item));
    return {};
  });
}

Result<std::string> DatabaseReader::item(const std::string& session_key, const std::string& item_key) {
  MEMD_TRY_ASSIGN(const auto* found, find(session_key));
  const Error gone(Errc::not_found, path_ + ": the session is gone");
  if (!*found) return gone;
  if (item_key == kHeadKey) return head_json((*found)->row);
  const sqlite::ReadTransaction whole(*database_);
  auto text = (*found)->in_records ? record_item(**found, item_key) : message_item(**found, item_key);
  if (text) MEMD_TRY(database_->confirm());
  return text;
}

Result<sqlite::Query*> DatabaseReader::prepared(std::optional<sqlite::Query>& query, std::string_view sql) const {
  if (!query) {
    MEMD_TRY_ASSIGN(query, database_->prepare(sql));
  }
  query->reset();
  return &*query;
}

Result<std::string> DatabaseReader::message_item(const Found& found, const std::string& key) {
  const RevertPoint revert = read_revert(found.row.revert);
  MEMD_TRY_ASSIGN(auto* message, prepared(message_by_id_, "SELECT time_created, data FROM message WHERE id = ?1"));
  MEMD_TRY_ASSIGN(const bool there, message->bind(1, key).step());
  if (!there) return Error(Errc::not_found, path_ + ": the message is gone");
  MessageItem out({key, message->integer(0), message->text(1)}, {}, !found.row.parent_id.empty());
  message->reset();
  MEMD_TRY_ASSIGN(auto* parts, prepared(parts_by_message_,
                                        "SELECT id, time_created, data FROM part WHERE message_id = ?1 ORDER BY id"));
  parts->bind(1, key);
  MEMD_TRY(parts->each([&] {
    if (revert.hides_part(key, parts->text(0))) return;
    out.add_part({std::string(parts->text(0)), parts->integer(1), parts->text(2)});
  }));
  return std::move(out).finish();
}

Result<std::string> DatabaseReader::record_item(const Found& found, const std::string& key) {
  MEMD_TRY_ASSIGN(auto* record,
                  prepared(record_by_id_, "SELECT type, time_created, data FROM session_message WHERE id = ?1"));
  MEMD_TRY_ASSIGN(const bool there, record->bind(1, key).step());
  if (!there && stored_->has_parts()) return message_item(found, key);
  if (!there) return Error(Errc::not_found, path_ + ": the message is gone");
  const bool is_child = !found.row.parent_id.empty();
  std::string item = MessageItem({key, record->integer(1), record->text(2)}, record->text(0), is_child).finish();
  record->reset();
  return item;
}

}  // namespace memd::opencode
