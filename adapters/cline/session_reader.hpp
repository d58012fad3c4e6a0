#pragma once

#include "adapters/cline/folder.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/snapshot/document.hpp"
#include "adapters/snapshot/held_items.hpp"
#include "adapters/snapshot_reader.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::cline {

// Reads a session of generation 2. Its folder contains a manifest, a document of messages for the lead agent, and a
// document for each subagent, which is a session of its own. One thread at a time; `files` must outlive it.
//
// Items are {"key", "record", "cwd"?, "time", "estimated"?, "copied"?, "message": as written}. Cline gives messages new
// ids and times when a session is resumed, so a message is identified by its content: an answer by its time, results by
// the id of the first call, a prompt by a hash of its text and by the answer that follows. A prompt has no time of its
// own: it gets one just before the next message, or else just after the previous one. The file of a compaction
// replaces that of the one before, which stays in the store: the key has the number of messages before it.
class SessionReader : public SnapshotReader {
 public:
  SessionReader(SourcePath path, const FileView& files) : path_(std::move(path)), files_(files) {}

  Result<Plan> plan(const std::string& mark) override;
  Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) override;
  Result<std::string> item(const std::string& session_key, const std::string& item_key) override;

 private:
  struct Agent {
    std::string native_id;
    Item head;
    snapshot::Document document;
    std::vector<Item> items;
    snapshot::HeldItems bytes;
    bool has_compaction = false;
  };
  Result<void> load();
  Result<void> load_agent(const FileView::Entry& entry, const FileView::Entry* compaction);
  void read_manifest(std::string_view text);
  std::string head_of(const std::string& native_id, std::string_view subagent) const;
  void add_items(Agent& agent, const std::string& compaction, std::uint64_t compaction_size);

  SourcePath path_;
  const FileView& files_;
  bool loaded_ = false;
  Folder folder_;
  json::DomParser manifest_parser_;
  json::dom::object manifest_;
  std::string cwd_;
  TimeMs started_ = 0;
  TimeMs forked_ = 0;
  std::map<std::string, Agent> agents_;  // by native id, which is the session key
  std::vector<CoverageEntry> rest_;
  json::DomParser parser_;
};

}  // namespace memd::cline
