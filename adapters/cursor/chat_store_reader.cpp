#include "adapters/cursor/readers.hpp"

#include "adapters/cursor/composer.hpp"
#include "adapters/cursor/item_json.hpp"
#include "adapters/snapshot/held_source.hpp"
#include "adapters/sqlite/read_only_database.hpp"
#include "schemas/base/error.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace memd::cursor {

using sqlite::Query;
using sqlite::ReadOnlyDatabase;

namespace {

// The client states the working directory in the first messages.
constexpr std::string_view kWorkspacePath = "Workspace Path: ";
constexpr std::size_t kFirstMessages = 3;

class ChatStoreReader final : public snapshot::HeldSource {
 public:
  ChatStoreReader(const FileView& files, std::string path, std::string native)
      : HeldSource(files, std::move(path)), native_(std::move(native)) {}

 protected:
  Result<std::string> state() override {
    database_.reset();
    return sqlite::change_mark(files_, path_);
  }

  Result<void> read() override {
    MEMD_TRY_ASSIGN(database_, ReadOnlyDatabase::open(files_, path_));
    messages_.clear();
    std::uint64_t head_bytes = 0;
    Composer facts;
    std::string root;
    MEMD_TRY_ASSIGN(const bool has_meta, database_->has_table("meta"));
    if (has_meta) {
      MEMD_TRY_ASSIGN(Query query, database_->prepare("SELECT key, value FROM meta"));
      MEMD_TRY(query.each([&] {
        head_bytes += query.text(0).size() + query.text(1).size();
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
    size_ = head_bytes;
    for (const auto& [id, bytes] : sizes)
      size_ += bytes;
    for (const Message& message : messages_)
      sizes.erase(message.blob);
    const bool is_empty = messages_.empty();
    note("meta", Disposition::skipped, "no_messages", is_empty ? head_bytes : 0, is_empty ? 1 : 0);
    note("blobs", Disposition::skipped, "structure", 0, 0);
    note("blobs", Disposition::skipped, "unreachable", 0, 0);
    for (const auto& [id, bytes] : sizes)
      note("blobs", Disposition::skipped, id == root ? "structure" : "unreachable", bytes);
    if (is_empty) return database_->confirm();

    TimeMs written = 0;  // messages have no times, but none is later than the last write
    for (const char* name : {"", "-wal"})
      if (const auto entry = files_.stat(path_ + name)) written = std::max(written, entry->mtime);
    times_ = bubble_times(std::vector<TimedBubble>(messages_.size()), facts.started_at, written);
    MEMD_TRY_ASSIGN(const std::string folder, find_folder());
    Held& held = add_session(native_, make_session_uid(Platform::cursor, native_));
    held.add_head(head_json(facts, {}, folder), head_bytes);
    for (const Message& message : messages_)
      held.session.items.push_back({message.key, version_of(message.blob), message.bytes});
    return database_->confirm();
  }

  Result<std::string> bytes_of(const std::string&, const std::string& item_key) override {
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

 private:
  struct Message {
    std::string key;
    std::string blob;
    std::uint64_t bytes = 0;
  };

  Result<std::string> blob(const std::string& id) const {
    MEMD_TRY_ASSIGN(Query query, database_->prepare("SELECT data FROM blobs WHERE id = ?1"));
    MEMD_TRY_ASSIGN(const bool row, query.bind(1, id).step());
    if (!row) return Error(Errc::not_found, "no such message");
    return std::string(query.text(0));
  }

  Result<std::string> find_folder() const {
    for (std::size_t i = 0; i < std::min(kFirstMessages, messages_.size()); ++i) {
      MEMD_TRY_ASSIGN(const std::string text, blob(messages_[i].blob));
      const auto at = text.find(kWorkspacePath);
      if (at == std::string::npos) continue;
      const auto begin = at + kWorkspacePath.size();
      return text.substr(begin, text.find_first_of("\\\"\n", begin) - begin);
    }
    return std::string();
  }

  const std::string native_;
  std::unique_ptr<ReadOnlyDatabase> database_;
  std::vector<Message> messages_;
  std::vector<BubbleTime> times_;
};

}  // namespace

std::unique_ptr<SnapshotReader> open_chat_store(const FileView& files, SourcePlace place) {
  return std::make_unique<ChatStoreReader>(files, std::move(place.main), std::move(place.native));
}

}  // namespace memd::cursor
