#pragma once

#include "adapters/json/json_access.hpp"
#include "adapters/snapshot/held_items.hpp"
#include "adapters/snapshot_reader.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd::vibe {

inline constexpr std::string_view kCurrent = "CURRENT";  // the file that names the newest generation

// Reads a session of the unified store. Its history is a list of entries: those in the chunks that the manifest of the
// newest generation names, changed by the journal since. Vibe removes older generations, whose entries the newer ones
// have, too. One thread at a time; `files` must outlive it.
//
// Items: {"entry": as written}; {"id", "time", "summary"} behind a compaction, if it is the last one, whose summary the
// checkpoint has. The head: {"cwd"?, "branch"?, "model"?, "title"?, "named"?, "parent"?, "session"?: as written}.
class SessionReader : public SnapshotReader {
 public:
  // `folder`: the session's; its name is the native id.
  SessionReader(std::string folder, const FileView& files);

  Result<Plan> plan(const std::string& mark) override;
  Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) override;
  Result<std::string> item(const std::string& session_key, const std::string& item_key) override;

 private:
  Result<std::string> look();  // at the files; returns their state
  Result<void> load();
  Result<std::string> read(const std::string& name);  // a file that look() listed; empty if it did not
  void read_journal(std::string_view text);
  bool change(std::string_view operation);  // false: not known
  void put(std::string_view entry);
  void add_summary(std::string_view chunk);
  void set_head(std::string_view meta, std::string_view cwd);  // `cwd`: of a subagent, which has no meta.json

  const std::string folder_;
  const std::string id_;
  const FileView& files_;
  std::map<std::string, FileView::Entry> listed_;  // by path below the folder
  std::uint64_t size_ = 0;                         // of all of them
  std::string generation_;                         // folder of the newest one
  bool loaded_ = false;
  std::string session_;             // the newest state of the session, JSON
  std::vector<std::string> order_;  // ids of entries
  std::map<std::string, std::string> entries_;
  std::optional<std::string> compaction_;  // id of the last one
  std::string summary_;
  std::uint64_t unknown_lines_ = 0, unknown_bytes_ = 0;  // of the journal
  Item head_;
  std::vector<Item> items_;
  snapshot::HeldItems bytes_;
  json::DomParser parser_;
};

}  // namespace memd::vibe
