#pragma once

#include "adapters/snapshot/document.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The two documents in which a task of generation 1 is stored, and how they are joined.
//
// The user interface messages (ui_messages.json) have the times, the tokens and the user's text. The model history
// (api_conversation_history.json) has the complete inputs of tool calls and their ids. The interface messages are
// therefore the record, and the history is joined to them:
//
//   * A message's conversationHistoryIndex is the last entry of the history at that moment. A call shown with an index
//     k belongs to the assistant's entry k, or k + 1 when k is the user's: calls are shown while the answer streams,
//     before it is stored. A request (api_req_started) with index k is the user's entry k + 1.
//   * Without an index (before 2025, Roo Code) the history's own times are used: a request is the first user entry not
//     older than it. Without those, the n-th request is entry 2n.
//   * Inside an assistant's entry the calls shown are matched to its tool_use blocks in order, by compatible names.
//     Calls written as XML in the text need no match: the interface message contains all their data.
//   * A call's id is that of its tool_use block, otherwise the message's own key. The next request contains the results
//     of the calls since the previous one, as blocks with ids or as text under headings.
namespace memd::cline {

struct ToolCall {
  std::string id;
  std::string tool;  // the model's name
  std::string path;  // for an edit
  std::int32_t lines_added = 0;
  std::int32_t lines_removed = 0;
};

// One interface message, or several pieces of one output.
struct UiMessage {
  std::vector<snapshot::Element> elements;  // the first is the message itself
  std::int64_t ts = 0;
  std::string kind;  // "say:tool"
  std::string key;   // unique in the task, equal in each version
  std::string tool;  // for a call: the model's name of the tool
  std::string path;  // for a call: the file it concerns
  std::optional<std::int64_t> history_index;
  std::optional<std::pair<std::int64_t, std::int64_t>> dropped;  // set on the first message with this range
  bool damaged = false;
  bool partial = false;
  bool superseded = false;     // unfinished, and written again later under the same time
  bool repeated = false;       // an output that the next request repeats in full
  bool tells_results = false;  // for a request: its text has the results of the calls before

  std::optional<std::string> block;    // joined, for a call: its tool_use block
  std::optional<std::string> results;  // joined, for a request: content of its user entry
  std::vector<ToolCall> calls;         // for a request: the calls its results answer; for an output: its call
  std::int32_t lines_added = 0;        // for a call that edits
  std::int32_t lines_removed = 0;

  bool is_request() const { return kind == "say:api_req_started"; }
  bool is_call() const { return !tool.empty(); }
  // Whether the history should add to this message, and does not: it was lost or reset.
  bool lacks_history() const;
  std::size_t bytes() const;
};

struct ToolUse {
  std::string id;
  std::string name;
  std::string json;
  bool taken = false;
};
struct HistoryEntry {
  snapshot::Element element;
  std::int64_t ts = 0;
  bool assistant = false;
  bool has_results = false;  // tool_result blocks
  bool joined = false;
  std::vector<ToolUse> calls;
};

// Returns the number of entries before the first one of which the interface messages tell nothing, nor of any entry
// after it: they were cut, or a crash lost the last ones. Entries are told by a join or by the same words.
std::size_t told_entries(const std::vector<UiMessage>& messages, const snapshot::Document& ui,
                         const std::vector<HistoryEntry>& history, const snapshot::Document& document);

std::vector<UiMessage> read_ui_messages(const snapshot::Document& document);
std::vector<HistoryEntry> read_history(const snapshot::Document& document);
void join(std::vector<UiMessage>& messages, std::vector<HistoryEntry>& history, const snapshot::Document& document);

// Returns the path in "# Current Working Directory (/x) Files" of the text sent to the model; empty when it is missing.
std::string find_working_directory(std::string_view document);

struct HistoryItem {
  std::string key;
  std::string bytes;
  std::uint64_t ledger_bytes = 0;
};

// Returns the items of the entries of which the interface messages tell nothing: entry `from` and those after it, as
// {"key", "cwd"?, "time", "estimated"?, "calls"?, "message"}. Entries of early Cline have no times: they follow
// `after`, or else the task's start, which its id contains.
std::vector<HistoryItem> history_items(std::string_view task_id, const snapshot::Document& document,
                                       const std::vector<HistoryEntry>& history, std::string_view cwd, std::size_t from,
                                       std::int64_t after);

}  // namespace memd::cline
