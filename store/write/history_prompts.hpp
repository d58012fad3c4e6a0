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

namespace memd::assembly {

// Manages prompts from an agent's prompt history (Origin::history). A prompt is kept when no transcript has it: the
// transcript was deleted before memd saw it, or it grew after memd last read it. These prompts are stored after the end
// of the transcript as exchanges without an answer, and are removed when the transcript catches up. The rows do not
// depend on which of the two is read first.
//
// Their rows are numbered from SessionWork::next_seq and next_exchange, which count the transcript only. Writer thread
// only. Throws ErrorException.
class HistoryPrompts {
 public:
  HistoryPrompts(sqlite::Database& db, EventRows& events, ExchangeRows& exchanges)
      : db_(db), events_(events), exchanges_(exchanges) {}

  // Adds a prompt. Returns false if a transcript has it.
  bool add(SessionWork& session, const Event& prompt, SourceId source, std::string_view adapter_version);

  // Deletes the rows, so that the transcript can be continued. store() writes those that still apply again.
  void withdraw(SessionWork& session);
  // Drops the prompts that `event` of the transcript covers: those before it, and the one that it repeats. The exchange
  // id of the repeated one is stored in SessionWork::inherited for the exchange that replaces it.
  void cover(SessionWork& session, const Event& event);
  // Returns the session under which a history stored the same text at about the same time in the same project. It may
  // differ from the transcript's session. `project_pk`: its own one (SessionWork::project_pk); 0: not known, any fits.
  std::optional<std::string> holder_of(const Event& prompt, std::int64_t project_pk);

  void store(SessionWork& session, TimeMs now);
  void load(SessionWork& session);  // call after the session's row is loaded
  void forget();                    // call after a rollback
  void flushed() { unstored_.clear(); }

 private:
  bool is_in_transcript(const SessionWork& session, const Event& prompt);
  bool any();

  struct Unstored {
    std::string uid;
    TimeMs time = 0;
    std::int64_t project_pk = 0;
  };

  sqlite::Database& db_;
  EventRows& events_;
  ExchangeRows& exchanges_;
  std::unordered_multimap<std::uint64_t, Unstored> unstored_;  // by text hash
  std::optional<bool> any_;  // whether the store has any such prompt; nullopt: not queried yet
};

}  // namespace memd::assembly
