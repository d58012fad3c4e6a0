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
#include <span>
#include <unordered_map>
#include <vector>

namespace memd::assembly {

// Finds the event that an event follows, where the platform tells it (Event::parent_id). Records without events are
// stepped over: the chain goes through them. Remembers 64-bit keys, which can be read back from the rows. Writer thread
// only; runs inside the writer's transaction. Throws ErrorException.
class RecordChain {
 public:
  RecordChain(sqlite::Database& db, IdentityIndex& identities) : db_(db), identities_(identities) {}

  // The records of a session come in the order of their source.
  void pass(std::int64_t session_pk, const SilentRecord& record);
  // Before the event gets its row.
  EventParent parent_of(std::int64_t session_pk, const Event& event);
  // The event has its row.
  void added(std::int64_t session_pk, std::uint64_t event_id, std::int64_t seq) {
    newest_ = {session_pk, event_id, seq};
  }

  void write();    // what was passed; before a commit
  void release();  // gives memory back
  void forget();   // after a rollback

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
  Newest newest_;                                           // most records follow the one before
  std::unordered_map<std::uint64_t, std::uint64_t> known_;  // record of a session -> what it follows
  std::vector<Passed> unwritten_;
};

// An exchange as a turn of its session's tree.
struct Turn {
  std::int64_t number = 0;
  std::int64_t first_seq = 0;
  // The event that its prompt follows, −1: a place before all events. nullopt: the turn before.
  std::optional<std::int64_t> parent_seq;
};

// The turns that are not on the way from the first to the last one, each with the turn for which the session left them.
// `turns`: of one session, in order. Where the person goes back, the next prompt follows an event before the exchange
// that stands in front of it. Everything else that forks in a session (calls side by side, hooks) stays inside an
// exchange and is no branch of this kind. A prompt that follows nothing begins anew (the context was cleared) and takes
// nothing back. Pure.
std::map<std::int64_t, std::int64_t> abandoned_turns(std::span<const Turn> turns);

// Keeps `abandoned_exchanges` true. Writer thread only; runs inside the writer's transaction. Throws ErrorException.
class Branches {
 public:
  Branches(sqlite::Database& db, EventRows& events) : db_(db), events_(events) {}

  // What an event follows that takes back the last `count` turns of the person.
  EventParent before_last(const SessionWork& session, std::int64_t count);
  // The session went back, or what stood at its end was taken out. Its exchanges have their rows.
  void settle(const SessionWork& session);
  bool any(std::int64_t session_pk) { return !stored(session_pk).empty(); }

 private:
  std::vector<Turn> turns_of(const SessionWork& session);
  std::map<std::int64_t, std::int64_t> stored(std::int64_t session_pk);

  sqlite::Database& db_;
  EventRows& events_;
};

}  // namespace memd::assembly
