#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/platform.hpp"
#include "schemas/tool_facts.hpp"
#include "schemas/usage.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// The kind of an event. The numeric values are stored (docs/store-format.md): append, never renumber.
enum class EventKind : std::uint8_t {
  user_msg = 0,
  assistant_msg = 1,
  thinking = 2,
  tool_call = 3,
  tool_result = 4,
  error = 5,
  test_run = 6,
  edit = 7,
  retry = 8,
  human_intervention = 9,
  decision = 10,
  lifecycle = 11,
};
inline constexpr int kEventKindCount = 12;
std::string_view to_string(EventKind k);
std::optional<EventKind> parse_event_kind(std::string_view text);

// Prefix of the text of an adapter's `decision` event for an accepted plan; the beginning of the plan follows. The text
// of its other decisions is "question: answer", one per line.
inline constexpr std::string_view kPlanAccepted = "Plan accepted: ";

enum class Role : std::uint8_t { none = 0, user = 1, assistant = 2, system = 3, tool = 4 };
std::string_view to_string(Role r);

// Origin of the text of a user message or an intervention. Stored as numbers.
enum class Origin : std::uint8_t {
  none = 0,          // not written by a person, or unknown
  typed = 1,         // an ordinary prompt
  command = 2,       // a slash command
  shell = 3,         // a "!" command
  plan = 4,          // "implement the following plan", made by the client when a plan was accepted
  queued = 5,        // typed while the agent worked, and taken in without a record of its own
  embedded = 6,      // typed while rejecting or interrupting a tool, inside the tool's result
  parent_agent = 7,  // the task a parent agent gave to a subagent
  injected = 8,      // inserted by the client; not human
  history = 9,       // from a prompt history; the transcript may be gone
};
std::string_view to_string(Origin o);

enum class FileAccess : std::uint8_t { read = 0, modified = 1, referenced = 2 };
std::string_view to_string(FileAccess a);

struct FileTouch {
  std::string path;  // as the agent wrote it; absolute where the agent says so
  FileAccess access = FileAccess::referenced;
  std::int32_t lines_added = 0;
  std::int32_t lines_removed = 0;
  bool deletes = false;  // the file is deleted, with or without a count of its lines
  bool operator==(const FileTouch&) const = default;
};

using SourceId = std::int64_t;  // row of the sources table

// Position of a record in its source, from which the full text can be read without being stored twice.
struct RawRef {
  std::uint64_t offset = 0;  // bytes from the start of the source
  std::uint32_t length = 0;  // bytes of the record without its newline
  std::uint16_t block = 0;   // content block inside the record
};

// Summaries of results of commands that did not end.
inline constexpr std::string_view kInterruptedMark = "[interrupted]";
inline constexpr std::string_view kBackgroundMark = "[moved to the background]";
inline constexpr std::string_view kCancelledMark = "[cancelled]";
inline constexpr std::string_view kRejectedMark = "[rejected]";

// Where and with what was worked. Empty: not told.
struct WorkContext {
  std::string cwd;
  std::string git_branch;
  std::string model;
  std::string agent_version;
  bool operator==(const WorkContext&) const = default;

  static constexpr auto parts() {
    return std::array{&WorkContext::cwd, &WorkContext::git_branch, &WorkContext::model, &WorkContext::agent_version};
  }
  bool has_context() const { return *this != WorkContext(); }
  // Takes from `other` what is not told here.
  void fill_from(const WorkContext& other) {
    for (const auto part : parts())
      if ((this->*part).empty()) this->*part = other.*part;
  }
  // Clears what `other` tells.
  void leave_out(const WorkContext& other) {
    for (const auto part : parts())
      if (!(other.*part).empty()) (this->*part).clear();
  }
};

// What a record tells of all its events. The assembler turns changes of the context into lifecycle events.
struct RecordContext : WorkContext {
  TimeMs time = 0;
  bool time_estimated = false;  // the platform gives no time for the record; `time` is a guess between its neighbours
  // The platform gives the record no id, so event_id is unique within its session only. Copies of the record at the
  // start of a fork are recognised by their content: the text of human words, input_hash of all else.
  bool id_is_local = false;
  bool is_sidechain = false;
};

// What an event and its row have in common.
struct EventHead {
  // Identity of the fact on its platform, the same in every copy of the record. The first event of a record carries
  // record_key(platform, native record id); each further one event_key(record_key, its index in the record). The
  // session id is not part of it, because forks rewrite it.
  std::uint64_t event_id = 0;
  EventKind kind = EventKind::lifecycle;
  Role role = Role::none;
  Origin origin = Origin::none;
  RawRef raw;
  std::string tool;  // of tool_call and tool_result
};

// A fact emitted by an adapter. Everything that depends on other records (pairing, numbering, exchanges,
// de-duplication, retries, test outcomes) is the assembler's work, not the adapter's.
struct Event : EventHead, RecordContext {
  std::string session_uid;
  // The record repeats what another record of the source usually tells: a message, a call, a result, a usage. The event
  // is stored only where that other record is missing, or tells less (store/write/echoes.hpp).
  bool is_echo = false;
  // The event that this one follows: event_id of the first event of the record that its own record names, or of its own
  // record. 0: the record says that it follows none. nullopt: the platform does not record it.
  std::optional<std::uint64_t> parent_id;

  std::string text;     // message, thinking, error text, result text (the adapter bounds results, see kResultTextLimit)
  std::string summary;  // one line, set by the adapter when `text` is no summary (tool calls, lifecycle)

  // tool_call, tool_result
  std::string call_id;           // pairs call and result
  std::string search_text;       // searchable parts of a call: command, path, pattern, description
  std::uint64_t input_hash = 0;  // equal for equal input of the same tool; 0 when there is none
  bool is_error = false;
  bool is_test = false;  // a shell command that runs tests
  std::vector<FileTouch> files;
  ToolFacts facts;

  // tool_result: facts that only the whole text shows. Not stored.
  std::string text_end;      // last lines of the text when `text` is only its beginning; empty: there are none
  std::string pull_request;  // its URL, if the text is JSON about a pull request

  // lifecycle: session_start, session_stop, compaction, microcompaction, compact_summary, api_error, interrupt,
  // branch_change, cwd_change, hook_stop, turn_duration, pr_link, queue, mode_change, rollback, …
  std::string lifecycle;
  std::int64_t turns_taken_back =
      0;  // rollback: number of human turns undone, the last ones. Not stored: parent_seq shows it

  // One API response is often spread over several records: same key, usage repeated. 0 = no usage here.
  std::uint64_t response_key = 0;
  TokenUsage usage;
  ResponseFacts response;

  bool starts_exchange = false;  // a human turn (or the parent agent's task, in a subagent)
};

// Bits of the stored `flags` column. Append, never renumber.
enum EventFlag : std::uint32_t {
  kFlagError = 1u << 0,  // the tool reported an error; the test run failed
  kFlagSidechain = 1u << 1,
  // 1u << 2 was never used.
  kFlagTest = 1u << 3,        // a shell command that runs tests
  kFlagSuperseded = 1u << 4,  // repeated elsewhere: a queued message as a prompt, an answer as a compaction's summary
  kFlagStartsExchange = 1u << 5,
  kFlagModifies = 1u << 6,  // the call would change the file in path_pk
  kFlagDerived = 1u << 7,   // made by the assembler from another event (parent_seq)
  kFlagTimeEstimated = 1u << 8,
  kFlagPlanned = 1u << 9,  // an edit that a call requests; its result is missing, or is a failure (kFlagError)
  kFlagRoot = 1u << 10,    // its record states that it follows no other
  kFlagGone = 1u << 11,    // its source was rewritten and no longer has it
  kFlagEcho = 1u << 12,    // told by a record that usually repeats another one (Event::is_echo)
};

std::uint64_t record_key(Platform platform, std::string_view native_record_id);
std::uint64_t event_key(std::uint64_t record_key, std::uint32_t index);  // index 0 gives record_key itself

// Bytes of tool output that an adapter keeps in Event::text. The whole output is read from the raw record.
inline constexpr std::size_t kResultTextLimit = 2000;
inline constexpr std::size_t kResultEndLimit = 2000;  // bytes of Event::text_end

}  // namespace memd
