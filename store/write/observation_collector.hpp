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

// The observations found in a batch's messages of agents, without which the writer takes no batch. They depend only on
// the texts, so the reading thread computes them while the writing thread, which is busier, stores the previous batch.
// Immutable; owns its texts.
class BatchNotes {
 public:
  BatchNotes() = default;
  explicit BatchNotes(EventBatch& batch);  // masks the secrets in the batch first (mask_secrets)

  const std::vector<FoundObservation>& of(const Event& event) const;

 private:
  std::unordered_map<std::uint64_t, std::vector<FoundObservation>> notes_;  // by event_id; only events with notes
};

// Stores observations and decisions of a session as rows: those found in texts, the user's choices, and the edits that
// made a failed call work. Writer thread only; owns nothing. Throws ErrorException.
class ObservationCollector {
 public:
  ObservationCollector(sqlite::Database& db, EventRows& rows) : db_(db), rows_(rows) {}

  // Stores the user's rules and the plan that the message accepts. `offered` is the agent's preceding message.
  void note_prompt(const SessionWork& session, const Event& prompt, std::int64_t seq, std::string_view offered);
  void note_choice(const SessionWork& session, const Event& choice, std::int64_t seq);  // in a client's dialog
  void note_answer(const SessionWork& session, const Event& answer, std::int64_t seq, const BatchNotes& notes);
  // Stores a solution, or a success for a test, when a call that had failed succeeds after edits.
  void note_result(const SessionWork& session, const Event& result, std::int64_t seq, const OpenCall& call);

 private:
  void save_decision(const SessionWork& session, const Event& event, std::int64_t seq, const Decision& decision);
  // Returns the paths edited between the last failure of a call with this input (at or after `first_seq`) and
  // `call_seq`. Returns none if its last call did not fail.
  std::vector<std::string> edits_since_failure(std::int64_t session_pk, std::int64_t first_seq, std::int64_t call_seq,
                                               std::uint64_t input_hash);

  sqlite::Database& db_;
  EventRows& rows_;
};

}  // namespace memd::assembly
