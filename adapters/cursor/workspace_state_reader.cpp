#include "adapters/cursor/workspace_state_reader.hpp"

#include "adapters/cursor/composer.hpp"
#include "adapters/cursor/item_json.hpp"
#include "adapters/cursor/places.hpp"
#include "adapters/cursor/state_rows.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/sqlite/read_only_database.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <sstream>
#include <unordered_map>

namespace memd::cursor {

using sqlite::Query;
using sqlite::ReadOnlyDatabase;

namespace {

constexpr std::array<std::string_view, 4> kKeys{"workbench.panel.aichat.view.aichat.chatdata", "composer.composerData",
                                                "aiService.prompts", "aiService.generations"};
constexpr std::array<std::string_view, 4> kTypes{"chatdata", "composer.composerData", "aiService", "aiService"};

struct Mark {
  std::string change;
  std::uint64_t size = 0;
  std::uint64_t ours = 0;  // hash of the rows that are read
};
Mark parse_mark(const std::string& text) {
  Mark mark;
  std::istringstream in(text);
  in >> mark.change >> mark.size >> mark.ours;
  return mark;
}

std::string numbered(std::string_view name, std::size_t number) {
  return std::string(name).append("#").append(std::to_string(number));
}

}  // namespace

WorkspaceStateReader::WorkspaceStateReader(const FileView& files, std::string path)
    : files_(files), path_(std::move(path)) {}

Result<void> WorkspaceStateReader::load() {
  if (loaded_) return {};
  talks_.clear();
  EventBatch rest;
  {
    MEMD_TRY_ASSIGN(const auto database, ReadOnlyDatabase::open(files_, path_));
    MEMD_TRY_ASSIGN(const bool has_table, database->has_table("ItemTable"));
    if (has_table) {
      std::unordered_set<std::string> keys;
      for (const auto key : kKeys)
        keys.emplace(key);
      MEMD_TRY_ASSIGN(size_, count_item_table(*database, keys, rest));
      MEMD_TRY_ASSIGN(Query query, database->prepare("SELECT value FROM ItemTable WHERE key = ?1"));
      for (std::size_t i = 0; i < kRows; ++i) {
        MEMD_TRY_ASSIGN(const bool row, query.bind(1, kKeys[i]).step());
        values_[i] = row ? std::string(query.text(0)) : std::string();
        left_[i] = row ? kKeys[i].size() + values_[i].size() : 0;
        size_ += left_[i];
        query.reset();
      }
    }
    MEMD_TRY(database->confirm());
  }
  folder_ = folder_of_workspace(files_, path_.substr(0, path_.find_last_of("/\\")));
  add_tabs();
  add_composers();
  MEMD_TRY(add_prompts());
  for (std::size_t i = 0; i < kRows; ++i)
    rest.cover(kTypes[i], Disposition::skipped, i == kComposers ? "listed_only" : "structure", left_[i],
               left_[i] > 0 ? 1 : 0);
  rest_ = std::move(rest.coverage);
  loaded_ = true;
  return {};
}

void WorkspaceStateReader::take(Row row, const Talk& talk) {
  left_[row] -= talk.head_bytes;
  for (const auto& record : talk.records)
    left_[row] -= record.bytes;
}

void WorkspaceStateReader::add_tabs() {
  const std::string_view value = values_[kTabs];
  for (const Element& tab : elements_of(value, "tabs", "tabId")) {
    const auto text = value.substr(tab.begin, tab.end - tab.begin);
    Talk talk;
    talk.id = tab.id;
    talk.head_bytes = text.size();
    Composer facts;
    facts.mode = "chat";
    facts.title = text_field(text, "chatTitle");
    facts.ended_at = number_field(text, "lastSendTime");
    std::unordered_map<std::string, std::size_t> seen;
    for (const Element& bubble : elements_of(text, "bubbles", "id")) {
      const auto bytes = text.substr(bubble.begin, bubble.end - bubble.begin);
      std::string key = bubble.id.empty() ? numbered("", talk.records.size()) : bubble.id;
      // A question and its answer may share an id.
      if (const auto n = ++seen[key]; n > 1) key = numbered(key, n);
      ItemJson json(item_kind::kTab);
      json.text("id", talk.id + "/" + key).time(facts.ended_at, true);
      talk.records.push_back({std::move(key), std::move(json).finish(bytes), bytes.size()});
      talk.head_bytes -= bytes.size();
    }
    if (talk.id.empty() || talk.records.empty()) continue;
    talk.head = head_json(facts, {}, folder_);
    take(kTabs, talk);
    talks_.push_back(std::move(talk));
  }
}

void WorkspaceStateReader::add_composers() {
  const std::string_view value = values_[kComposers];
  for (const Element& element : elements_of(value, "allComposers", "composerId")) {
    const auto text = value.substr(element.begin, element.end - element.begin);
    const auto composer = parse_composer(text);
    if (!composer || element.id.empty()) continue;
    std::vector<TimedBubble> timed;
    for (const auto& entry : composer->entries)
      timed.push_back({entry.user, read_own_time(text.substr(entry.begin, entry.end - entry.begin))});
    const auto times = bubble_times(timed, composer->started_at, composer->ended_at);
    Talk talk;
    talk.id = element.id;
    talk.head_bytes = text.size();
    for (std::size_t i = 0; i < composer->entries.size(); ++i) {
      const auto& entry = composer->entries[i];
      if (!entry.is_inline()) continue;  // header of a conversation in the global database
      ItemJson json(item_kind::kBubble);
      json.text("id", record_id(talk.id, entry.id)).time(times[i].time, times[i].estimated);
      const auto bytes = text.substr(entry.begin, entry.end - entry.begin);
      talk.records.push_back({entry.id, std::move(json).finish(bytes), bytes.size()});
      talk.head_bytes -= bytes.size();
    }
    if (talk.records.empty()) continue;
    talk.head = head_json(*composer, {}, folder_);
    take(kComposers, talk);
    talks_.push_back(std::move(talk));
  }
}

// Returns whether any conversation of this workspace still exists. Its prompts are then read from the conversation.
Result<bool> WorkspaceStateReader::has_conversations() const {
  if (!talks_.empty()) return true;
  const auto listed = elements_of(values_[kComposers], "allComposers", "composerId");
  const std::string global = user_folder(path_) + "/globalStorage/state.vscdb";
  if (listed.empty() || !files_.stat(global)) return false;
  MEMD_TRY_ASSIGN(const auto rows, StateRows::open(files_, global));
  for (const Element& element : listed) {
    MEMD_TRY_ASSIGN(const auto found, rows->conversation(element.id));
    if (found.missing == StateRows::Missing::no && !found.conversation.is_empty()) return true;
  }
  return false;
}

Result<void> WorkspaceStateReader::add_prompts() {
  const auto prompts = elements_of(values_[kPrompts], "", "text");
  const auto generations = elements_of(values_[kGenerations], "", "textDescription");
  if (prompts.empty() && generations.empty()) return {};
  MEMD_TRY_ASSIGN(const bool known, has_conversations());
  if (known) return {};

  Talk talk;
  const auto place = parse_place(path_);
  talk.id = (place ? place->native : std::string()) + "/prompts";
  std::unordered_map<std::string, std::size_t> seen;  // occurrences of texts with a time
  std::vector<Record> timed;
  TimeMs first = 0;
  for (const Element& element : generations) {
    const auto text = std::string_view(values_[kGenerations]).substr(element.begin, element.end - element.begin);
    const std::string uuid = text_field(text, "generationUUID");
    const TimeMs time = number_field(text, "unixMs");
    if (element.id.empty() || uuid.empty()) continue;
    if (first == 0) first = time;
    ++seen[element.id];
    ItemJson json(item_kind::kPrompt);
    json.text("id", uuid).time(time, false).text("text", element.id);
    timed.push_back({uuid, std::move(json).finish(), text.size()});
    left_[kGenerations] -= text.size();
  }
  if (const auto entry = files_.stat(path_); first == 0 && entry) first = entry->mtime;
  for (const Element& element : prompts) {
    if (json::trimmed(element.id).empty()) continue;
    if (const auto it = seen.find(element.id); it != seen.end() && it->second > 0) {
      --it->second;
      continue;
    }
    const std::string key = numbered(std::to_string(hash64(element.id)), talk.records.size());
    ItemJson json(item_kind::kPrompt);
    json.text("id", talk.id + "/" + key).time(first, true).text("text", element.id);
    talk.records.push_back({key, std::move(json).finish(), element.end - element.begin});
    left_[kPrompts] -= element.end - element.begin;
  }
  talk.records.insert(talk.records.end(), std::make_move_iterator(timed.begin()), std::make_move_iterator(timed.end()));
  if (talk.records.empty()) return {};
  Composer facts;
  facts.title = "Prompt history";
  facts.started_at = first;
  talk.head = head_json(facts, {}, folder_);
  talks_.push_back(std::move(talk));
  return {};
}

const WorkspaceStateReader::Talk* WorkspaceStateReader::find(const std::string& id) const {
  const auto it = std::find_if(talks_.begin(), talks_.end(), [&](const Talk& talk) { return talk.id == id; });
  return it == talks_.end() ? nullptr : &*it;
}

Result<SnapshotReader::Plan> WorkspaceStateReader::plan(const std::string& mark) {
  loaded_ = false;
  MEMD_TRY_ASSIGN(const std::string change, sqlite::change_mark(files_, path_));
  Plan plan;
  const auto before = parse_mark(mark);
  if (before.change == change) {
    plan.mark = mark;
    plan.unchanged = true;
    plan.size = before.size;
    return plan;
  }
  MEMD_TRY(load());
  // The editor writes its state continually; the rows read here seldom change.
  std::uint64_t ours = hash64(folder_);
  for (const auto& value : values_)
    ours = hash_combine(ours, hash64(value));
  plan.mark = change + " " + std::to_string(size_) + " " + std::to_string(ours);
  if (before.ours != ours)
    for (const Talk& talk : talks_)
      plan.sessions.push_back(talk.id);
  plan.rest = rest_;
  plan.size = size_;
  return plan;
}

Result<std::optional<SnapshotReader::Session>> WorkspaceStateReader::session(const std::string& session_key,
                                                                             std::span<const SourceItem>) {
  MEMD_TRY(load());
  const Talk* const talk = find(session_key);
  if (talk == nullptr) return std::optional<Session>();
  Session session;
  session.session_uid = make_session_uid(Platform::cursor, talk->id);
  session.head = Item{std::string(kHeadKey), hash_combine(version_of(talk->head), talk->head_bytes), talk->head_bytes};
  for (const Record& record : talk->records)
    session.items.push_back({record.key, version_of(record.json), record.bytes});
  return std::optional(std::move(session));
}

Result<std::string> WorkspaceStateReader::item(const std::string& session_key, const std::string& item_key) {
  MEMD_TRY(load());
  const Talk* const talk = find(session_key);
  if (talk == nullptr) return Error(Errc::not_found, "no such conversation");
  if (item_key == kHeadKey) return talk->head;
  for (const Record& record : talk->records)
    if (record.key == item_key) return record.json;
  return Error(Errc::not_found, "no such message");
}

}  // namespace memd::cursor
