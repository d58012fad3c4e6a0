#include "adapters/cursor/chat_store_reader.hpp"

#include "adapters/cursor/composer.hpp"
#include "adapters/cursor/item_json.hpp"
#include "adapters/cursor/places.hpp"
#include "adapters/sqlite/read_only_database.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

namespace memd::cursor {

using sqlite::Query;
using sqlite::ReadOnlyDatabase;

namespace {

// The client states the working directory in the first messages.
constexpr std::string_view kWorkspacePath = "Workspace Path: ";
constexpr std::size_t kFirstMessages = 3;

}  // namespace

ChatStoreReader::ChatStoreReader(const FileView& files, std::string path) : files_(files), path_(std::move(path)) {
  if (const auto place = parse_place(path_)) native_ = place->native;
}

Result<std::string> ChatStoreReader::blob(const std::string& id) const {
  MEMD_TRY_ASSIGN(Query query, database_->prepare("SELECT data FROM blobs WHERE id = ?1"));
  MEMD_TRY_ASSIGN(const bool row, query.bind(1, id).step());
  if (!row) return Error(Errc::not_found, "no such message");
  return std::string(query.text(0));
}

Result<std::string> ChatStoreReader::find_folder() const {
  for (std::size_t i = 0; i < std::min(kFirstMessages, messages_.size()); ++i) {
    MEMD_TRY_ASSIGN(const std::string text, blob(messages_[i].blob));
    const auto at = text.find(kWorkspacePath);
    if (at == std::string::npos) continue;
    const auto begin = at + kWorkspacePath.size();
    return text.substr(begin, text.find_first_of("\\\"\n", begin) - begin);
  }
  return std::string();
}

Result<void> ChatStoreReader::load() {
  if (database_) return {};
  MEMD_TRY_ASSIGN(auto database, ReadOnlyDatabase::open(files_, path_));
  database_ = std::move(database);
  messages_.clear();
  head_bytes_ = size_ = 0;
  Composer facts;
  std::string root;
  MEMD_TRY_ASSIGN(const bool has_meta, database_->has_table("meta"));
  if (has_meta) {
    MEMD_TRY_ASSIGN(Query query, database_->prepare("SELECT key, value FROM meta"));
    MEMD_TRY(query.each([&] {
      head_bytes_ += query.text(0).size() + query.text(1).size();
      if (query.text(0) != "0") return;
      std::string json = from_hex(query.text(1));
      if (json.empty()) json = query.text(1);
      root = text_field(json, "latestRootBlobId");
      facts.title = text_field(json, "name");
      facts.mode = text_field(json, "mode");
      facts.model = text_field(json, "lastUsedModel");
      facts.started_at = number_field(json, "createdAt");
    }));
  }

  EventBatch rest;
  rest.cover("meta", Disposition::skipped, "no_messages", 0, 0);
  rest.cover("blobs", Disposition::skipped, "structure", 0, 0);
  rest.cover("blobs", Disposition::skipped, "unreachable", 0, 0);
  std::unordered_map<std::string, std::uint64_t> sizes;
  MEMD_TRY_ASSIGN(const bool has_blobs, database_->has_table("blobs"));
  if (has_blobs) {
    // SQLite stores the length of a blob before its content.
    MEMD_TRY_ASSIGN(Query query, database_->prepare("SELECT id, length(data) FROM blobs"));
    MEMD_TRY(query.each(
        [&] { sizes.emplace(query.text(0), query.text(0).size() + static_cast<std::uint64_t>(query.integer(1))); }));
    if (sizes.contains(root)) {
      MEMD_TRY_ASSIGN(const std::string list, blob(root));
      std::unordered_map<std::string, std::size_t> seen;
      for (const std::string& id : child_ids(list)) {
        const auto n = ++seen[id];
        const auto it = sizes.find(id);
        if (it == sizes.end() && n == 1) continue;
        messages_.push_back({n == 1 ? id : id + "#" + std::to_string(n), id, n == 1 ? it->second : 0});
      }
    }
  }
  if (messages_.empty()) rest.cover("meta", Disposition::skipped, "no_messages", std::exchange(head_bytes_, 0));
  for (const Message& message : messages_) {
    size_ += message.bytes;
    sizes.erase(message.blob);
  }
  for (const auto& [id, bytes] : sizes)
    rest.cover("blobs", Disposition::skipped, id == root ? "structure" : "unreachable", bytes);
  for (const auto& line : rest.coverage)
    size_ += line.bytes;
  size_ += head_bytes_;
  rest_ = std::move(rest.coverage);

  TimeMs written = 0;  // messages have no times, but none is later than the last write
  for (const char* name : {"", "-wal"})
    if (const auto entry = files_.stat(path_ + name)) written = std::max(written, entry->mtime);
  times_ = bubble_times(std::vector<TimedBubble>(messages_.size()), facts.started_at, written);
  MEMD_TRY_ASSIGN(const std::string folder, find_folder());
  head_ = head_json(facts, {}, folder);
  return database_->confirm();
}

Result<SnapshotReader::Plan> ChatStoreReader::plan(const std::string& mark) {
  database_.reset();
  Plan plan;
  MEMD_TRY_ASSIGN(const std::string change, sqlite::change_mark(files_, path_));
  if (mark.starts_with(change + " ")) {
    plan.mark = mark;
    plan.unchanged = true;
    plan.size = std::strtoull(mark.c_str() + change.size(), nullptr, 10);
    return plan;
  }
  MEMD_TRY(load());
  plan.mark = change + " " + std::to_string(size_);
  if (!messages_.empty()) plan.sessions.push_back(native_);
  plan.rest = rest_;
  plan.size = size_;
  return plan;
}

Result<std::optional<SnapshotReader::Session>> ChatStoreReader::session(const std::string& session_key,
                                                                        std::span<const SourceItem>) {
  MEMD_TRY(load());
  if (session_key != native_ || messages_.empty()) return std::optional<Session>();
  Session session;
  session.session_uid = make_session_uid(Platform::cursor, native_);
  session.head = Item{std::string(kHeadKey), hash_combine(version_of(head_), head_bytes_), head_bytes_};
  for (const Message& message : messages_)
    session.items.push_back({message.key, version_of(message.blob), message.bytes});
  return std::optional(std::move(session));
}

Result<std::string> ChatStoreReader::item(const std::string& session_key, const std::string& item_key) {
  MEMD_TRY(load());
  if (session_key != native_) return Error(Errc::not_found, "no such conversation");
  if (item_key == kHeadKey) return head_;
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    if (messages_[i].key != item_key) continue;
    MEMD_TRY_ASSIGN(const std::string value, blob(messages_[i].blob));
    MEMD_TRY(database_->confirm());
    const auto first = value.find_first_not_of(" \t\r\n");
    const bool is_json = first != std::string::npos && value[first] == '{';
    // A blob is named by its content: equal messages in different chats have the same name.
    ItemJson json(is_json ? item_kind::kMessage : item_kind::kBinary);
    json.text("id", native_ + "/" + item_key).time(times_[i].time, times_[i].estimated);
    if (is_json) return std::move(json).finish(value);
    return std::move(json.number("bytes", static_cast<std::int64_t>(value.size()))).finish();
  }
  return Error(Errc::not_found, "no such message");
}

}  // namespace memd::cursor
