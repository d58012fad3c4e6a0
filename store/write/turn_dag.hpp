#pragma once

#include "schemas/event.hpp"
#include "schemas/event_batch.hpp"
#include "store/db/database.hpp"
#include "store/write/event_rows.hpp"
#include "store/write/identity_index.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

namespace memd::assembly {

// Finds the parent of an event where the platform reports one (Event::parent_id). Skips records without events: the
// chain continues through them. Caches 64-bit keys that can be read back from the rows. Writer thread only; runs inside
// the writer's transaction. Throws ErrorException.
class RecordChain {
 public:
  RecordChain(sqlite::Database& db, IdentityIndex& identities) : db_(db), identities_(identities) {}

  // Adds a record without events. The records of a session must come in the order of their source.
  void pass(std::int64_t session_pk, const EventlessRecord& record);
  // Call before the event gets its row.
  EventParent parent_of(std::int64_t session_pk, const Event& event);
  // Call after the event got its row.
  void added(std::int64_t session_pk, std::uint64_t event_id, std::int64_t seq) {
    newest_ = {session_pk, event_id, seq};
  }

  void write();    // writes the records passed; call before a commit
  void release();  // frees memory
  void forget();   // call after a rollback

 private:
  struct Passed {
    std::int64_t session_pk = 0;
    std::uint64_t record_id = 0;
    std::uint64_t follows = 0;
  };
  struct Newest {
    std::int64_t session_pk = 0;
    std::uint64_t event_id = 0;
    std::int64_t seq = 0;
  };

  const std::uint64_t* known(std::int64_t session_pk, std::uint64_t record_id) const;
  std::uint64_t stored(std::int64_t session_pk, std::uint64_t record_id);
  std::optional<std::int64_t> event_of(std::int64_t session_pk, std::uint64_t record_id);

  sqlite::Database& db_;
  IdentityIndex& identities_;
  Newest newest_;                                           // most records follow the previous one
  std::unordered_map<std::uint64_t, std::uint64_t> known_;  // record of a session -> id that it follows
  std::vector<Passed> unwritten_;
};

// An exchange as a turn of its session's tree.
struct Turn {
  std::int64_t number = 0;
  std::int64_t first_seq = 0;
  // The event that its prompt follows; −1: a place before all events; nullopt: the previous turn.
  std::optional<std::int64_t> parent_seq;
  std::int64_t last_said = -1;  // the last event of the model that follows its prompt in the tree; −1: none
};

// Returns the turns that are not on the path from the first to the last turn, each with the turn for which the session
// abandoned it. `turns` are those of one session, in order. When the user goes back, the next prompt follows an event
// before the preceding exchange. Other forks in a session (parallel calls, hooks) stay inside an exchange and are not
// branches in this sense. A prompt that follows nothing starts anew (the context was cleared) and abandons nothing.
// Pure.
std::map<std::int64_t, std::int64_t> abandoned_turns(std::span<const Turn> turns);

// Returns the numbers of turns that are on branches which went on side by side, because two processes had the session
// open: the model went on with a turn after a turn of the other branch began, or the branches were continued in
// alternation. Pure.
std::set<std::int64_t> parallel_turns(std::span<const Turn> turns);

// Keeps `abandoned_exchanges` up to date. Writer thread only; runs inside the writer's transaction. Throws
// ErrorException.
class Branches {
 public:
  Branches(sqlite::Database& db, EventRows& events) : db_(db), events_(events) {}

  // Returns the parent of an event that takes back the user's last `count` turns.
  EventParent before_last(const SessionWork& session, std::int64_t count);
  // Call when the session went back, when the model went on with an earlier exchange than the last one, or when the
  // session's end was removed. Its exchanges must have their rows.
  void settle(const SessionWork& session);
  bool any(std::int64_t session_pk) { return !stored(session_pk).empty(); }

 private:
  std::vector<Turn> turns_of(const SessionWork& session);
  void place(const SessionWork& session, std::vector<Turn>& turns);
  std::map<std::int64_t, std::int64_t> stored(std::int64_t session_pk);

  sqlite::Database& db_;
  EventRows& events_;
};

}  // namespace memd::assembly
