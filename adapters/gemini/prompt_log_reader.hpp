#pragma once

#include "adapters/gemini/paths.hpp"
#include "adapters/snapshot/held_items.hpp"
#include "adapters/snapshot_reader.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace memd::gemini {

// Reads logs.json of a project: the prompts typed there, [{"sessionId", "messageId", "type", "message", "timestamp"}]
// (google-gemini/gemini-cli, logger.ts). They remain when a chat was deleted or never recorded. Each becomes a user_msg
// with origin history; the store keeps those that are in no chat. Gemini CLI rewrites the file for each prompt; entries
// that are missing in a later version stay. One thread at a time; `files` must outlive it.
class PromptLogReader : public SnapshotReader {
 public:
  PromptLogReader(const FileView& files, std::string path, ChatPath place)
      : files_(files), path_(std::move(path)), place_(std::move(place)) {}

  Result<Plan> plan(const std::string& mark) override;
  Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) override;
  Result<std::string> item(const std::string& session_key, const std::string& item_key) override;

 private:
  struct Prompts {
    std::vector<Item> entries;
    snapshot::HeldItems held;
  };
  Result<void> load();

  const FileView& files_;
  std::string path_;
  ChatPath place_;
  bool loaded_ = false;
  std::uint64_t size_ = 0;
  std::uint64_t damaged_ = 0;  // elements that name no session
  std::uint64_t damaged_bytes_ = 0;
  std::uint64_t torn_ = 0;          // bytes of an entry that is being written
  std::vector<std::string> order_;  // native ids of the sessions
  std::map<std::string, Prompts> sessions_;
};

}  // namespace memd::gemini
