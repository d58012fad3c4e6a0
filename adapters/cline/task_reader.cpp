#include "adapters/cline/task_reader.hpp"

#include "adapters/cline/folder.hpp"
#include "adapters/cline/model_text.hpp"
#include "adapters/cline/task_messages.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/snapshot_reader.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/ids.hpp"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace memd::cline {

namespace {

// Data on a task from the task lists. The lists lose entries of existing tasks (cline/cline#6183), so they only
// supplement the task's own data.
struct TaskHistory {
  std::string cwd;
  std::string title;  // the first words of the task
  std::string model;
  std::string parent;  // parent of a subtask (Roo Code)
  std::string mode;
  std::optional<double> cost;
};

namespace dom = simdjson::dom;
using json::text_of;

constexpr std::uint64_t kIndexLimit = 64 << 20;
constexpr std::size_t kTitleLimit = 160;

TaskHistory read_entry(const dom::object& entry) {
  TaskHistory history;
  history.cwd = text_of(entry, "cwdOnTaskInitialization");
  if (history.cwd.empty()) history.cwd = text_of(entry, "workspace");
  history.title = json::one_line(text_of(entry, "task"), kTitleLimit);
  history.model = text_of(entry, "modelId");
  history.parent = text_of(entry, "parentTaskId");
  history.mode = text_of(entry, "mode");
  double cost = 0;
  if (!entry["totalCost"].get(cost)) history.cost = cost;
  return history;
}

std::optional<TaskHistory> find_entry(const dom::element& document, const std::string& id) {
  dom::array entries;
  dom::object object;
  if (document.get(entries)) {
    if (document.get(object)) return std::nullopt;
    if (text_of(object, "id") == id) return read_entry(object);
    if (object["entries"].get(entries)) return std::nullopt;
  }
  for (const auto value : entries)
    if (!value.get(object) && text_of(object, "id") == id) return read_entry(object);
  return std::nullopt;
}

// Reads history_item.json beside the task, tasks/_index.json or state/taskHistory.json.
TaskHistory find_history(const FileView& files, const std::filesystem::path& folder) {
  const auto tasks = folder.parent_path();
  for (const auto& path :
       {folder / "history_item.json", tasks / "_index.json", tasks.parent_path() / "state" / "taskHistory.json"}) {
    const auto entry = files.stat(path.string());
    if (!entry || entry->size > kIndexLimit) continue;
    const auto text = files.read(path.string());
    if (!text) continue;
    dom::parser parser;
    dom::element document;
    if (parser.parse(*text).get(document)) continue;  // being written, or broken: the task's own data suffices
    if (auto history = find_entry(document, folder.filename().string())) return *history;
  }
  return {};
}

// Returns the last model in task_metadata.json.
std::string last_model(std::string_view metadata) {
  json::DomParser parser;
  dom::object document;
  std::string model;
  if (parser.parse(metadata, document))
    json::for_each_object(document, "model_usage", [&](const dom::object& use) { model = text_of(use, "model_id"); });
  return model;
}

// Returns the time in a task id of Cline; 0 for Roo Code, whose ids are UUIDs.
std::int64_t start_time(std::string_view task_id) {
  std::int64_t time = 0;
  const auto [end, error] = std::from_chars(task_id.data(), task_id.data() + task_id.size(), time);
  return error == std::errc() && end == task_id.data() + task_id.size() ? time : 0;
}

using json::ObjectWriter;

constexpr const char* kTornKey = "(torn)";

// Returns the list as JSON; empty if there is none.
std::string calls_json(const std::vector<ToolCall>& calls) {
  if (calls.empty()) return {};
  std::string out = "[";
  for (const ToolCall& c : calls) {
    ObjectWriter o;
    o.text("id", c.id).text("tool", c.tool);
    const FileTouch& file = c.file;
    if (!file.path.empty())
      o.text("path", file.path).number("added", file.lines_added).number("removed", file.lines_removed);
    out.append(out.size() > 1 ? "," : "").append(std::move(o).finish());
  }
  return out + "]";
}

std::string entry_key(std::size_t index) { return "h" + std::to_string(index); }

std::vector<ToolCall> calls_of(const HistoryEntry& entry, const std::string& key) {
  std::vector<ToolCall> calls;
  if (!entry.assistant) return calls;
  for (const ToolUse& call : entry.calls)
    calls.push_back({call.id, call.name, {}});
  if (!calls.empty()) return calls;
  for (const std::string& text : entry.texts)
    for (const XmlCall& call : xml_calls(text))
      if (!is_talk(call.tool)) calls.push_back({xml_call_id(key, calls.size()), call.tool, {}});
  return calls;
}

}  // namespace

Result<void> TaskReader::load(const std::string& mark) {
  if (loaded_) return {};
  MEMD_TRY_ASSIGN(Folder folder, read_folder(files_, path_.folder.string()));
  entries_ = folder.entries;
  state_ = folder.state;
  const auto has = [&](std::string_view name) { return folder.find(name) != nullptr; };
  for (const auto name : {kUiMessages, kOldUiMessages, kApiHistory})
    if (main_name_.empty() && has(name)) main_name_ = name;
  if (main_name_.empty()) return Error(Errc::not_found, "no messages in " + path_.folder.string());

  const auto load_document = [&](std::string_view name, std::string_view key) -> Result<snapshot::Document> {
    const auto* entry = folder.find(name);
    if (entry == nullptr) return snapshot::Document{};
    MEMD_TRY_ASSIGN(std::string text, read_whole(files_, *entry));
    return snapshot::split_document(std::move(text), {}, key);
  };
  const bool ui_lost = main_name_ == kApiHistory;
  if (!ui_lost) {
    MEMD_TRY_ASSIGN(main_, load_document(main_name_, "ts"));
  }
  MEMD_TRY_ASSIGN(history_document_, load_document(kApiHistory, "role"));
  // An empty message document means that the messages are lost, unless it is just being written.
  const bool settled = mark.empty() || mark == "torn " + state_;
  if (!ui_lost && settled && main_.elements.empty() && main_.torn == 0 && !history_document_.elements.empty())
    main_name_ = kApiHistory;
  history_ = read_history(history_document_);
  messages_ = read_ui_messages(main_);
  join(messages_, history_);

  const auto known = find_history(files_, path_.folder);
  cwd_ = known.cwd;
  subtask_ = !known.parent.empty();
  for (const auto* document : {&main_, &history_document_})
    if (cwd_.empty()) cwd_ = find_working_directory(std::string_view(document->text).substr(0, document->size));
  const std::string extension = path_.folder.parent_path().parent_path().filename().string();
  cache_in_input_ = extension.find("roo-cline") != std::string::npos || extension.find("kilo") != std::string::npos;
  std::string metadata;
  if (const auto* entry = folder.find(kTaskMetadata)) {
    if (auto text = files_.read(entry->path)) metadata = std::move(*text);
  }
  const std::string model = last_model(metadata);
  ObjectWriter head;
  head.flag("head", true)
      .text("id", path_.id)
      .some_text("cwd", cwd_)
      .some_text("model", model.empty() ? known.model : model);
  head.some_text("title", known.title).some_text("parent", known.parent).some_text("mode", known.mode);
  if (known.cost) head.json("cost", std::to_string(*known.cost));
  head_ = bytes_.add(snapshot::kHeadKey, std::move(head).finish());
  build_items();
  loaded_ = true;
  return {};
}

std::string TaskReader::ui_item(const UiMessage& m, bool first) const {
  ObjectWriter o;
  o.text("key", m.key);
  if (m.damaged) return std::move(o.flag("damaged", true)).finish();
  o.some_text("cwd", cwd_)
      .flag("first", first)
      .flag("subtask", first && subtask_)
      .flag("superseded", m.superseded)
      .flag("repeated", m.repeated);
  if (m.is_request()) o.flag("cache_in_input", cache_in_input_);
  if (m.dropped)
    o.json("dropped", "[" + std::to_string(m.dropped->first) + "," + std::to_string(m.dropped->second) + "]");
  if (m.block) o.json("block", *m.block);
  if (!m.calls.empty()) o.json("calls", calls_json(m.calls));
  if (m.results) o.json("results", *m.results);
  o.json("ui", main_.bytes(m.elements.front()));
  if (m.elements.size() > 1) {
    std::string more = "[";
    for (std::size_t i = 1; i < m.elements.size(); ++i)
      more.append(i > 1 ? "," : "").append(main_.bytes(m.elements[i]));
    o.json("more", more + "]");
  }
  return std::move(o).finish();
}

std::string TaskReader::entry_item(std::size_t index, std::int64_t time, std::string_view calls) const {
  const HistoryEntry& entry = history_[index];
  ObjectWriter o;
  o.text("key", entry_key(index));
  if (entry.element.damaged) return std::move(o.flag("damaged", true)).finish();
  o.some_text("cwd", cwd_).number("time", time).flag("estimated", entry.ts == 0);
  if (!calls.empty()) o.json("calls", calls);
  return std::move(o.json("message", history_document_.bytes(entry.element))).finish();
}

void TaskReader::build_items() {
  const bool from_history = main_name_ == kApiHistory;
  std::int64_t time = 0;  // of the last message
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    time = std::max(time, messages_[i].ts);
    if (!from_history)
      items_.push_back(bytes_.add(messages_[i].key, ui_item(messages_[i], i == 0), messages_[i].bytes()));
  }
  if (!from_history) told_ = told_entries(messages_, main_, history_);
  if (time == 0) time = start_time(path_.id);
  std::string calls;  // of the previous entry, whose results are text
  for (std::size_t i = 0; i < history_.size(); ++i) {
    const HistoryEntry& entry = history_[i];
    if (i >= told_) {
      if (!entry.element.damaged) time = entry.ts > 0 ? entry.ts : time + 1;
      // The bytes of entries are in Plan::rest unless they are all there is.
      const std::uint64_t bytes = from_history ? entry.element.end - entry.element.begin : 0;
      entry_items_.push_back(bytes_.add(entry_key(i), entry_item(i, time, calls), bytes));
    }
    if (!entry.element.damaged) calls = calls_json(calls_of(entry, entry_key(i)));
  }
}

void TaskReader::set_rest(Plan& plan) const {
  EventBatch ledger;
  const auto cover = [&](std::string_view type, Disposition disposition, std::string_view reason, std::uint64_t bytes,
                         std::uint64_t records) {
    if (bytes > 0) ledger.cover(type, disposition, reason, bytes, records);
  };
  const bool from_history = main_name_ == kApiHistory;
  const auto& shown = from_history ? history_document_ : main_;
  cover("(structure)", Disposition::skipped, "structure", shown.structure(), 1);
  if (!show_torn_) cover("(torn)", Disposition::skipped, "unfinished", shown.torn, 1);
  if (!from_history) {
    const auto& d = history_document_;
    std::uint64_t joined = 0;
    std::uint64_t joined_bytes = 0;
    for (std::size_t i = 0; i < history_.size(); ++i) {
      const auto& e = history_[i];
      if (e.joined || i >= told_) ++joined, joined_bytes += e.element.end - e.element.begin;
    }
    cover("(history entry)", Disposition::indexed, "", joined_bytes, joined);
    cover("(history entry)", Disposition::skipped, "shown_in_messages", d.element_bytes() - joined_bytes,
          history_.size() - joined);
    cover("(structure)", Disposition::skipped, "structure", d.structure() + d.torn, 1);
  }
  for (const auto& entry : entries_) {
    plan.size += entry.size;
    const std::string name = std::filesystem::path(entry.path).filename().string();
    if (name == kApiHistory || (name == main_name_ && !from_history)) continue;
    cover("(" + companion_name(name) + ")", Disposition::skipped, "companion_file", entry.size, 1);
  }
  plan.rest = std::move(ledger.coverage);
}

Result<SnapshotReader::Plan> TaskReader::plan(const std::string& mark) {
  Plan plan;
  MEMD_TRY_ASSIGN(const Folder folder, read_folder(files_, path_.folder.string()));
  if (mark == folder.state) {
    plan.mark = mark;
    plan.unchanged = true;
    for (const auto& entry : folder.entries)
      plan.size += entry.size;
    return plan;
  }
  MEMD_TRY(load(mark));
  const auto& shown = main_name_ == kApiHistory ? history_document_ : main_;
  const std::string torn = "torn " + state_;
  show_torn_ = shown.torn > 0 && mark == torn;
  if (show_torn_) {
    torn_ = bytes_.add(kTornKey, std::move(ObjectWriter().text("key", kTornKey).flag("damaged", true)).finish(),
                       shown.torn);
    torn_->version = hash64(state_) | 1;
  }
  plan.mark = !shown.whole && mark != torn ? torn : state_;
  plan.sessions = {path_.id};
  set_rest(plan);
  return plan;
}

// Adds the entries of the history, except where stored items tell the same.
void TaskReader::keep_stored(std::span<const SourceItem> known, Session& session) const {
  const auto is_entry = [](const SourceItem& item) { return item.key.starts_with('h'); };
  const bool knew_messages = std::any_of(known.begin(), known.end(), [&](const auto& k) { return !is_entry(k); });
  if ((main_name_ == kApiHistory || messages_.empty()) && knew_messages) {
    // The messages were reset after they were read: only later entries are new.
    std::int64_t last = 0;
    for (const SourceItem& k : known) {
      std::int64_t ts = 0;
      std::from_chars(k.key.data(), k.key.data() + k.key.size(), ts);
      last = std::max(last, ts);
      if (!k.gone) session.items.push_back({k.key, 0, 0});
    }
    for (std::size_t i = 0; i < entry_items_.size(); ++i)
      if (history_[i].ts > last) {
        std::erase_if(session.items, [&](const Item& item) { return item.key == entry_items_[i].key; });
        session.items.push_back(entry_items_[i]);
      }
    return;
  }
  // A message that the history completed before, and no longer does, stays as it was.
  std::set<std::string_view> stored;
  for (const SourceItem& k : known)
    stored.insert(k.key);
  // The last request may still be written to, unless the whole history is gone.
  const bool reset = history_document_.whole && history_.empty();
  const auto last = std::find_if(messages_.rbegin(), messages_.rend(), [](const auto& m) { return m.is_request(); });
  for (std::size_t i = 0; i < messages_.size() && (reset || (last != messages_.rend() && &messages_[i] != &*last)); ++i)
    if (messages_[i].lacks_history() && stored.contains(messages_[i].key)) session.items[i].version = 0;
  const bool from_history = main_name_ == kApiHistory;
  if (from_history) session.items = entry_items_;
  const auto count = session.items.size();
  if (!(from_history ? history_document_ : main_).whole) append_stored_tail(known, session.items);
  if (!from_history && session.items.size() == count)
    session.items.insert(session.items.end(), entry_items_.begin(), entry_items_.end());
  // Entries were read while the messages were cut, and the messages tell them again.
  session.replaces_poorer_source =
      main_.whole && entry_items_.empty() && std::any_of(known.begin(), known.end(), is_entry);
}

Result<std::optional<SnapshotReader::Session>> TaskReader::session(const std::string& session_key,
                                                                   std::span<const SourceItem> known) {
  MEMD_TRY(load(""));
  if (session_key != path_.id) return std::optional<Session>();
  Session session;
  session.session_uid = make_session_uid(path_.platform, path_.id);
  session.head = head_;
  session.items = items_;
  keep_stored(known, session);
  if (torn_) session.items.push_back(*torn_);
  return std::optional<Session>(std::move(session));
}

Result<std::string> TaskReader::item(const std::string& session_key, const std::string& item_key) {
  MEMD_TRY(load(""));
  if (session_key == path_.id) return bytes_.bytes(item_key);
  return Error(Errc::not_found, "no such item any more");
}

}  // namespace memd::cline
