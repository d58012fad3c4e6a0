#pragma once

#include "adapters/snapshot_reader.hpp"
#include "schemas/event_batch.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// updates.jsonl, the log of a session (xai-org/grok-build). A line is an update, {"timestamp": s, "method",
// "params": {"sessionId", "update":
// {"sessionUpdate": kind, …}, "_meta": {"promptId", "eventId", "agentTimestampMs", …}}}; older lines are the params
// alone. Texts come in chunks, a call and its result in several updates.
namespace memd::grok {

enum class What : std::uint8_t { user, interjection, agent, thought, call, result, turn, notice, damaged };
std::string_view to_string(What what);

struct Line {
  std::uint64_t offset = 0;
  std::uint32_t length = 0;  // without the newline
};

// Lines that belong together: the chunks of a text, a call and what was added to it before it ended.
struct LogItem {
  What what = What::notice;
  std::vector<Line> lines;
  std::uint64_t bytes = 0;  // newlines included
  std::uint64_t hash = 0;
  bool superseded = false;  // a turn that was reported again
  bool say = false;         // a turn whose answer did not come in chunks
  std::string key() const;  // place and kind
};

// A place from which the log can be read on: the start of the last prompt. Lines are never joined across a prompt: what
// comes late for an earlier call is an item of its own.
struct ResumePoint {
  std::uint64_t offset = 0;
  std::uint64_t anchor = 0;                   // hash of the bytes before it
  std::uint64_t items = 0;                    // before it
  std::map<std::string, CoverageEntry> rest;  // lines before it that are no items, by type
};

struct UpdateLog {
  std::vector<LogItem> items;  // from where the reading started
  std::map<std::string, CoverageEntry> rest;
  std::uint64_t torn = 0;  // bytes of a last line that is not written to its end
  ResumePoint next;
};

// Reads the log from `from` to `size`, in pieces. Bad lines are items.
Result<UpdateLog> read_update_log(const FileView& files, const std::string& path, std::uint64_t size,
                                  const ResumePoint& from);

// Hash of the bytes before `offset`, to see whether the log still begins as it did.
Result<std::uint64_t> anchor_at(const FileView& files, const std::string& path, std::uint64_t offset);

std::uint64_t offset_of_key(std::string_view key);

}  // namespace memd::grok
