#pragma once

#include "schemas/event_batch.hpp"
#include "schemas/observation.hpp"
#include "store/db/database.hpp"
#include "store/insight/summary/observations.hpp"
#include "store/write/event_rows.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memd::assembly {

// What is worth remembering in one text of an agent.
struct EventNotes {
  std::vector<Decision> decisions;
  std::vector<FoundObservation> observations;
};

// The notes of a batch's events. They depend on the texts alone, so the reading thread makes them while the writing
// thread, which is busier, stores the batch before. Immutable; owns its texts.
class BatchNotes {
 public:
  BatchNotes() = default;
  explicit BatchNotes(const EventBatch& batch);  // whose secrets are masked

  const EventNotes& of(const Event& event) const;

 private:
  std::unordered_map<std::uint64_t, EventNotes> notes_;  // by event_id, where there is something
};

// Keeps what is worth remembering of a session, as rows of `observations` and `decisions`: what texts say, what a
// person chose, and which edits made a call that had failed work. Writer thread only; owns nothing. Throws
// ErrorException.
class ObservationCollector {
 public:
  ObservationCollector(sqlite::Database& db, EventRows& rows, SessionEvents& events)
      : db_(db), rows_(rows), events_(events) {}

  // A person's rules and decisions. `offered`: what the agent said before.
  void note_prompt(const SessionWork& session, const Event& prompt, std::int64_t seq, std::string_view offered);
  void note_choice(const SessionWork& session, const Event& choice, std::int64_t seq);  // in a dialog of the client
  // Its notes are the context's. Each decision becomes an event too.
  void note_answer(SessionWork& session, const Event& answer, std::int64_t seq, AssemblyContext& context);
  // A call that failed works after edits: that is how an error was solved, or a test made to pass.
  void note_result(const SessionWork& session, const Event& result, std::int64_t seq, const OpenCall& call);

 private:
  void save_decision(const SessionWork& session, const Event& event, std::int64_t seq, const Decision& decision);
  // Paths edited since the last failure of a call with this input, from seq `first_seq` on and before `call_seq`. Empty
  // if its last call did not fail.
  std::vector<std::string> edits_since_failure(std::int64_t session_pk, std::int64_t first_seq, std::int64_t call_seq,
                                               std::uint64_t input_hash);

  sqlite::Database& db_;
  EventRows& rows_;
  SessionEvents& events_;
};

}  // namespace memd::assembly
