#include "adapters/vibe/session_reader.hpp"

#include "adapters/json/json_access.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/json/value_scanner.hpp"
#include "adapters/names.hpp"
#include "adapters/snapshot/held_source.hpp"
#include "adapters/tool_calls/patch_text.hpp"
#include "schemas/base/error.hpp"
#include "schemas/ids.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

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

class SessionReader final : public snapshot::HeldSource {
 public:
  using HeldSource::HeldSource;

 protected:
  Result<std::string> state() override {
    std::uint64_t state = 0;
    listed_.clear();
    // Lists the files of a folder, and returns the names of the folders in it.
    const auto list = [&](const std::string& below) {
      std::set<std::string> folders;
      for (auto& file : files_.list(below.empty() ? path_ : path_ + "/" + below)) {
        const std::string name = file.path.substr(path_.size() + 1);
        if (file.is_directory) {
          folders.insert(name);
          continue;
        }
        size_ += file.size;
        state = snapshot::state_of(file, state);
        listed_.emplace(name, std::move(file));
      }
      return folders;
    };
    list("");
    list("chunks");
    list("journal");
    MEMD_TRY_ASSIGN(const std::string current, text_of(std::string(kCurrent)));
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
    if (listed_.empty()) return Error(Errc::not_found, path_ + ": no session");
    return std::to_string(state);
  }

  Result<void> read() override {
    order_.clear();
    entries_.clear();
    summary_.clear();
    compaction_.reset();
    unknown_lines_ = unknown_bytes_ = 0;

    object root;
    MEMD_TRY_ASSIGN(const std::string projection, text_of(generation_ + "/projection-state.json"));
    session_ = member(member(projection, "snapshot"), "session");
    MEMD_TRY_ASSIGN(const std::string manifest, text_of(generation_ + "/manifest.json"));
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
      MEMD_TRY_ASSIGN(const std::string text, text_of(name));
      if (text.empty()) return Error(Errc::busy, path_ + "/" + name + ": not there yet");
      each_element(text, [&](std::string_view entry) { put(entry); });
    }
    for (const auto& [name, file] : listed_) {
      if (!name.starts_with("journal/") || name < journal) continue;
      MEMD_TRY_ASSIGN(const std::string text, text_of(name));
      read_journal(text);
    }
    for (const std::string& name : checkpoint) {
      if (!compaction_) break;
      MEMD_TRY_ASSIGN(const std::string text, text_of(name));
      add_summary(text);
    }
    MEMD_TRY_ASSIGN(const std::string meta, text_of("meta.json"));
    MEMD_TRY_ASSIGN(const std::string runtime, text_of(generation_ + "/runtime-state.json"));
    const std::string id = name_of_file(path_);
    Held& held = add_session(id, make_session_uid(Platform::vibe, id));
    held.add_head(head_of(meta, member(member(runtime, "session_metadata"), "cwd")), meta.size());
    std::uint64_t state = size_ - unknown_bytes_ - meta.size();
    for (const std::string& entry_id : order_) {
      const auto entry = entries_.find(entry_id);
      if (entry == entries_.end()) continue;
      state -= entry->second.size();
      json::ObjectWriter item;
      held.add(entry_id, std::move(item.json("entry", entry->second)).finish(), entry->second.size());
      if (entry_id != compaction_ || summary_.empty()) continue;
      json::ObjectWriter behind;
      behind.text("id", entry_id).json("time", member(entry->second, "createdAt")).text("summary", summary_);
      held.add("summary/" + entry_id, std::move(behind).finish(), 0);
    }
    note("(state)", Disposition::skipped, "state", state, listed_.size());
    note("journal", Disposition::unknown, "unknown_type", unknown_bytes_, unknown_lines_);
    return {};
  }

 private:
  // Reads a file that was listed; empty if it was not.
  Result<std::string> text_of(const std::string& name) {
    const auto file = listed_.find(name);
    if (file == listed_.end()) return std::string();
    MEMD_TRY_ASSIGN(std::string text, files_.read(file->second.path));
    if (text.size() != file->second.size) return Error(Errc::busy, file->second.path + ": being written");
    return text;
  }

  void read_journal(std::string_view text) {
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

  // Returns false when the operation is not known.
  bool change(std::string_view operation) {
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

  void put(std::string_view entry) {
    const std::string id = json::unescaped(member(entry, "id"));
    if (id.empty()) return;
    if (!entries_.insert_or_assign(id, entry).second) return;
    order_.push_back(id);
    if (json::string_body(member(entry, "kind")) == "compaction") compaction_ = id;
  }

  // The messages that Vibe put into the model's context have the summary between tags.
  void add_summary(std::string_view chunk) {
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

  // `cwd`: of a subagent, which has no meta.json.
  std::string head_of(std::string_view meta, std::string_view cwd) {
    object root;
    json::ObjectWriter head;
    if (parser_.parse(meta, root)) {
      const auto inner = [&](const char* key, const char* name) {
        object holder;
        return root[key].get(holder) ? std::string_view() : json::text_of(holder, name);
      };
      head.some_text("cwd", inner("environment", "working_directory"))
          .some_text("model", inner("config", "model_name"));
      head.some_text("branch", json::text_of(root, "git_branch")).some_text("title", json::text_of(root, "title"));
      head.flag("named", json::text_of(root, "title_source") == "manual");
      head.some_text("parentID", json::text_of(root, "parent_session_id"));
    } else if (!cwd.empty())
      head.json("cwd", cwd);
    if (!session_.empty()) head.json("session", session_);
    return std::move(head).finish();
  }

  std::map<std::string, FileView::Entry> listed_;  // by path below the folder
  std::string generation_;                         // folder of the newest one
  std::string session_;                            // the newest state of the session, JSON
  std::vector<std::string> order_;                 // ids of entries
  std::map<std::string, std::string> entries_;
  std::optional<std::string> compaction_;  // id of the last one
  std::string summary_;
  std::uint64_t unknown_lines_ = 0, unknown_bytes_ = 0;  // of the journal
  json::DomParser parser_;
};

}  // namespace

std::unique_ptr<SnapshotReader> open_session(const FileView& files, std::string folder) {
  return std::make_unique<SessionReader>(files, std::move(folder));
}

}  // namespace memd::vibe
