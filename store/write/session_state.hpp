#pragma once

#include "schemas/event.hpp"
#include "schemas/exchange_row.hpp"
#include "schemas/ids.hpp"
#include "schemas/session_row.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <functional>
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
  std::string tried;  // the command line that tests or, failing that, builds; empty: none
  CommandPurpose tries = CommandPurpose::other;
  bool in_background = false;
  bool is_echo = false;   // told by an echo (Event::is_echo)
  bool answered = false;  // it has a result, which does not tell how the command ended
};

struct FileTotals {
  std::int64_t touches = 0;
  std::int64_t lines_added = 0;
  std::int64_t lines_removed = 0;
};

// The texts of an exchange as indexed for full-text search.
struct ExchangeText {
  std::string user_message;
  std::string interventions;
  std::string assistant_response;
  std::string tool_text;
  bool operator==(const ExchangeText&) const = default;
};

// Maximum length in bytes of one stored text column of an exchange. A longer text is cut and marked; the raw records
// have the rest.
inline constexpr std::size_t kMaxColumnBytes = 1 << 20;

// The newest exchange of a session, which can still grow.
struct ExchangeDraft : ExchangeColumns {
  ExchangeId pk = 0;
  std::int64_t number = 0;
  TimeMs started_at = 0;
  bool has_user_message = false;
  std::uint64_t user_event_id = 0;
  ExchangeText text;
  std::size_t answer_offset = 0;
  std::map<std::pair<std::int64_t, FileAccess>, FileTotals> files;  // by path_pk
  std::set<std::string, std::less<>> tools;                         // called since the row was last written

  // Not stored; recomputed from the stored rows.
  bool echo_known = false;                          // echo_answer has been looked up
  std::optional<std::int64_t> echo_answer;          // newest answer, if an echo told it
  std::unordered_set<std::uint64_t> failed_inputs;  // input hashes of calls that failed
  std::unordered_set<std::uint64_t> tool_lines;     // hashes of lines already in tool_text

  bool stored = false;   // the row exists
  ExchangeText indexed;  // the texts now in the full-text index (when stored)
  bool dirty = false;
};

// A prompt known only from a prompt history (see HistoryPrompts).
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

// The assembler's state of a session between events. All of it can be read back from the store.
struct SessionWork : SessionAttributes, SessionCounts {
  std::int64_t pk = 0;
  std::string uid;
  Platform platform{};
  std::int64_t project_pk = 0;
  TimeMs stopped_at = 0;
  TimeMs capture_disabled_at = 0;
  std::int64_t turns = 0;
  std::int64_t retries = 0;
  std::int64_t tool_pairs = 0;
  std::int64_t next_seq = 0;
  std::int64_t next_exchange = 0;
  SourceId source = 0;

  // Attributes set by an event. These take precedence over session updates. Not stored: the newest exchange has
  // a value for each attribute that an event set.
  struct SaidByEvents {
    bool cwd = false;
    bool git_branch = false;
    bool model = false;
    bool agent_version = false;
  };
  SaidByEvents said;

  // Times that session updates gave since the session was loaded. They arrive with or before a session's first events.
  struct DeclaredTimes {
    TimeMs start = 0;
    TimeMs end = 0;
  };
  DeclaredTimes declared;
  bool times_of_children = false;  // it has no events of its own, and its times come from subagents

  // Keys of removed exchanges by number: an exchange that is written again keeps its key.
  std::map<std::int64_t, ExchangeId> taken_back;

  bool has_draft = false;
  ExchangeDraft draft;
  std::unordered_map<std::uint64_t, OpenCall> open_calls;  // by hash of the call id; caches call rows without a result

  // The newest usage, if it was told by a record of its own rather than an echo. Looked up when needed.
  struct ToldUsage {
    std::int64_t seq = 0;
    std::string line;  // the row's summary
  };
  bool usage_known = false;
  std::optional<ToldUsage> told_usage;

  // Prompts after the end of the transcript. next_seq, next_exchange, turns and the times here do not include them.
  std::vector<HistoryPrompt> history;
  bool history_stored = false;   // the rows exist
  bool made_by_history = false;  // a history mentioned the session first: it is deleted when no prompt is left
  ExchangeId inherited = 0;      // key for the exchange of a prompt that came from a history

  std::optional<SessionRecord> record;  // record of another memd; written unless events arrive first
  bool counted_elsewhere = false;       // the row's counts come from such a record

  // The stored values of columns that are costly to write.
  struct Stored {
    std::string title;
    std::int64_t project_pk = 0;
    SourceId source = 0;
    bool operator==(const Stored&) const = default;
  };
  Stored stored;

  bool dirty = false;
  std::uint64_t last_used = 0;  // tick of the last use, for eviction
};

// Functions that extend the texts of an exchange. Pure.

// Appends `piece` to a column after an empty line, up to kMaxColumnBytes. The excess is cut at a character boundary and
// marked. Returns the offset at which the piece starts.
std::size_t append_paragraph(std::string& column, std::string_view piece);

// Removes a queued message that came again as a prompt from `interventions`. Returns false if it is not there.
bool remove_paragraph(std::string& column, std::string_view piece);

// Adds a line to tool_text unless it contains the same line already.
void add_tool_line(ExchangeDraft& draft, std::string_view line);
void remember_tool_lines(ExchangeDraft& draft);  // call after loading

}  // namespace memd::assembly
