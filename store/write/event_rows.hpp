#pragma once

#include "schemas/base/hash.hpp"
#include "schemas/event.hpp"
#include "schemas/exchange_row.hpp"
#include "schemas/source.hpp"
#include "store/db/database.hpp"
#include "store/write/identity_index.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memd::assembly {

class BatchNotes;

// A row of `events`, to be written.
struct EventRecord : EventColumns {
  std::int64_t session_pk = 0;
  std::int64_t path_pk = 0;  // 0: none
  ToolFacts facts;           // stored in tables of their own
};

// The parent of an event.
struct EventParent {
  std::optional<std::int64_t> seq;  // nullopt: not reported, not in the store, or in another session
  bool is_root = false;             // the platform says that the event has no parent
  bool passed = false;              // its record names one without events, or one that was written again, in between
};

// Stores and looks up rows of `paths`, one per distinct path, with a bounded cache. Writer thread only. Throws
// ErrorException.
class PathInterner {
 public:
  explicit PathInterner(sqlite::Database& db) : db_(db) {}

  std::int64_t intern(std::string_view path);
  void clear() { cache_.clear(); }

 private:
  sqlite::Database& db_;
  std::unordered_map<std::string, std::int64_t, TextHash, std::equal_to<>> cache_;
};

// Reads and writes rows of `events` and of the tables with their facts. Buffers the newest rows of a session, to insert
// many at once and to pair calls with results before they are written. Call write() before reading rows of `events` or
// writing rows that refer to them. Writer thread only. Throws ErrorException.
class EventRows {
 public:
  EventRows(sqlite::Database& db, IdentityIndex& identities) : db_(db), identities_(identities) {}

  bool insert(EventRecord row);     // false: the event is already in the store (possibly under another session)
  void write();                     // writes the buffered rows
  void write_for_deletion();        // also writes their identities, which triggers delete together with the rows
  void forget() { held_.clear(); }  // after a rollback
  std::optional<std::int64_t> session_of(std::uint64_t event_id);
  std::optional<IdentityIndex::Place> place_of(std::uint64_t event_id) { return identities_.find(event_id); }
  // Returns whether the event opened an exchange of this session and was read from this item of the source.
  bool opens_exchange(std::uint64_t event_id, std::string_view session_uid, SourceId source, std::uint32_t item);
  // Returns the id of another event of the session that says the same at the same time, at the same place of the chain:
  // its record was written again under a new id. nullopt: there is none, or the event continues the chain.
  std::optional<std::uint64_t> original_of(const SessionWork& session, const Event& event, const EventParent& parent);
  // Gives this time, as an estimate, to the rows of the session that have none.
  void date(std::int64_t session_pk, TimeMs time);
  void pair(std::int64_t session_pk, std::int64_t call_seq, std::int64_t result_seq);
  std::optional<OpenCall> find_open_call(std::int64_t session_pk, std::uint64_t call_key);

  struct AnsweredCall {
    OpenCall call;
    bool by_echo = false;     // its result was told by an echo
    bool tells_exit = false;  // its result states an exit code, or is an error
  };
  // Returns the newest call with this id among the last 4,000 events, if it has a result.
  std::optional<AnsweredCall> find_answered_call(std::int64_t session_pk, std::uint64_t call_key,
                                                 std::int64_t next_seq);

  // Gives the row of an echo the identity, time, flags, place, summary and tokens of the event it repeats.
  void take_over(std::int64_t session_pk, std::int64_t seq, const Event& event);
  // Lets the event's identity lead to this row: read again, it is known.
  void add_identity(std::int64_t session_pk, std::int64_t seq, std::uint64_t event_id);
  // Gives the row the content by which copies of the event are recognised (input_hash).
  void set_content(std::int64_t session_pk, std::int64_t seq, const Event& event);
  // Marks the newest answer since `first_seq` as superseded. Returns `tokens` of the answer before it.
  std::optional<std::int64_t> withdraw_answer(std::int64_t session_pk, std::int64_t first_seq);

  struct KeyedCall {
    std::uint64_t key = 0;
    OpenCall call;
  };
  std::vector<KeyedCall> newest_open_calls(std::int64_t session_pk);
  // Removes a command from a call, because a call of its own tells it. Updates `tried` and `is_test` of the call.
  // Returns false if the call has no such command.
  bool take_command(std::int64_t session_pk, std::string_view line, OpenCall& call);

  // A change that a call intends to make to one file. Stored as a child row of the call's row with kFlagPlanned.
  struct PlannedEdit {
    std::int64_t path_pk = 0;
    std::int64_t lines_added = 0;
    std::int64_t lines_removed = 0;
  };
  std::vector<PlannedEdit> take_planned_edits(std::int64_t session_pk, std::int64_t call_seq);  // clears kFlagPlanned
  // Sets the count of lines of a planned deletion that has none.
  void count_planned_edit(std::int64_t session_pk, std::int64_t call_seq, std::int64_t path_pk, const FileTouch& file);
  // Adds kFlagError: the edits were not made. The rows stay, so that sequence numbers have no gaps.
  void fail_planned_edits(std::int64_t session_pk, std::int64_t call_seq);

  // Marks the events of a source that is read again from its start with kFlagGone. came_again() takes the mark from one
  // that is still there, and from those derived from it, and stores its new place.
  void mark_gone(SourceId source, std::string_view session_uid);
  void came_again(const Event& event, SourceId source);

  // Marks queued messages that came again as a prompt. `text_hash` is the value stored in input_hash.
  void supersede_queued(std::int64_t session_pk, std::int64_t first_seq, std::uint64_t text_hash);

 private:
  void write_facts();
  OpenCall call_of_row(std::int64_t session_pk, const sqlite::Statement& row);
  void read_tried(std::int64_t session_pk, OpenCall& call);
  EventRecord* held(std::int64_t session_pk, std::int64_t seq);
  std::vector<EventRecord*> held_plans(const EventRecord& call);
  bool has_planned_edits(std::int64_t session_pk, std::int64_t call_seq);

  sqlite::Database& db_;
  IdentityIndex& identities_;
  std::vector<EventRecord> held_;  // of one session, with consecutive sequence numbers
};

struct AssemblyStats {
  std::uint64_t events = 0;      // rows written, including derived ones
  std::uint64_t duplicates = 0;  // events already in the store: forks, copies, replays
};

// The batch that is being applied. Does not own its references.
struct AssemblyContext {
  const Source& source;
  std::string_view adapter_version;
  TimeMs now;
  const BatchNotes& notes;
  AssemblyStats& stats;
  bool is_read_again = false;  // events of the batch may have the mark of EventRows::mark_gone()
};

// Assigns sequence numbers to the events of a session and builds their rows, both for source events and for events
// derived from them. Writer thread only; owns nothing. Throws ErrorException.
class SessionEvents {
 public:
  SessionEvents(EventRows& rows, PathInterner& paths) : rows_(rows), paths_(paths) {}

  // Returns false if the event is already in the store. It is then counted as a duplicate, and no row is written.
  bool append(SessionWork& session, const Event& event, std::optional<std::int64_t> pair_seq, const EventParent& parent,
              AssemblyContext& context);

  struct Derived {
    EventKind kind{};
    std::string_view summary;
    std::uint32_t flags = 0;
    std::int64_t path_pk = 0;  // 0: none
  };
  void derive(SessionWork& session, const Event& from, std::int64_t parent_seq, const Derived& derived,
              AssemblyContext& context);

 private:
  EventRows& rows_;
  PathInterner& paths_;
};

// Returns the hash by which an event is compared with its copies: the text hash of a user's message, input_hash
// otherwise.
std::uint64_t content_hash(const Event& event);

// Returns what is stored as the summary of a source event.
std::string event_summary(const Event& event);
// Returns about how many tokens a text has: four bytes a token.
std::int64_t text_tokens(std::string_view text);
// Returns the figures of a usage as the summary of its row shows them.
std::string usage_line(const TokenUsage& usage);

// Returns the command whose outcome is that of the call; nullptr: none.
const ShellCommand* tried_by(const std::vector<ShellCommand>& commands);
void note_tried(OpenCall& call, const ShellCommand* tried);

// Returns the stored flags of a source event.
std::uint32_t flags_of(const Event& event);
inline constexpr std::size_t kEventSummaryBytes = 120;
inline constexpr std::size_t kAttachmentsBytes = 600;  // of what came with a prompt: "[image: a.png, image/png] …"

}  // namespace memd::assembly
