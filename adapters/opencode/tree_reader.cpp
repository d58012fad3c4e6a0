#include "adapters/opencode/tree_reader.hpp"

#include "adapters/snapshot/held_source.hpp"
#include "adapters/sqlite/read_only_database.hpp"
#include "schemas/base/error.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <filesystem>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace memd::opencode {
namespace {

std::string stem_of(const FileView::Entry& file) { return std::filesystem::path(file.path).stem().string(); }

bool is_record(const FileView::Entry& file, std::string_view prefix) {
  const std::string name = std::filesystem::path(file.path).filename().string();
  return !file.is_directory && name.starts_with(prefix) && name.ends_with(".json");
}

class TreeReader final : public snapshot::HeldSource {
 public:
  TreeReader(const Program& program, const FileView& files, SourcePath path)
      : HeldSource(files, path.path),
        program_(program),
        source_(std::move(path)),
        storage_((source_.data / "storage").string()) {}

 protected:
  Result<std::string> state() override {
    const auto own = files_.stat(path_);
    if (!own) return Error(Errc::not_found, path_);
    own_bytes_ = size_ = own->size;
    std::uint64_t state = snapshot::state_of(*own, 0);
    messages_.clear();
    for (const auto& file : files_.list(storage_ + "/message/" + source_.session_id)) {
      if (!is_record(file, "msg_")) continue;
      Message& message = messages_.emplace_back(Message{file, part_files(stem_of(file)), file.size});
      state = snapshot::state_of(file, state);
      for (const auto& part : message.parts) {
        state = snapshot::state_of(part, state);
        message.bytes += part.size;
      }
      size_ += message.bytes;
    }
    return std::to_string(state);
  }

  Result<void> read() override {
    MEMD_TRY_ASSIGN(const Migrated migrated, find_migrated());
    note("(migrated)", Disposition::skipped, "superseded", migrated.session ? own_bytes_ : 0, migrated.session ? 1 : 0);
    std::erase_if(messages_, [&](const Message& message) {
      const bool is_migrated = migrated.messages.contains(stem_of(message.file));
      if (is_migrated) note("(migrated)", Disposition::skipped, "superseded", message.bytes, 1 + message.parts.size());
      return is_migrated;
    });
    if (migrated.session && messages_.empty()) return {};
    MEMD_TRY_ASSIGN(const std::string text, files_.read(path_));
    auto row = read_session_file(text);
    if (!row) return Error(Errc::busy, path_ + ": not a whole JSON document");
    row_ = std::move(*row);
    row_.id = source_.session_id;
    revert_ = read_revert(row_.revert);
    Held& held = add_session(row_.id, make_session_uid(program_.platform, row_.id));
    if (!migrated.session) held.add_head(head_json(row_), own_bytes_);
    std::unordered_map<std::string, Item> items;
    std::vector<MessagePlace> places;
    for (const Message& message : messages_) {
      std::string id = stem_of(message.file);
      if (revert_.hides_message(id)) continue;
      Item item{id, snapshot::state_of(message.file, 0), message.file.size};
      for (const auto& part : message.parts) {
        if (revert_.hides_part(id, stem_of(part))) continue;
        item.version = snapshot::state_of(part, item.version);
        item.ledger_bytes += part.size;
      }
      MEMD_TRY_ASSIGN(const std::string data, files_.read(message.file.path));
      places.push_back(read_place(id, data, 0));
      items.emplace(std::move(id), std::move(item));
    }
    std::stable_sort(places.begin(), places.end(), [](const auto& a, const auto& b) {
      return std::tie(a.created, a.id) < std::tie(b.created, b.id);
    });
    for (const auto& place : in_reading_order(std::move(places)))
      held.session.items.push_back(std::move(items.at(place.id)));
    return {};
  }

  Result<std::string> bytes_of(const std::string&, const std::string& id) override {
    MEMD_TRY_ASSIGN(const std::string message,
                    files_.read(storage_ + "/message/" + source_.session_id + "/" + id + ".json"));
    MessageItem out({id, 0, message}, {}, !row_.parent_id.empty());
    for (const auto& part : part_files(id)) {
      std::string part_id = stem_of(part);
      if (revert_.hides_part(id, part_id)) continue;
      MEMD_TRY_ASSIGN(const std::string data, files_.read(part.path));
      out.add_part({std::move(part_id), 0, data});
    }
    return std::move(out).finish();
  }

 private:
  struct Message {
    FileView::Entry file;
    std::vector<FileView::Entry> parts;
    std::uint64_t bytes = 0;  // of all of them
  };
  struct Migrated {
    bool session = false;
    std::unordered_set<std::string> messages;
  };

  std::vector<FileView::Entry> part_files(const std::string& message_id) const {
    std::vector<FileView::Entry> parts = files_.list(storage_ + "/part/" + message_id);
    std::erase_if(parts, [](const auto& file) { return !is_record(file, "prt_"); });
    return parts;
  }

  Result<Migrated> find_migrated() const {
    Migrated out;
    for (const auto& file : files_.list(source_.data.string())) {
      if (file.is_directory || file.size == 0 ||
          !is_database_name(program_, std::filesystem::path(file.path).filename().string()))
        continue;
      MEMD_TRY_ASSIGN(const auto database, sqlite::ReadOnlyDatabase::open(files_, file.path));
      for (const std::string table : {"session", "session_v2", "message", "session_message"}) {
        const bool of_messages = table.ends_with("message");
        const std::string column = of_messages ? "session_id" : "id";
        MEMD_TRY_ASSIGN(const bool there, database->has_column(table, column));
        if (!there) continue;
        MEMD_TRY_ASSIGN(auto query, database->prepare("SELECT id FROM " + table + " WHERE " + column + " = ?1"));
        query.bind(1, source_.session_id);
        MEMD_TRY(query.each([&] {
          if (of_messages)
            out.messages.emplace(query.text(0));
          else
            out.session = true;
        }));
      }
    }
    if (!out.session) out.messages.clear();
    return out;
  }

  const Program program_;
  const SourcePath source_;
  const std::string storage_;
  std::uint64_t own_bytes_ = 0;
  std::vector<Message> messages_;
  SessionRow row_;
  RevertPoint revert_;
};

}  // namespace

std::unique_ptr<SnapshotReader> open_tree(const Program& program, const FileView& files, SourcePath path) {
  return std::make_unique<TreeReader>(program, files, std::move(path));
}

}  // namespace memd::opencode
