#pragma once

#include "adapters/snapshot/held_items.hpp"
#include "adapters/snapshot_reader.hpp"
#include "schemas/event_batch.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd::openhands {

inline constexpr std::string_view kStateName = "base_state.json";
inline constexpr std::string_view kSubagents = "subagents";  // in a conversation: a conversation for each

// Returns the number in the name of an event's file, "event-<number>-<uuid>.json"; nullopt for other names.
std::optional<std::uint64_t> event_number(std::string_view file_name);

// Reads a conversation: base_state.json, which is rewritten, and a file in events/ for each event, which is not. Tokens
// are in the state, by the id of their response. One thread at a time; `files` must outlive it.
//
// Items: {"usage"?: as written, "event": as written}. An event's "action" is left out where the model's
// own arguments, of which OpenHands makes it, are beside it. {"damaged":true} is a file that is no JSON object; one
// that ends too early is being written, and waits. The head is {"cwd"?, "model"?, "cost"?, "parentID"?}.
class ConversationReader : public SnapshotReader {
 public:
  // `folder`: the conversation's; its name is the native id.
  ConversationReader(std::string folder, const FileView& files);

  Result<Plan> plan(const std::string& mark) override;
  Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) override;
  Result<std::string> item(const std::string& session_key, const std::string& item_key) override;

 private:
  Result<std::string> look();  // at the files; returns their state
  Result<void> load();
  // Reads a file that may be being written: nullopt then.
  Result<std::optional<std::string>> read_newest(const FileView::Entry& file);
  std::string read_state(std::string_view text);
  std::string event_item(std::string_view text) const;

  const std::string folder_;
  const std::string id_;
  const FileView& files_;
  std::optional<FileView::Entry> state_;
  std::map<std::uint64_t, FileView::Entry> events_;  // by number
  CoverageEntry rest_{"(other)", Disposition::skipped, "not_conversation", 0, 0};
  CoverageEntry torn_{"(torn)", Disposition::skipped, "unfinished", 0, 0};
  bool loaded_ = false;
  std::map<std::string, std::string, std::less<>> usages_;  // JSON, by id of the response
  std::optional<Item> head_;
  std::vector<Item> items_;
  snapshot::HeldItems bytes_;
};

}  // namespace memd::openhands
