#include "adapters/opencode/session_items.hpp"

#include "adapters/json/json_text.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/json/value_scanner.hpp"

#include <string_view>
#include <unordered_map>
#include <utility>

namespace memd::opencode {

bool is_database_name(const Program& program, std::string_view file_name) {
  if (!file_name.starts_with(program.name) || !file_name.ends_with(".db")) return false;
  file_name.remove_prefix(program.name.size());
  return file_name == ".db" || file_name.starts_with('-');
}

std::optional<SourcePath> parse_source_path(const Program& program, const std::filesystem::path& file) {
  std::string name = file.filename().string();
  for (const std::string_view companion : {"-wal", "-shm", "-journal"})
    if (name.ends_with(".db" + std::string(companion))) name.resize(name.size() - companion.size());
  SourcePath path;
  if (is_database_name(program, name)) {
    path.data = file.parent_path();
    path.path = (path.data / name).string();
    path.is_database = true;
    return path;
  }
  const auto project = file.parent_path();
  const auto sessions = project.parent_path();
  const auto storage = sessions.parent_path();
  path.session_id = file.stem().string();
  if (file.extension() != ".json" || !path.session_id.starts_with("ses_") || sessions.filename() != "session" ||
      storage.filename() != "storage")
    return std::nullopt;
  path.data = storage.parent_path();
  path.path = file.string();
  return path;
}

namespace {

using json::ValueScanner;

// Calls visit(key, value) for the members of an object. Returns false when the text is not one whole object.
template <class Visit>
bool read_object(std::string_view text, Visit&& visit) {
  ValueScanner scanner(text);
  return scanner.members(visit) && scanner.peek() == '\0' && scanner.at() == text.size();
}

bool is_object(std::string_view text) {
  return read_object(text, [](std::string_view, std::string_view) {});
}

void append_record(const StoredRecord& record, std::string& out) {
  out.append("\"id\":");
  json::append_quoted(record.id, out);
  if (record.created != 0) out.append(",\"created\":").append(std::to_string(record.created));
  out.append(",\"data\":").append(is_object(record.data) ? json::compacted(record.data) : "null");
}

}  // namespace

std::string head_json(const SessionRow& row) {
  json::ObjectWriter out;
  // Names that end with "ID" tell whoever masks secrets that the value is none, whatever its form.
  out.some_text("id", row.id)
      .some_text("parentID", row.parent_id)
      .some_text("directory", row.directory)
      .some_text("title", row.title);
  out.some_text("version", row.version).some_text("agent", row.agent).some_text("forkedFromID", row.forked_from);
  out.some_number("created", row.created)
      .some_number("additions", row.additions)
      .some_number("deletions", row.deletions);
  if (!row.cost.empty()) out.some_text("cost", row.cost);
  return std::move(out).finish();
}

std::optional<SessionRow> read_session_file(std::string_view text) {
  SessionRow row;
  const auto read_counts = [&](std::string_view key, std::string_view value) {
    if (key == "additions") row.additions = json::integer(value);
    if (key == "deletions") row.deletions = json::integer(value);
  };
  const bool whole = read_object(text, [&](std::string_view key, std::string_view value) {
    if (key == "id") row.id = json::unescaped(value);
    if (key == "parentID") row.parent_id = json::unescaped(value);
    if (key == "directory") row.directory = json::unescaped(value);
    if (key == "title") row.title = json::unescaped(value);
    if (key == "version") row.version = json::unescaped(value);
    if (key == "revert" && value.starts_with('{')) row.revert = value;
    if (key == "summary") read_object(value, read_counts);
    if (key == "time")
      read_object(value, [&](std::string_view name, std::string_view time) {
        if (name == "created") row.created = json::integer(time);
      });
  });
  return whole ? std::optional(std::move(row)) : std::nullopt;
}

MessageItem::MessageItem(const StoredRecord& message, std::string_view type, bool is_child) : out_("{") {
  if (is_child) out_.append("\"child\":true,");
  if (!type.empty()) {
    out_.append("\"type\":");
    json::append_quoted(type, out_);
    out_.push_back(',');
  }
  append_record(message, out_);
}

void MessageItem::add_part(const StoredRecord& part) {
  out_.append(has_parts_ ? ",{" : ",\"parts\":[{");
  has_parts_ = true;
  append_record(part, out_);
  out_.push_back('}');
}

std::string MessageItem::finish() && {
  out_.append(has_parts_ ? "]}" : "}");
  return std::move(out_);
}

MessagePlace read_place(std::string id, std::string_view data, std::int64_t created) {
  MessagePlace place{std::move(id), false, {}, created};
  read_object(data, [&](std::string_view key, std::string_view value) {
    if (key == "role") place.is_user = json::string_body(value) == "user";
    if (key == "parentID") place.parent_id = json::unescaped(value);
    if (key == "time" && place.created == 0)
      read_object(value, [&](std::string_view name, std::string_view time) {
        if (name == "created") place.created = json::integer(time);
      });
  });
  return place;
}

std::vector<MessagePlace> in_reading_order(std::vector<MessagePlace> places) {
  std::unordered_map<std::string, std::size_t> turn_of;  // user message → its turn
  std::size_t turns = 1;                                 // turn 0: before the first user message
  for (const auto& place : places)
    if (place.is_user) turn_of.emplace(place.id, turns++);
  std::vector<std::vector<MessagePlace>> by_turn(turns);
  std::size_t current = 0;
  for (auto& place : places) {
    std::size_t turn = current;
    if (place.is_user) {
      turn = current = turn_of.at(place.id);
    } else if (const auto it = turn_of.find(place.parent_id); it != turn_of.end()) {
      turn = it->second;
    }
    // An answer stays after its question even if its time is earlier, which happens when the clock was set back.
    auto& messages = by_turn[turn];
    messages.insert(place.is_user ? messages.begin() : messages.end(), std::move(place));
  }
  std::vector<MessagePlace> ordered;
  ordered.reserve(places.size());
  for (auto& turn : by_turn)
    for (auto& place : turn)
      ordered.push_back(std::move(place));
  return ordered;
}

RevertPoint read_revert(std::string_view text) {
  RevertPoint point;
  read_object(text, [&](std::string_view key, std::string_view value) {
    if (key == "messageID") point.message_id = json::unescaped(value);
    if (key == "partID") point.part_id = json::unescaped(value);
  });
  return point;
}

}  // namespace memd::opencode
