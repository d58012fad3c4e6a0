#pragma once

#include "schemas/event.hpp"
#include "store/db/database.hpp"
#include "store/write/event_rows.hpp"
#include "store/write/exchange_builder.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>
#include <optional>

namespace memd::assembly {

// Matches events whose records repeat one another (Event::is_echo), one by one:
// * a message by its text, within the exchange
// * a call by its call id; it can fill in line counts that the call itself does not state
// * a result by its call. It is kept if its call is known from echoes only, or if it states an exit code where the
//   call has no result yet or one without an exit code (a command that went on running)
// * a usage by its figures, against the session's newest usage
// An echo that has no match is stored like any event, with kFlagEcho. If the repeated record comes later, it takes the
// echo's place or is dropped. All state can be read back from the rows. Writer thread only; owns nothing. Throws
// ErrorException.
class Echoes {
 public:
  Echoes(sqlite::Database& db, EventRows& rows, ExchangeBuilder& exchange, PathInterner& paths)
      : db_(db), rows_(rows), exchange_(exchange), paths_(paths) {}

  // Returns true if the store already has what the event says; the event is then not stored. `call` is the open call of
  // a result; a result that completes an answered call gets that call.
  bool is_told(SessionWork& session, const Event& event, std::optional<OpenCall>& call);

  // Call for each stored answer.
  static void note_answer(SessionWork& session, const Event& answer, std::int64_t seq);
  // Call for each stored usage.
  static void note_usage(SessionWork& session, const Event& usage, std::int64_t seq);

  // Removes the newest answer of the exchange if the summary of a compaction ends with it: the agent's client asked for
  // that text.
  void take_summary_from_answers(SessionWork& session, const Event& summary);

 private:
  bool answers_as_echo(SessionWork& session, const Event& answer);
  std::optional<std::int64_t> find_told(SessionWork& session, const Event& event, std::optional<OpenCall>& call);
  std::optional<std::int64_t> find_call(SessionWork& session, const Event& call);
  std::optional<std::int64_t> find_result(SessionWork& session, const Event& result, std::optional<OpenCall>& call);
  std::optional<std::int64_t> find_usage(SessionWork& session, const Event& usage);

  sqlite::Database& db_;
  EventRows& rows_;
  ExchangeBuilder& exchange_;
  PathInterner& paths_;
};

}  // namespace memd::assembly
