#pragma once

#include "adapters/snapshot/document.hpp"
#include "schemas/event.hpp"

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
  FileTouch file;    // for an edit; without a path otherwise
};

// One interface message, or several pieces of one output.
struct UiMessage {
  std::vector<snapshot::Element> elements;  // the first is the message itself
  std::int64_t ts = 0;
  std::string kind;  // "say:tool"
  std::string key;   // unique in the task, equal in each version
  std::optional<std::int64_t> history_index;
  std::optional<std::pair<std::int64_t, std::int64_t>> dropped;  // set on the first message with this range
  bool damaged = false;
  bool partial = false;
  bool superseded = false;     // unfinished, and written again later under the same time
  bool repeated = false;       // an output that the next request repeats in full
  bool tells_results = false;  // for a request: its text has the results of the calls before

  ToolCall call;                       // for a call: as shown, without an id
  std::optional<std::string> block;    // joined, for a call: its tool_use block
  std::optional<std::string> results;  // joined, for a request: content of its user entry
  std::vector<ToolCall> calls;         // for a request: the calls its results answer; for an output: its call

  bool is_request() const { return kind == "say:api_req_started"; }
  bool is_call() const { return !call.tool.empty(); }
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
  std::string content;             // of a user entry, as JSON
  std::vector<std::string> texts;  // of its blocks
  std::vector<std::string> talk;   // what calls of the assistant tell the user
  std::vector<ToolUse> calls;
};

// Returns the number of entries before the first one of which the interface messages tell nothing, nor of any entry
// after it: they were cut, or a crash lost the last ones. Entries are told by a join or by the same words.
std::size_t told_entries(const std::vector<UiMessage>& messages, const snapshot::Document& ui,
                         const std::vector<HistoryEntry>& history);

std::vector<UiMessage> read_ui_messages(const snapshot::Document& document);
std::vector<HistoryEntry> read_history(const snapshot::Document& document);
void join(std::vector<UiMessage>& messages, std::vector<HistoryEntry>& history);

// Returns the path in "# Current Working Directory (/x) Files" of the text sent to the model; empty when it is missing.
std::string find_working_directory(std::string_view document);

}  // namespace memd::cline
