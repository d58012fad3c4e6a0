#pragma once

#include "schemas/event.hpp"
#include "schemas/ids.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace memd::assembly {

// A tool call whose result has not come yet.
struct OpenCall {
  std::int64_t seq = 0;
  std::string tool;
  std::string summary;
  std::uint64_t input_hash = 0;
  std::int64_t path_pk = 0;  // 0: no file
  std::string path;
  bool modifies = false;
  bool is_test = false;
  std::string tried;  // the command line that tests, or else builds; empty: none does
};

struct FileTotals {
  std::int64_t touches = 0;
  std::int64_t lines_added = 0;
  std::int64_t lines_removed = 0;
};

// The texts that the full-text index holds of an exchange.
struct ExchangeText {
  std::string user_message;
  std::string interventions;
  std::string assistant_response;
  std::string tool_text;
  bool operator==(const ExchangeText&) const = default;
};

// Longest stored text of one column of one exchange; more is left to the raw records and said in the text.
inline constexpr std::size_t kMaxColumnBytes = 1 << 20;

// The exchange of a session that is still growing.
struct ExchangeDraft {
  ExchangeId pk = 0;
  std::int64_t number = 0;
  std::int64_t first_seq = 0;
  std::int64_t last_seq = 0;
  TimeMs started_at = 0;
  TimeMs ended_at = 0;
  Origin origin = Origin::none;
  bool has_user_message = false;
  std::uint64_t user_event_id = 0;
  ExchangeText text;
  std::size_t answer_offset = 0;
  std::string git_branch;
  std::string cwd;
  std::string model;
  std::string agent_version;
  std::string adapter_version;
  TokenUsage tokens;
  std::int64_t tool_calls = 0;
  std::int64_t tool_errors = 0;
  std::int64_t lines_added = 0;
  std::int64_t lines_removed = 0;
  std::map<std::pair<std::int64_t, FileAccess>, FileTotals> files;  // by path_pk
  std::set<std::string, std::less<>> tools;                         // called since it was last written

  // Not stored: found again from the event rows.
  std::unordered_set<std::uint64_t> failed_inputs;  // input hashes of calls that failed
  std::unordered_set<std::uint64_t> tool_lines;     // hashes of lines already in tool_text

  bool stored = false;   // the row exists
  ExchangeText indexed;  // what the full-text index holds now (when stored)
  bool dirty = false;
};

// A prompt that only a prompt history tells of (see HistoryPrompts).
struct HistoryPrompt {
  std::uint64_t event_id = 0;
  TimeMs time = 0;
  RawRef raw;
  SourceId source = 0;
  std::string text;
  std::string cwd;
  std::string adapter_version;
  ExchangeId pk = 0;  // 0: never stored
};

// What the assembler remembers of a session between events. All of it can be read back from the store.
struct SessionWork {
  std::int64_t pk = 0;
  std::string uid;
  Platform platform{};
  SessionKind kind = SessionKind::main;
  std::string parent_uid;
  std::string parent_call_id;
  std::string forked_from;
  std::string agent_name;
  std::int64_t project_pk = 0;
  std::string title;
  TitleRank title_rank = TitleRank::none;
  std::string description;
  std::string cwd;
  std::string git_branch;
  std::string model;
  std::string agent_version;
  std::string repo;
  TimeMs started_at = 0;
  TimeMs ended_at = 0;
  TimeMs stopped_at = 0;
  TimeMs capture_disabled_at = 0;
  TokenUsage tokens;
  std::int64_t turns = 0;
  std::int64_t retries = 0;
  std::int64_t tool_calls = 0;
  std::int64_t tool_pairs = 0;
  std::int64_t tool_errors = 0;
  std::int64_t compactions = 0;
  std::int64_t next_seq = 0;
  std::int64_t next_exchange = 0;
  SourceId source = 0;
  std::string mode;
  std::int64_t context_tokens = 0;
  std::int64_t lines_added = 0;
  std::int64_t lines_removed = 0;
  std::optional<double> cost_usd;

  // What events have said themselves; it wins over what is declared of the session as a whole. Not stored: the newest
  // exchange has a value wherever an event gave one.
  struct SaidByEvents {
    bool cwd = false;
    bool git_branch = false;
    bool model = false;
    bool agent_version = false;
  };
  SaidByEvents said;

  // What heads said of its times since it was loaded: they come with or before a session's first events.
  struct DeclaredTimes {
    TimeMs start = 0;
    TimeMs end = 0;
  };
  DeclaredTimes declared;
  bool times_of_children = false;  // it has no events, and its subagents have

  // Keys of exchanges that were taken back, by number: an exchange that is written again keeps its key.
  std::map<std::int64_t, ExchangeId> taken_back;

  bool has_draft = false;
  ExchangeDraft draft;
  std::unordered_map<std::uint64_t, OpenCall> open_calls;  // by hash of the call id; a cache of the open rows

  // Beyond the end of what the transcript tells; next_seq, next_exchange, turns and the times here leave them out.
  std::vector<HistoryPrompt> history;
  bool history_stored = false;   // the rows exist
  bool made_by_history = false;  // a history named it first: not kept when nothing is left of it
  ExchangeId inherited = 0;      // id for the exchange of a prompt that was known from a history

  std::optional<SessionRecord> record;  // of another memd; written unless events come first
  bool counted_elsewhere = false;       // the row's counts are those of such a record

  // What the row says of what is costly to write.
  struct Stored {
    std::string title;
    std::int64_t project_pk = 0;
    SourceId source = 0;
    bool operator==(const Stored&) const = default;
  };
  Stored stored;

  bool dirty = false;
  std::uint64_t last_used = 0;  // for eviction
};

// How the texts of an exchange grow. Pure functions.

// Appends `piece` to a column, separated by an empty line, up to kMaxColumnBytes. What does not fit is cut at a
// character border and marked. Returns the offset where the piece starts.
std::size_t append_paragraph(std::string& column, std::string_view piece);

// Takes queued words that came again as a prompt out of `interventions`. False if they are not there.
bool remove_paragraph(std::string& column, std::string_view piece);

// Adds a line to tool_text unless the same line is there already.
void add_tool_line(ExchangeDraft& draft, std::string_view line);
void remember_tool_lines(ExchangeDraft& draft);  // after loading

}  // namespace memd::assembly
