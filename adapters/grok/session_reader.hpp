#pragma once

#include "adapters/grok/update_log.hpp"
#include "adapters/snapshot/held_items.hpp"
#include "adapters/snapshot_reader.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Sources of Grok Build: one per session folder, <root>/sessions/<percent-encoded cwd>/<session id>/.
namespace memd::grok {

inline constexpr std::string_view kUpdates = "updates.jsonl";
inline constexpr std::string_view kChatHistory = "chat_history.jsonl";
inline constexpr std::string_view kSummary = "summary.json";

struct SourcePath {
  std::filesystem::path folder;
  std::string id;    // session id
  std::string main;  // path that identifies the source: the log of updates, whether or not it exists
  std::string cwd;   // decoded from the folder's name; summary.json is more reliable
};

// Returns the source a file belongs to; nullopt if it belongs to none.
std::optional<SourcePath> parse_source_path(const std::filesystem::path& file);

// "%2Fhome%2Fada" → "/home/ada"; empty when it does not decode to a path.
std::string decode_directory(std::string_view name);

bool is_temporary(std::string_view name);

// Reads a session of Grok Build from its log of updates, or, if that is missing, from chat_history.jsonl, which has no
// times; a session whose log was read and is gone is gone. One thread at a time; `files` must outlive it.
//
// Reading resumes at the last prompt of the log, so a new line costs reading one exchange, regardless of the size of
// the log. The mark contains the offset of that prompt, the totals of the lines before it, and a hash of the log's
// first bytes and of those before the prompt. The hash detects that the log was truncated (a rewind of older versions);
// the log is then read from the start. Newer versions write a rewind as a line of its own; the events before it are
// kept.
//
// Items: {"key", "record", "what", "time", "text"} for texts, with the chunks joined; {…, "updates": […]} for a call;
// {…, "update"} for other updates; {"key", "record", "time", "estimated", "chat"} from chat_history.jsonl.
class SessionReader : public SnapshotReader {
 public:
  SessionReader(SourcePath path, const FileView& files) : path_(std::move(path)), files_(files) {}

  Result<Plan> plan(const std::string& mark) override;
  Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) override;
  Result<std::string> item(const std::string& session_key, const std::string& item_key) override;

 private:
  struct Mark {
    std::string state;  // state of all files
    std::uint64_t inode = 0;
    ResumePoint resume;
    bool subagent = false;  // its prompts are then tasks of the parent agent
    std::string write() const;
    static std::optional<Mark> read(const std::string& text);
  };
  Result<void> look();
  Result<void> load_log(const ResumePoint& from);
  Result<void> load_chat();
  std::string head_item() const;
  Result<std::string> log_item(const LogItem& item) const;
  // Token usage, as written, that the turn contains and that its helpers have in their own logs.
  Result<std::vector<std::string>> usage_of_helpers(const LogItem& turn, std::string_view line) const;
  std::optional<std::string> log_of(const std::string& session_id) const;
  Result<LogItem> find_log_item(const std::string& key);

  SourcePath path_;
  const FileView& files_;
  bool looked_ = false;
  std::vector<FileView::Entry> entries_;
  std::string state_;
  std::optional<FileView::Entry> log_entry_;
  std::optional<FileView::Entry> chat_entry_;
  std::string summary_;
  std::optional<ResumePoint> from_;  // the point from which the log was read
  UpdateLog log_;
  std::map<std::string, std::size_t> by_key_;
  std::vector<Item> chat_;
  snapshot::HeldItems chat_bytes_;
  std::uint64_t chat_rest_ = 0;
};

}  // namespace memd::grok
