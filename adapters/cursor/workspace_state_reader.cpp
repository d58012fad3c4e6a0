#include "adapters/cursor/readers.hpp"

#include "adapters/cursor/composer.hpp"
#include "adapters/cursor/item_json.hpp"
#include "adapters/cursor/state_rows.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/snapshot/held_source.hpp"
#include "adapters/sqlite/read_only_database.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <array>
#include <unordered_map>

namespace memd::cursor {

using sqlite::Query;
using sqlite::ReadOnlyDatabase;

namespace {

constexpr std::array<std::string_view, 4> kKeys{"workbench.panel.aichat.view.aichat.chatdata", "composer.composerData",
                                                "aiService.prompts", "aiService.generations"};
constexpr std::array<std::string_view, 4> kTypes{"chatdata", "composer.composerData", "aiService", "aiService"};

std::string numbered(std::string_view name, std::size_t number) {
  return std::string(name).append("#").append(std::to_string(number));
}

class WorkspaceStateReader final : public snapshot::HeldSource {
 public:
  WorkspaceStateReader(const FileView& files, std::string path, std::string native)
      : HeldSource(files, std::move(path)), native_(std::move(native)) {}

 protected:
  Result<std::string> state() override { return sqlite::change_mark(files_, path_); }

  Result<void> read() override {
    has_talks_ = false;
    values_ = {};
    left_ = {};
    EventBatch others;
    {
      MEMD_TRY_ASSIGN(const auto database, ReadOnlyDatabase::open(files_, path_));
      MEMD_TRY_ASSIGN(const bool has_table, database->has_table("ItemTable"));
      if (has_table) {
        MEMD_TRY_ASSIGN(size_, count_item_table(*database, kKeys, others));
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
    for (const auto& line : others.coverage)
      note(line.record_type, line.disposition, line.reason, line.bytes, line.records);
    for (std::size_t i = 0; i < kRows; ++i)
      note(kTypes[i], Disposition::skipped, i == kComposers ? "listed_only" : "structure", left_[i],
           left_[i] > 0 ? 1 : 0);
    return {};
  }

 private:
  struct Record {
    std::string key;
    std::string json;  // JSON of the item
    std::uint64_t bytes = 0;
    std::uint64_t version = 0;  // 0: a hash of the JSON
  };
  struct Talk {
    std::string id;
    std::uint64_t bytes = 0;
    std::vector<Record> records;
    std::uint64_t head_version = 0;  // 0: a hash of the head
  };
  enum Row : std::size_t { kTabs, kComposers, kPrompts, kGenerations, kRows };

  // Adds a conversation, unless it has no records. Returns whether it did.
  bool add(Talk talk, const Composer& facts) {
    if (talk.id.empty() || talk.records.empty()) return false;
    has_talks_ = true;
    Held& held = add_session(talk.id, make_session_uid(Platform::cursor, talk.id));
    for (Record& record : talk.records) {
      talk.bytes -= std::min(talk.bytes, record.bytes);
      held.add(record.key, std::move(record.json), record.bytes, record.version);
    }
    held.add_head(head_json(facts, {}, folder_), talk.bytes, talk.head_version);
    return true;
  }

  void add_tabs() {
    const std::string_view value = values_[kTabs];
    for (const Element& tab : elements_of(value, "tabs", "tabId")) {
      const auto text = value.substr(tab.begin, tab.end - tab.begin);
      Talk talk{tab.id, text.size(), {}, 0};
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
        talk.records.push_back({std::move(key), std::move(json).finish(bytes), bytes.size(), 0});
      }
      if (add(std::move(talk), facts)) left_[kTabs] -= text.size();
    }
  }

  void add_composers() {
    const std::string_view value = values_[kComposers];
    for (const Element& element : elements_of(value, "allComposers", "composerId")) {
      const auto text = value.substr(element.begin, element.end - element.begin);
      const auto composer = parse_composer(text);
      if (!composer || element.id.empty()) continue;
      std::vector<TimedBubble> timed;
      for (const auto& entry : composer->entries)
        timed.push_back({entry.user, read_own_time(text.substr(entry.begin, entry.end - entry.begin))});
      const auto times = bubble_times(timed, composer->started_at, composer->ended_at);
      Talk talk{element.id, text.size(), {}, 0};
      for (std::size_t i = 0; i < composer->entries.size(); ++i) {
        const auto& entry = composer->entries[i];
        if (!entry.is_inline()) continue;  // header of a conversation in the global database
        ItemJson json(item_kind::kBubble);
        json.text("id", record_id(talk.id, entry.id)).time(times[i].time, times[i].estimated);
        const auto bytes = text.substr(entry.begin, entry.end - entry.begin);
        talk.records.push_back({entry.id, std::move(json).finish(bytes), bytes.size(), 0});
      }
      if (add(std::move(talk), *composer)) left_[kComposers] -= text.size();
    }
  }

  // Returns whether any conversation of this workspace still exists. Its prompts are then read from the conversation.
  Result<bool> has_conversations() const {
    if (has_talks_) return true;
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

  Result<void> add_prompts() {
    const auto prompts = elements_of(values_[kPrompts], "", "text");
    const auto generations = elements_of(values_[kGenerations], "", "textDescription");
    if (prompts.empty() && generations.empty()) return {};
    MEMD_TRY_ASSIGN(const bool known, has_conversations());
    if (known) return {};

    // The file's time stands for those that are not known, and changes with each write.
    Talk talk{native_ + "/prompts", 0, {}, hash64(values_[kPrompts], hash64(values_[kGenerations])) | 1};
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
      timed.push_back({uuid, std::move(json).finish(), text.size(), 0});
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
      talk.records.push_back({key, std::move(json).finish(), element.end - element.begin, version_of(key)});
      left_[kPrompts] -= element.end - element.begin;
    }
    talk.records.insert(talk.records.end(), std::make_move_iterator(timed.begin()),
                        std::make_move_iterator(timed.end()));
    Composer facts;
    facts.title = "Prompt history";
    facts.started_at = first;
    add(std::move(talk), facts);
    return {};
  }

  const std::string native_;
  std::string folder_;
  std::array<std::string, kRows> values_;
  std::array<std::uint64_t, kRows> left_{};  // bytes of the rows that belong to no item
  bool has_talks_ = false;
};

}  // namespace

std::unique_ptr<SnapshotReader> open_workspace_state(const FileView& files, SourcePlace place) {
  return std::make_unique<WorkspaceStateReader>(files, std::move(place.main), std::move(place.native));
}

}  // namespace memd::cursor
