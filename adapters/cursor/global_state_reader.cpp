#include "adapters/cursor/global_state_reader.hpp"

#include "adapters/cursor/item_json.hpp"
#include "adapters/cursor/places.hpp"
#include "adapters/cursor/state_rows.hpp"
#include "adapters/mark_fields.hpp"
#include "adapters/sqlite/read_only_database.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/forgotten.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace memd::cursor {

// The mark.

namespace {

constexpr std::string_view kVersion = "cursor2";

}  // namespace

std::string StateMark::to_text() const {
  std::string text(kVersion);
  text.append(" ").append(change);
  text.append(" ").append(std::to_string(schema_version));
  text.append(" ").append(std::to_string(last_rowid));
  text.append(" ").append(std::to_string(counted_rowid));
  text.append(" ").append(std::to_string(size));
  text.append(checked ? " 1 " : " 0 ");
  for (std::size_t i = 0; i < active.size(); ++i)
    text.append(i > 0 ? "," : "").append(active[i]);
  text.append(" ").append(last_key);  // at the end, because it may contain anything
  return text;
}

std::optional<StateMark> StateMark::parse(std::string_view text) {
  StateMark mark;
  if (ascii::take_until(text, ' ') != kVersion) return std::nullopt;
  mark.change = ascii::take_until(text, ' ');
  for (std::int64_t* n : {&mark.schema_version, &mark.last_rowid, &mark.counted_rowid})
    take_number(text, ' ', *n);
  take_number(text, ' ', mark.size);
  mark.checked = ascii::take_until(text, ' ') == "1";
  for (auto ids = ascii::take_until(text, ' '); !ids.empty();)
    mark.active.emplace_back(ascii::take_until(ids, ','));
  mark.last_key = text;
  return mark;
}

// Planning of a pass.

namespace {

// Rows per statement: few enough that a writer in rollback mode is not delayed noticeably.
constexpr int kRowsAtOnce = 500;
// With more new rows than this, a full pass is about as fast.
constexpr std::size_t kManyRows = 20'000;
constexpr std::size_t kActive = 2;

// Returns whether a full pass is due to refresh the totals of rows that are no items. It is due when a large part of
// the rows was rewritten, and also finds changes that other checks missed.
bool counted_long_ago(const StateMark& before, const StateMark& now) {
  const std::int64_t counted = std::max<std::int64_t>(before.counted_rowid, 1);
  return now.last_rowid - counted > std::max<std::int64_t>(counted / 2, 50'000);
}

std::string composer_in(std::string_view key) {
  if (key.starts_with(kComposerKey)) return std::string(key.substr(kComposerKey.size()));
  if (!key.starts_with(kBubbleKey)) return {};
  key.remove_prefix(kBubbleKey.size());
  return std::string(key.substr(0, key.find(':')));
}

}  // namespace

Result<SnapshotReader::Plan> GlobalStateReader::plan(const std::string& mark) {
  rows_.reset();  // no lock of this process may be held while the file is opened otherwise
  loaded_.reset();
  StateMark now;
  MEMD_TRY_ASSIGN(now.change, sqlite::change_mark(files_, path_));
  const auto before = StateMark::parse(mark);
  mark_ = before;
  unchanged_below_.reset();
  if (before && before->change == now.change) {
    Plan plan;
    plan.mark = mark;
    plan.unchanged = true;
    plan.unsure = !before->checked;
    plan.size = before->size;
    plan.size_is_estimate = true;
    return plan;
  }
  MEMD_TRY(open());
  MEMD_TRY_ASSIGN(now.schema_version, rows_->schema_version());
  MEMD_TRY_ASSIGN(const StateRows::Row last, rows_->last_row());
  now.last_rowid = last.rowid;
  now.last_key = last.key;
  if (before) {
    MEMD_TRY_ASSIGN(auto changed, changes(*before, now));
    if (changed) return std::move(*changed);
  }
  return everything(std::move(now));
}

// Plans a pass over the rows written since; nullopt when they cannot be determined.
Result<std::optional<SnapshotReader::Plan>> GlobalStateReader::changes(const StateMark& before, StateMark now) {
  const std::optional<Plan> unclear;
  MEMD_TRY_ASSIGN(const bool sure, holds(before));
  if (!sure || counted_long_ago(before, now)) return unclear;

  std::vector<std::string> touched;  // latest change last
  std::size_t seen = 0;
  for (std::int64_t next = before.last_rowid;;) {
    MEMD_TRY_ASSIGN(const auto rows, rows_->from(next, kRowsAtOnce));
    for (const auto& row : rows) {
      const bool is_old = row.rowid == before.last_rowid && row.key == before.last_key;
      auto id = is_old ? std::string() : composer_in(row.key);
      if (id.empty()) continue;
      std::erase(touched, id);
      touched.push_back(std::move(id));
    }
    seen += rows.size();
    if (seen > kManyRows) return unclear;
    if (rows.size() < static_cast<std::size_t>(kRowsAtOnce)) break;
    next = rows.back().rowid + 1;
  }

  Plan plan;
  std::vector<std::string> active = before.active;
  for (const auto& id : touched)
    std::erase(active, id);
  active.insert(active.end(), touched.begin(), touched.end());
  plan.sessions = active;
  if (active.size() > kActive) active.erase(active.begin(), active.end() - kActive);
  now.active = std::move(active);
  now.counted_rowid = before.counted_rowid;
  now.size = before.size;
  plan.size = now.size;
  plan.size_is_estimate = true;
  plan.unsure = true;
  plan.mark = now.to_text();
  MEMD_TRY(rows_->database().confirm());
  return std::optional(std::move(plan));
}

Result<SnapshotReader::Plan> GlobalStateReader::everything(StateMark now) {
  struct Found {
    TimeMs time = 0;
    std::string id;
  };
  std::vector<Found> sessions;
  RowLedger ledger(*rows_);
  for (std::string after;;) {
    MEMD_TRY_ASSIGN(const auto keys, rows_->keys_under(kComposerKey, after, kRowsAtOnce));
    for (const auto& key : keys) {
      const std::string id = key.substr(kComposerKey.size());
      MEMD_TRY_ASSIGN(const auto found, rows_->conversation(id));
      const Composer& composer = found.conversation.composer;
      const bool there = found.missing == StateRows::Missing::no && !found.conversation.is_empty();
      ledger.note(found);
      if (there) sessions.push_back({std::max(composer.ended_at, composer.started_at), id});
    }
    if (keys.size() < static_cast<std::size_t>(kRowsAtOnce)) break;
    after = keys.back();
  }
  MEMD_TRY(ledger.count());
  std::stable_sort(sessions.begin(), sessions.end(), [](const Found& a, const Found& b) { return a.time < b.time; });

  Plan plan;
  for (const auto& session : sessions)
    plan.sessions.push_back(session.id);
  const std::size_t active = std::min(kActive, plan.sessions.size());
  now.active.assign(plan.sessions.end() - static_cast<std::ptrdiff_t>(active), plan.sessions.end());
  now.counted_rowid = now.last_rowid;
  now.size = ledger.size();
  now.checked = true;
  plan.rest = ledger.take_rest();
  plan.size = now.size;
  plan.size_is_estimate = true;
  plan.complete = true;
  plan.mark = now.to_text();
  MEMD_TRY(rows_->database().confirm());
  return plan;
}

// Sessions and items.

namespace {

// Trailing bubbles that are checked although no change was detected.
constexpr std::size_t kTail = 3;

}  // namespace

GlobalStateReader::GlobalStateReader(const FileView& files, const Source& source, WorkspaceFolders& folders)
    : files_(files), path_(source.path), folders_(folders), mark_(StateMark::parse(source.mark)) {}

Result<void> GlobalStateReader::open() {
  if (rows_) return {};
  MEMD_TRY_ASSIGN(rows_, StateRows::open(files_, path_));
  return {};
}

// VACUUM raises the schema version. Otherwise the last row of the mark must still have its rowid or, if it was
// rewritten, a greater one. The row of a conversation that the user has forgotten is not named: then its number is
// enough.
Result<bool> GlobalStateReader::holds(const StateMark& before) const {
  if (before.last_rowid == 0) return false;
  MEMD_TRY_ASSIGN(const std::int64_t schema_version, rows_->schema_version());
  if (schema_version != before.schema_version) return false;
  if (before.last_key.find(kForgottenAlias) != std::string::npos) {
    MEMD_TRY_ASSIGN(const StateRows::Row last, rows_->last_row());
    return last.rowid >= before.last_rowid;
  }
  MEMD_TRY_ASSIGN(const std::int64_t there, rows_->rowid_of(before.last_key));
  return there >= before.last_rowid;
}

Result<std::int64_t> GlobalStateReader::unchanged_below() {
  if (unchanged_below_) return *unchanged_below_;
  unchanged_below_ = 0;
  if (mark_) {
    MEMD_TRY_ASSIGN(const bool sure, holds(*mark_));
    if (sure) unchanged_below_ = mark_->last_rowid;
  }
  return *unchanged_below_;
}

Result<bool> GlobalStateReader::load(const std::string& id) {
  if (loaded_ && loaded_->conversation.id == id) return true;
  MEMD_TRY(open());
  loaded_.reset();
  MEMD_TRY_ASSIGN(auto found, rows_->conversation(id));
  if (found.missing != StateRows::Missing::no || found.conversation.is_empty()) return false;
  Loaded& loaded = loaded_.emplace();
  loaded.conversation = std::move(found.conversation);
  const auto& entries = loaded.conversation.composer.entries;
  loaded.own.resize(entries.size());
  if (loaded.conversation.from_blobs) loaded.own.assign(entries.size(), OwnTime{});  // messages have none
  loaded.head_bytes = kComposerKey.size() + id.size() + loaded.conversation.value.size();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    loaded.at.emplace(entries[i].id, i);
    loaded.head_bytes -= entries[i].end - entries[i].begin;
  }
  return true;
}

// Returns the value of an entry; nullopt: the row is gone, or NULL.
Result<std::optional<std::string>> GlobalStateReader::entry_value(std::size_t i) {
  const Conversation& conversation = loaded_->conversation;
  const auto& entry = conversation.composer.entries[i];
  std::optional<std::string> value;
  if (entry.is_inline()) {
    value = conversation.value.substr(entry.begin, entry.end - entry.begin);
  } else if (conversation.rows[i] != 0) {
    // By key, because the row may have been rewritten since.
    MEMD_TRY_ASSIGN(value, rows_->value(conversation.row_key(i)));
  }
  if (value && !loaded_->own[i]) loaded_->own[i] = read_own_time(*value);
  return value;
}

// Returns the time of an entry. Estimating a missing time needs the times of all bubbles.
Result<BubbleTime> GlobalStateReader::time_of(std::size_t i) {
  if (loaded_->own[i] && loaded_->own[i]->created != 0) return BubbleTime{loaded_->own[i]->created, false};
  if (loaded_->times.empty()) {
    const Composer& composer = loaded_->conversation.composer;
    std::vector<TimedBubble> bubbles(composer.entries.size());
    for (std::size_t j = 0; j < bubbles.size(); ++j) {
      if (!loaded_->own[j]) MEMD_TRY(entry_value(j));
      bubbles[j] = {composer.entries[j].user, loaded_->own[j].value_or(OwnTime{})};
    }
    loaded_->times = bubble_times(bubbles, composer.started_at, composer.ended_at);
  }
  return loaded_->times[i];
}

Result<std::string> GlobalStateReader::head_json() {
  if (!loaded_->head.empty()) return loaded_->head;
  const Conversation& conversation = loaded_->conversation;
  const Composer& composer = conversation.composer;
  MEMD_TRY_ASSIGN(const CatalogueEntry catalogue, rows_->catalogue_entry(conversation.id));
  const std::string user = user_folder(path_);
  std::string folder = catalogue.folder;
  if (folder.empty()) {
    if (!std::exchange(folders_looked_at_, true)) folders_.refresh(files_, user);
    folder = catalogue.workspace.empty() ? std::string() : folders_.of_workspace(user, catalogue.workspace);
    if (folder.empty()) folder = folders_.of_conversation(user, conversation.id);
    if (folder.empty()) folder = common_folder(composer.files);
  }
  loaded_->head = cursor::head_json(composer, catalogue, folder);
  return loaded_->head;
}

Result<std::optional<SnapshotReader::Session>> GlobalStateReader::session(const std::string& session_key,
                                                                          std::span<const SourceItem> known) {
  loaded_.reset();
  MEMD_TRY_ASSIGN(const bool found, load(session_key));
  if (!found) return std::optional<Session>();
  MEMD_TRY_ASSIGN(const std::int64_t since, unchanged_below());
  const Conversation& conversation = loaded_->conversation;
  const auto& entries = conversation.composer.entries;

  std::unordered_set<std::string_view> in_store;
  for (const SourceItem& item : known)
    if (!item.gone) in_store.insert(item.key);

  Session session;
  session.session_uid = make_session_uid(Platform::cursor, session_key);
  session.items.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!conversation.has_entry(i)) continue;
    const std::string& id = entries[i].id;
    const bool as_it_was = !entries[i].is_inline() && conversation.rows[i] < since && i + kTail < entries.size();
    if (as_it_was && in_store.contains(id)) {
      session.items.push_back({id, 0, 0});
      continue;
    }
    MEMD_TRY_ASSIGN(const auto value, entry_value(i));
    if (!value) continue;
    const std::uint64_t bytes = value->size() + (entries[i].is_inline() ? 0 : conversation.row_key(i).size());
    session.items.push_back({id, version_of(*value), bytes});
  }
  if (session.items.empty()) return std::optional<Session>();
  MEMD_TRY_ASSIGN(const std::string head, head_json());
  session.head = Item{std::string(kHeadKey), hash_combine(version_of(head), loaded_->head_bytes), loaded_->head_bytes};
  MEMD_TRY(rows_->database().confirm());
  return std::optional(std::move(session));
}

Result<std::string> GlobalStateReader::item(const std::string& session_key, const std::string& item_key) {
  MEMD_TRY_ASSIGN(const bool found, load(session_key));
  if (!found) return Error(Errc::not_found, "no such conversation");
  if (item_key == kHeadKey) return head_json();
  const auto it = loaded_->at.find(item_key);
  if (it == loaded_->at.end()) return Error(Errc::not_found, "no such message");
  MEMD_TRY_ASSIGN(const auto value, entry_value(it->second));
  if (!value) return Error(Errc::not_found, "the message was deleted");
  MEMD_TRY_ASSIGN(const BubbleTime time, time_of(it->second));
  MEMD_TRY(rows_->database().confirm());
  const Composer& composer = loaded_->conversation.composer;
  ItemJson json(loaded_->conversation.from_blobs ? item_kind::kMessage : item_kind::kBubble);
  json.text("id", record_id(session_key, item_key));
  json.time(time.time, time.estimated).flag("sub", !composer.parent_id.empty());
  return std::move(json).finish(*value);
}

}  // namespace memd::cursor
