#pragma once

#include "adapters/snapshot/document.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The two views a task of generation 1 keeps of itself, and how they are joined.
//
// The messages for the user interface (ui_messages.json) have the times, the tokens and what people said; the history
// for the model (api_conversation_history.json) has the whole inputs of tool calls and their ids. So the messages of
// the interface are the record, and the history is joined to them:
//
//  * A message's conversationHistoryIndex is the last entry of the history at that moment. A call that is shown with
//    an index k belongs to the assistant's entry k, or k + 1 when k is the user's: calls are shown while the answer
//    streams, before it is filed. A request (api_req_started) with index k is the user's entry k + 1.
//  * Without an index (before 2025, Roo Code) the history's own times decide: a request is the first user entry not
//    older than it. Without those, the n-th request is entry 2n.
//  * Inside an assistant's entry the calls shown take its tool_use blocks in order, by a name that can be theirs. Where
//    calls stand as XML in the text, the message of the interface says it all.
//  * A call's id is that of its tool_use block; without one it is the message's own key. The next request carries
//    the results of the calls since the last, as blocks with ids or as text under headings.
namespace memd::cline {

struct ToolCall {
  std::string id;
  std::string tool;  // towards the model
  std::string path;  // of an edit
  std::int32_t lines_added = 0;
  std::int32_t lines_removed = 0;
};

// One message of the interface, or several pieces of one output.
struct UiMessage {
  std::vector<snapshot::Element> elements;  // the first is the message
  std::int64_t ts = 0;
  std::string kind;  // "say:tool"
  std::string key;   // unique in the task, the same in each version
  std::string tool;  // of a call: its name towards the model
  std::string path;  // of a call: the file it is about
  std::optional<std::int64_t> history_index;
  std::optional<std::pair<std::int64_t, std::int64_t>> dropped;  // this message is the first with this range
  bool damaged = false;
  bool partial = false;
  bool superseded = false;  // unfinished, and written again under the same time
  bool repeated = false;    // an output that the next request repeats in full

  std::optional<std::string> block;    // joined: the tool_use block of a call
  std::optional<std::string> results;  // joined: content of the user's entry of a request
  std::vector<ToolCall> calls;         // of a request: what its results answer; of an output: its call
  std::int32_t lines_added = 0;        // of a call that edits
  std::int32_t lines_removed = 0;

  bool is_request() const { return kind == "say:api_req_started"; }
  bool is_call() const { return !tool.empty(); }
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

std::vector<UiMessage> read_ui_messages(const snapshot::Document& document);
std::vector<HistoryEntry> read_history(const snapshot::Document& document);
void join(std::vector<UiMessage>& messages, std::vector<HistoryEntry>& history, const snapshot::Document& document);

// "# Current Working Directory (/x) Files" in what is sent to the model; empty when it is not there.
std::string find_working_directory(std::string_view document);

struct HistoryItem {
  std::string key;
  std::string bytes;
  std::uint64_t ledger_bytes = 0;
};

// The items of a task whose messages are lost: the entries of the history for the model, as {"key", "cwd"?, "time",
// "estimated"?, "calls"?, "message"}. Cline's entries have no times: theirs is the task's start, which its id tells.
// Roo Code's entries have times.
std::vector<HistoryItem> history_items(std::string_view task_id, const snapshot::Document& document,
                                       const std::vector<HistoryEntry>& history, std::string_view cwd);

}  // namespace memd::cline
