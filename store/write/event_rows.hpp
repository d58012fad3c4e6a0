#pragma once

#include "schemas/event.hpp"
#include "schemas/hash.hpp"
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

// A row of `events`.
struct EventRecord {
  std::int64_t session_pk = 0;
  std::int64_t seq = 0;
  std::uint64_t event_id = 0;
  TimeMs time = 0;
  EventKind kind{};
  Role role{};
  Origin origin{};
  std::optional<std::int64_t> parent_seq;
  std::optional<std::int64_t> pair_seq;
  std::string tool;
  std::uint64_t call_key = 0;    // hash of the call id; 0: none
  std::uint64_t input_hash = 0;  // of the tool input, or of a message's text; 0: none
  std::int64_t path_pk = 0;      // 0: none
  std::uint32_t flags = 0;
  std::string summary;
  std::int64_t tokens = 0;
  SourceId source = 0;
  RawRef raw;
  ToolFacts facts;  // rows of their own
};

// The event that an event follows.
struct EventParent {
  std::optional<std::int64_t> seq;  // nullopt: not told, not in the store, or of another session
  bool is_root = false;             // the platform says that there is none
};

// Rows of `paths`, one per distinct path, with a bounded cache. Writer thread only. Throws ErrorException.
class PathInterner {
 public:
  explicit PathInterner(sqlite::Database& db) : db_(db) {}

  std::int64_t intern(std::string_view path);
  void clear() { cache_.clear(); }

 private:
  sqlite::Database& db_;
  std::unordered_map<std::string, std::int64_t, TextHash, std::equal_to<>> cache_;
};

// Reads and writes rows of `events`, and of the tables with their facts. Holds back the newest rows of a session, to
// write many at once and to pair calls with results before they are written. Call write() before reading rows of
// `events`, or writing rows that refer to them. Writer thread only. Throws ErrorException.
class EventRows {
 public:
  EventRows(sqlite::Database& db, IdentityIndex& identities) : db_(db), identities_(identities) {}

  bool insert(EventRecord row);     // false: the event is in the store already (under whatever session)
  void write();                     // the rows held back
  void write_for_deletion();        // with their identities, which go when rows are deleted
  void forget() { held_.clear(); }  // after a rollback
  std::optional<std::int64_t> session_of(std::uint64_t event_id);
  // Whether the event opened an exchange of this session, taken from that item of the source.
  bool opens_exchange(std::uint64_t event_id, std::string_view session_uid, SourceId source, std::uint32_t item);
  void pair(std::int64_t session_pk, std::int64_t call_seq, std::int64_t result_seq);
  std::optional<OpenCall> find_open_call(std::int64_t session_pk, std::uint64_t call_key);

  // What a call meant to change, one row a file (kFlagPlanned), children of the call's row.
  struct PlannedEdit {
    std::int64_t path_pk = 0;
    std::int64_t lines_added = 0;
    std::int64_t lines_removed = 0;
  };
  std::vector<PlannedEdit> take_planned_edits(std::int64_t session_pk, std::int64_t call_seq);  // they were made
  // They were not: the rows stay as they are, marked kFlagError, so that numbers have no gaps.
  void fail_planned_edits(std::int64_t session_pk, std::int64_t call_seq);

  // Marks queued words that came again as a prompt; `text_hash` as stored in input_hash.
  void supersede_queued(std::int64_t session_pk, std::int64_t first_seq, std::uint64_t text_hash);

 private:
  void write_facts();
  EventRecord* held(std::int64_t session_pk, std::int64_t seq);
  std::vector<EventRecord*> held_plans(const EventRecord& call);
  bool has_planned_edits(std::int64_t session_pk, std::int64_t call_seq);

  sqlite::Database& db_;
  IdentityIndex& identities_;
  std::vector<EventRecord> held_;  // of one session, with consecutive numbers
};

struct AssemblyStats {
  std::uint64_t events = 0;      // rows written, derived ones included
  std::uint64_t duplicates = 0;  // events that were in the store already: forks, copies, replay
};

// The batch whose events are being taken in.
struct AssemblyContext {
  const Source& source;
  std::string_view adapter_version;
  TimeMs now;
  const BatchNotes& notes;
  AssemblyStats& stats;
};

// Numbers the events of a session and makes their rows: of events as they came, and of those derived from them. Writer
// thread only; owns nothing. Throws ErrorException.
class SessionEvents {
 public:
  SessionEvents(EventRows& rows, PathInterner& paths) : rows_(rows), paths_(paths) {}

  // False: the store has the event already. It is counted, and no row is made.
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

// What an event says, for comparing it with its copies: the hash of a person's words, input_hash of all else.
std::uint64_t content_hash(const Event& event);

// The stored flags of an event as it came.
std::uint32_t flags_of(const Event& event);
inline constexpr std::size_t kEventSummaryBytes = 120;

}  // namespace memd::assembly
