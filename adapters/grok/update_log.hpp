#pragma once

#include "adapters/snapshot_reader.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/event_batch.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// updates.jsonl, the log of a session (xai-org/grok-build). A line is an update, {"timestamp": s, "method", "params":
// {"sessionId", "update": {"sessionUpdate": kind, …}, "_meta": {"promptId", "eventId", "agentTimestampMs", …}}}; older
// lines are the params alone. Texts arrive in chunks, a call and its result in several updates.
namespace memd::grok {

enum class What : std::uint8_t { user, interjection, agent, thought, call, result, turn, notice, damaged };
std::string_view to_string(What what);

struct Line {
  std::uint64_t offset = 0;
  std::uint32_t length = 0;  // without the newline
};

// A session that worked for a turn. Grok Build adds its tokens to those of the turn.
struct Helper {
  std::string session_id;
  TimeMs spawned = 0;
};

// Lines of one item: the chunks of a text, or a call and its updates until it ended.
struct LogItem {
  What what = What::notice;
  std::vector<Line> lines;
  std::uint64_t bytes = 0;  // newlines included
  std::uint64_t hash = 0;
  bool superseded = false;      // a turn that was reported again later
  bool say = false;             // a turn whose answer did not arrive in chunks
  std::vector<Helper> helpers;  // of a turn, in the order in which they began
  std::string key() const;      // offset and kind
};

// A point from which reading the log can resume: the start of the last prompt. Lines are never joined across a prompt:
// a late update of an earlier call becomes an item of its own.
struct ResumePoint {
  std::uint64_t offset = 0;
  std::uint64_t anchor = 0;                   // anchor_at() of the offset
  std::uint64_t items = 0;                    // number of items before it
  std::map<std::string, CoverageEntry> rest;  // lines before it that belong to no item, by type
};

struct UpdateLog {
  std::vector<LogItem> items;  // items from the start of the reading on
  std::map<std::string, CoverageEntry> rest;
  std::uint64_t torn = 0;  // bytes of an unfinished last line
  ResumePoint next;
};

// Reads the log from `from` to `size`, in pieces. Invalid lines become items.
Result<UpdateLog> read_update_log(const FileView& files, const std::string& path, std::uint64_t size,
                                  const ResumePoint& from);

// Returns a hash of the log's first bytes and of those before `offset`, used to check that the log still has the same
// beginning. 0 when the log ends before `offset`.
Result<std::uint64_t> anchor_at(const FileView& files, const std::string& path, std::uint64_t offset);

std::uint64_t offset_of_key(std::string_view key);

// Returns the token usage, as written, of the turns in a log that ended between two times, both included.
Result<std::vector<std::string>> usage_between(const FileView& files, const std::string& path, TimeMs from, TimeMs to);

}  // namespace memd::grok
