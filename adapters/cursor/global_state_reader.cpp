#include "adapters/cursor/global_state_reader.hpp"

#include "adapters/cursor/item_json.hpp"
#include "adapters/cursor/places.hpp"
#include "adapters/cursor/session_head.hpp"
#include "schemas/hash.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_set>
#include <utility>

namespace memd::cursor {
namespace {

// Bubbles at the end that are looked at although nothing says they were written.
constexpr std::size_t kTail = 3;

struct SessionKey {
  std::string id;
  std::int64_t since = 0;  // rows below cannot have changed
};
SessionKey parse_key(const std::string& key) {
  SessionKey parsed;
  const auto at = key.rfind('@');
  parsed.id = key.substr(0, at);
  if (at != std::string::npos) std::from_chars(key.data() + at + 1, key.data() + key.size(), parsed.since);
  return parsed;
}

}  // namespace

GlobalStateReader::GlobalStateReader(const FileView& files, std::string path, WorkspaceFolders& folders)
    : files_(files), path_(std::move(path)), folders_(folders) {}

Result<void> GlobalStateReader::open() {
  if (rows_) return {};
  MEMD_TRY_ASSIGN(rows_, StateRows::open(files_, path_));
  return {};
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
  loaded.head_bytes = kComposerKey.size() + id.size() + loaded.conversation.value.size();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    loaded.at.emplace(entries[i].id, i);
    loaded.head_bytes -= entries[i].end - entries[i].begin;
  }
  return true;
}

// nullopt: the row is gone, or NULL.
Result<std::optional<std::string>> GlobalStateReader::entry_value(std::size_t i) {
  const Conversation& conversation = loaded_->conversation;
  const auto& entry = conversation.composer.entries[i];
  std::optional<std::string> value;
  if (entry.is_inline()) {
    value = conversation.value.substr(entry.begin, entry.end - entry.begin);
  } else if (conversation.rows[i] != 0) {
    // By its key: the row may have been written again since.
    MEMD_TRY_ASSIGN(value, rows_->value(conversation.row_key(i)));
  }
  if (value && !loaded_->own[i]) loaded_->own[i] = conversation.from_blobs ? OwnTime{} : read_own_time(*value);
  return value;
}

// Bubbles without a time of their own need those of all others.
Result<BubbleTime> GlobalStateReader::time_of(std::size_t i) {
  if (loaded_->own[i] && loaded_->own[i]->created != 0) return BubbleTime{loaded_->own[i]->created, false};
  if (loaded_->times.empty()) {
    const Composer& composer = loaded_->conversation.composer;
    std::vector<TimedBubble> bubbles(composer.entries.size());
    for (std::size_t j = 0; j < bubbles.size(); ++j) {
      if (!loaded_->own[j]) MEMD_TRY(entry_value(j));
      bubbles[j] = {composer.entries[j].user, loaded_->own[j].value_or(OwnTime{})};
    }
    loaded_->times = bubble_times(bubbles, composer.created, composer.updated);
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
  const SessionKey key = parse_key(session_key);
  loaded_.reset();
  MEMD_TRY_ASSIGN(const bool found, load(key.id));
  if (!found) return std::optional<Session>();
  const Conversation& conversation = loaded_->conversation;
  const auto& entries = conversation.composer.entries;

  std::unordered_set<std::string_view> in_store;
  for (const SourceItem& item : known)
    if (!item.gone) in_store.insert(item.key);

  Session session;
  session.session_uid = make_session_uid(Platform::cursor, key.id);
  session.items.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!conversation.has_entry(i)) continue;
    const std::string& id = entries[i].id;
    const bool written = conversation.rows[i] >= key.since && !entries[i].is_inline();
    if (key.since > 0 && !written && !entries[i].is_inline() && i + kTail < entries.size() && in_store.contains(id)) {
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
  const SessionKey key = parse_key(session_key);
  MEMD_TRY_ASSIGN(const bool found, load(key.id));
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
  // A blob is named by what is in it: the same words in another conversation have the same name.
  json.text("id", loaded_->conversation.from_blobs ? key.id + "/" + item_key : item_key);
  json.time(time.time, time.estimated).flag("sub", !composer.parent_id.empty());
  return std::move(json).finish(*value);
}

}  // namespace memd::cursor
