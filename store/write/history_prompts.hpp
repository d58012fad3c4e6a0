#pragma once

#include "schemas/event.hpp"
#include "store/db/database.hpp"
#include "store/write/event_rows.hpp"
#include "store/write/exchange_rows.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace memd::assembly {

// Prompts from an agent's prompt history (origin history). They are kept where no transcript has them: it was deleted
// before memd saw it, or went on after memd saw it last. They stand behind the end of the transcript, as exchanges
// without an answer, and give way when the transcript catches up. The rows do not depend on which of the two is read
// first.
//
// Their rows have numbers from SessionWork::next_seq and next_exchange on: those count the transcript alone. Writer
// thread only. Throws ErrorException.
class HistoryPrompts {
 public:
  HistoryPrompts(sqlite::Database& db, EventRows& events, ExchangeRows& exchanges)
      : db_(db), events_(events), exchanges_(exchanges) {}

  // Keeps a prompt. False: a transcript has it.
  bool add(SessionWork& session, const Event& prompt, SourceId source, std::string_view adapter_version);

  // Takes the rows back, so that the transcript can go on; what still matters is written again by store().
  void withdraw(SessionWork& session);
  // Forgets what `event` of the transcript covers: prompts before it, and the one it is. That one's exchange id is left
  // in SessionWork::inherited for the exchange that takes its place.
  void cover(SessionWork& session, const Event& event);
  // The session that a history filed the same words under at about the same time. It may be another session than the
  // transcript's.
  std::optional<std::string> holder_of(const Event& prompt);

  void store(SessionWork& session, TimeMs now);
  void load(SessionWork& session);  // after its row
  void forget();                    // after a rollback
  void flushed() { unstored_.clear(); }

 private:
  bool is_in_transcript(const SessionWork& session, const Event& prompt);
  bool any();

  sqlite::Database& db_;
  EventRows& events_;
  ExchangeRows& exchanges_;
  std::unordered_multimap<std::uint64_t, std::pair<std::string, TimeMs>> unstored_;  // by text: session uid, time
  std::optional<bool> any_;  // whether there are any in the store at all
};

}  // namespace memd::assembly
