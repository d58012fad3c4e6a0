#include "adapters/opencode/tree_reader.hpp"

#include "adapters/sqlite/read_only_database.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <filesystem>
#include <unordered_map>
#include <utility>

namespace memd::opencode {
namespace {

constexpr std::string_view kTreeHeadKey = "(session)";

std::string stem_of(const FileView::Entry& file) { return std::filesystem::path(file.path).stem().string(); }

std::uint64_t state_of(const FileView::Entry& file, std::uint64_t seed) {
  return hash64(file.path, hash_combine(seed, hash_combine(file.size, static_cast<std::uint64_t>(file.mtime_ns))));
}

bool is_record(const FileView::Entry& file, std::string_view prefix) {
  const std::string name = std::filesystem::path(file.path).filename().string();
  return !file.is_directory && name.starts_with(prefix) && name.ends_with(".json");
}

}  // namespace

TreeReader::TreeReader(const Program& program, const FileView& files, SourcePath path)
    : program_(program), files_(files), path_(std::move(path)), storage_((path_.data / "storage").string()) {}

std::uint64_t TreeReader::MessageFiles::bytes() const {
  std::uint64_t sum = message.size;
  for (const auto& part : parts)
    sum += part.size;
  return sum;
}

std::vector<FileView::Entry> TreeReader::part_files(const std::string& message_id) const {
  std::vector<FileView::Entry> parts = files_.list(storage_ + "/part/" + message_id);
  std::erase_if(parts, [](const auto& file) { return !is_record(file, "prt_"); });
  return parts;
}

std::string TreeReader::message_file(const std::string& message_id) const {
  return storage_ + "/message/" + path_.session_id + "/" + message_id + ".json";
}

std::vector<TreeReader::MessageFiles> TreeReader::list_messages() const {
  std::vector<MessageFiles> out;
  for (auto& file : files_.list(storage_ + "/message/" + path_.session_id)) {
    if (!is_record(file, "msg_")) continue;
    auto parts = part_files(stem_of(file));
    out.push_back({std::move(file), std::move(parts)});
  }
  return out;
}

Result<TreeReader::Migrated> TreeReader::find_migrated() const {
  Migrated out;
  for (const auto& file : files_.list(path_.data.string())) {
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
      query.bind(1, path_.session_id);
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

Result<SnapshotReader::Plan> TreeReader::plan(const std::string& mark) {
  const auto own = files_.stat(path_.path);
  if (!own) return Error(Errc::not_found, path_.path);
  Plan plan;
  plan.size = own->size;
  std::uint64_t state = state_of(*own, 0);
  const auto messages = list_messages();
  for (const auto& files : messages) {
    state = state_of(files.message, state);
    plan.size += files.bytes();
    for (const auto& part : files.parts)
      state = state_of(part, state);
  }
  plan.mark = std::to_string(state);
  if (plan.mark == mark) {
    plan.unchanged = true;
    return plan;
  }
  MEMD_TRY_ASSIGN(const Migrated migrated, find_migrated());
  plan.rest.push_back({"(migrated)", Disposition::skipped, "superseded", 0, 0});
  CoverageEntry& superseded = plan.rest.back();
  bool all_migrated = migrated.session;
  if (migrated.session) superseded.records = 1, superseded.bytes = own->size;
  for (const auto& files : messages) {
    if (!migrated.messages.contains(stem_of(files.message))) {
      all_migrated = false;
      continue;
    }
    superseded.records += 1 + files.parts.size();
    superseded.bytes += files.bytes();
  }
  if (!all_migrated) plan.sessions.push_back(path_.session_id);
  return plan;
}

Result<SessionRow> TreeReader::read_row() const {
  MEMD_TRY_ASSIGN(const std::string text, files_.read(path_.path));
  auto row = read_session_file(text);
  if (!row) return Error(Errc::busy, path_.path + ": not a whole JSON document");
  row->id = path_.session_id;
  return std::move(*row);
}

Result<std::optional<SnapshotReader::Session>> TreeReader::session(const std::string& session_key,
                                                                   std::span<const SourceItem>) {
  if (session_key != path_.session_id || !files_.stat(path_.path)) return std::optional<Session>();
  MEMD_TRY_ASSIGN(const SessionRow row, read_row());
  const RevertPoint revert = read_revert(row.revert);
  Session session;
  session.session_uid = make_session_uid(program_.platform, path_.session_id);
  MEMD_TRY_ASSIGN(const Migrated migrated, find_migrated());
  if (!migrated.session)
    session.head = Item{std::string(kTreeHeadKey), hash64(head_json(row)),
                        files_.stat(path_.path).value_or(FileView::Entry{}).size};
  std::unordered_map<std::string, Item> items;
  std::vector<MessagePlace> places;
  for (const auto& files : list_messages()) {
    std::string id = stem_of(files.message);
    if (revert.hides_message(id) || migrated.messages.contains(id)) continue;
    Item item{id, state_of(files.message, 0), files.message.size};
    for (const auto& part : files.parts) {
      if (revert.hides_part(id, stem_of(part))) continue;
      item.version = state_of(part, item.version);
      item.ledger_bytes += part.size;
    }
    MEMD_TRY_ASSIGN(const std::string data, files_.read(files.message.path));
    places.push_back(read_place(id, data, 0));
    items.emplace(std::move(id), std::move(item));
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return std::tie(a.created, a.id) < std::tie(b.created, b.id); });
  for (const auto& place : in_reading_order(std::move(places)))
    session.items.push_back(std::move(items.at(place.id)));
  return std::optional(std::move(session));
}

Result<std::string> TreeReader::item(const std::string&, const std::string& item_key) {
  MEMD_TRY_ASSIGN(const SessionRow row, read_row());
  if (item_key == kTreeHeadKey) return head_json(row);
  const RevertPoint revert = read_revert(row.revert);
  MEMD_TRY_ASSIGN(const std::string message, files_.read(message_file(item_key)));
  MessageItem out({item_key, 0, message}, {}, !row.parent_id.empty());
  for (const auto& part : part_files(item_key)) {
    std::string id = stem_of(part);
    if (revert.hides_part(item_key, id)) continue;
    MEMD_TRY_ASSIGN(const std::string data, files_.read(part.path));
    out.add_part({std::move(id), 0, data});
  }
  return std::move(out).finish();
}

}  // namespace memd::opencode
