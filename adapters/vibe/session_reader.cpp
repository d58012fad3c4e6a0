#include "adapters/vibe/session_reader.hpp"

#include "adapters/json/json_writer.hpp"
#include "adapters/json/value_scanner.hpp"
#include "adapters/names.hpp"
#include "adapters/tool_calls/patch_text.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace memd::vibe {
namespace {

using json::dom::array;
using json::dom::element;
using json::dom::object;

constexpr Names kRecords(
    "command_reserved core_input action_intent action_result receipt_succeeded receipt_failed projection_delta");

std::string name_of_file(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// Calls visit(key, value) for the members of an object, as they are written. Returns false when it is none, or broken.
template <class Visit>
bool each_member(std::string_view text, Visit&& visit) {
  json::ValueScanner scanner(text);
  return scanner.members(visit);
}

std::string_view member(std::string_view text, std::string_view name) {
  std::string_view found;
  each_member(text, [&](std::string_view key, std::string_view value) {
    if (key == name) found = value;
  });
  return found;
}

template <class Visit>
void each_element(std::string_view text, Visit&& visit) {
  json::ValueScanner(text).elements(visit);
}

}  // namespace

SessionReader::SessionReader(std::string folder, const FileView& files)
    : folder_(std::move(folder)), id_(name_of_file(folder_)), files_(files) {}

Result<std::string> SessionReader::look() {
  listed_.clear();
  size_ = 0;
  loaded_ = false;
  std::uint64_t state = 0;
  // Lists the files of a folder, and returns the names of the folders in it.
  const auto list = [&](const std::string& below) {
    std::set<std::string> folders;
    for (auto& file : files_.list(below.empty() ? folder_ : folder_ + "/" + below)) {
      const std::string name = file.path.substr(folder_.size() + 1);
      if (file.is_directory) {
        folders.insert(name);
        continue;
      }
      size_ += file.size;
      state = hash64(name, hash_combine(state, hash_combine(file.size, static_cast<std::uint64_t>(file.mtime_ns))));
      listed_.emplace(name, std::move(file));
    }
    return folders;
  };
  list("");
  list("chunks");
  list("journal");
  MEMD_TRY_ASSIGN(const std::string current, read(std::string(kCurrent)));
  std::set<std::string> generations = list("generations");
  object root;
  if (parser_.parse(current, root)) {
    generation_ = "generations/" + std::string(json::text_of(root, "generation"));
    generations.insert(generation_);
  } else {
    generation_ = generations.empty() ? std::string() : *generations.rbegin();  // CURRENT is damaged
  }
  for (const std::string& generation : generations)
    list(generation);
  if (listed_.empty()) return Error(Errc::not_found, folder_ + ": no session");
  return std::to_string(state);
}

Result<SnapshotReader::Plan> SessionReader::plan(const std::string& mark) {
  Plan plan;
  MEMD_TRY_ASSIGN(plan.mark, look());
  plan.complete = true;
  plan.size = size_;
  plan.unchanged = plan.mark == mark;
  if (plan.unchanged) return plan;
  MEMD_TRY(load());
  plan.sessions.push_back(id_);
  std::uint64_t state = size_ - unknown_bytes_ - head_.ledger_bytes;
  for (const Item& item : items_)
    state -= item.ledger_bytes;
  plan.rest = {{"(state)", Disposition::skipped, "state", listed_.size(), state},
               {"journal", Disposition::unknown, "unknown_type", unknown_lines_, unknown_bytes_}};
  return plan;
}

Result<std::string> SessionReader::read(const std::string& name) {
  const auto file = listed_.find(name);
  if (file == listed_.end()) return std::string();
  MEMD_TRY_ASSIGN(std::string text, files_.read(file->second.path));
  if (text.size() != file->second.size) return Error(Errc::busy, file->second.path + ": being written");
  return text;
}

Result<void> SessionReader::load() {
  if (loaded_) return {};
  order_.clear();
  entries_.clear();
  items_.clear();
  session_.clear();
  summary_.clear();
  compaction_.reset();
  unknown_lines_ = unknown_bytes_ = 0;

  object root;
  MEMD_TRY_ASSIGN(const std::string projection, read(generation_ + "/projection-state.json"));
  session_ = member(member(projection, "snapshot"), "session");
  MEMD_TRY_ASSIGN(const std::string manifest, read(generation_ + "/manifest.json"));
  std::vector<std::string> chunks;
  std::vector<std::string> checkpoint;
  std::string journal;
  if (parser_.parse(manifest, root)) {
    array names;
    for (auto [key, list] : {std::pair{"projection_state", &chunks}, std::pair{"checkpoint", &checkpoint}})
      if (!root[key]["chunks"].get(names))
        for (const element one : names)
          if (std::string_view name; !one.get(name)) list->push_back("chunks/" + std::string(name) + ".json");
    if (object segment; !root["recovery_journal_segment"].get(segment)) journal = json::text_of(segment, "path");
  }
  for (const std::string& name : chunks) {
    MEMD_TRY_ASSIGN(const std::string text, read(name));
    if (text.empty()) return Error(Errc::busy, folder_ + "/" + name + ": not there yet");
    each_element(text, [&](std::string_view entry) { put(entry); });
  }
  for (const auto& [name, file] : listed_) {
    if (!name.starts_with("journal/") || name < journal) continue;
    MEMD_TRY_ASSIGN(const std::string text, read(name));
    read_journal(text);
  }
  for (const std::string& name : checkpoint) {
    if (!compaction_) break;
    MEMD_TRY_ASSIGN(const std::string text, read(name));
    add_summary(text);
  }
  MEMD_TRY_ASSIGN(const std::string meta, read("meta.json"));
  MEMD_TRY_ASSIGN(const std::string runtime, read(generation_ + "/runtime-state.json"));
  set_head(meta, member(member(runtime, "session_metadata"), "cwd"));
  for (const std::string& id : order_) {
    const auto entry = entries_.find(id);
    if (entry == entries_.end()) continue;
    json::ObjectWriter item;
    items_.push_back(bytes_.add(id, std::move(item.json("entry", entry->second)).finish(), entry->second.size()));
    if (id != compaction_ || summary_.empty()) continue;
    json::ObjectWriter behind;
    behind.text("id", id).json("time", member(entry->second, "createdAt")).text("summary", summary_);
    items_.push_back(bytes_.add("summary/" + id, std::move(behind).finish()));
  }
  loaded_ = true;
  return {};
}

void SessionReader::read_journal(std::string_view text) {
  while (text.find('\n') != std::string_view::npos) {  // a line without an end is being written
    const std::size_t before = text.size();
    const std::string_view line = tool_calls::next_line(text);
    const std::string_view type = json::string_body(member(line, "type"));
    bool known = kRecords.has(type) || json::trimmed(line).empty();
    if (type == "projection_delta")
      each_element(member(member(line, "payload"), "delta"),
                   [&](std::string_view operation) { known = change(operation) && known; });
    if (known) continue;
    ++unknown_lines_;
    unknown_bytes_ += before - text.size();
  }
}

bool SessionReader::change(std::string_view operation) {
  const std::string_view name = json::string_body(member(operation, "op"));
  const std::string_view entry = member(operation, "entry");
  if (name == "set_envelope") {
    session_ = member(member(operation, "state"), "session");
  } else if (!entry.empty()) {
    put(entry);
  } else if (name == "remove_entry") {
    entries_.erase(json::unescaped(member(operation, "id")));
  } else {
    return false;
  }
  return true;
}

void SessionReader::put(std::string_view entry) {
  const std::string id = json::unescaped(member(entry, "id"));
  if (id.empty()) return;
  if (!entries_.insert_or_assign(id, entry).second) return;
  order_.push_back(id);
  if (json::string_body(member(entry, "kind")) == "compaction") compaction_ = id;
}

// The messages that Vibe put into the model's context have the summary between tags.
void SessionReader::add_summary(std::string_view chunk) {
  constexpr std::string_view kBegin = "<compaction_summary>";
  element root;
  array messages;
  if (!parser_.parse(chunk, root) || root.get(messages)) return;
  for (const element message : messages) {
    std::string_view source;
    array blocks;
    if (message["source"].get(source) || source != "injection" || message["message"]["content"].get(blocks)) continue;
    for (const element block : blocks) {
      std::string_view text;
      if (block["text"].get(text) || text.find(kBegin) == std::string_view::npos) continue;
      text.remove_prefix(text.find(kBegin) + kBegin.size());
      summary_ = json::trimmed(text.substr(0, text.find("</compaction_summary>")));
    }
  }
}

void SessionReader::set_head(std::string_view meta, std::string_view cwd) {
  object root;
  json::ObjectWriter head;
  if (parser_.parse(meta, root)) {
    const auto inner = [&](const char* key, const char* name) {
      object holder;
      return root[key].get(holder) ? std::string_view() : json::text_of(holder, name);
    };
    head.some_text("cwd", inner("environment", "working_directory")).some_text("model", inner("config", "model_name"));
    head.some_text("branch", json::text_of(root, "git_branch")).some_text("title", json::text_of(root, "title"));
    head.flag("named", json::text_of(root, "title_source") == "manual");
    head.some_text("parentID", json::text_of(root, "parent_session_id"));
  } else if (!cwd.empty())
    head.json("cwd", cwd);
  if (!session_.empty()) head.json("session", session_);
  head_ = bytes_.add(snapshot::kHeadKey, std::move(head).finish(), meta.size());
}

Result<std::optional<SnapshotReader::Session>> SessionReader::session(const std::string& session_key,
                                                                      std::span<const SourceItem>) {
  if (!loaded_) MEMD_TRY(look());
  if (session_key != id_) return std::optional<Session>();
  MEMD_TRY(load());
  return std::optional(Session{make_session_uid(Platform::vibe, id_), head_, items_});
}

Result<std::string> SessionReader::item(const std::string&, const std::string& item_key) {
  if (!loaded_) MEMD_TRY(look());
  MEMD_TRY(load());
  return bytes_.bytes(item_key);
}

}  // namespace memd::vibe
