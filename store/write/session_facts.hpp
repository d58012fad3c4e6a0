#pragma once

#include "schemas/event.hpp"
#include "schemas/event_batch.hpp"
#include "store/db/database.hpp"
#include "store/write/event_rows.hpp"
#include "store/write/response_ledger.hpp"
#include "store/write/session_cache.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace memd::assembly {

struct PendingTitle {
  std::string title;
  TitleRank rank = TitleRank::none;
};

// Titles that refer to a record that is not in the store yet (rows of `pending_titles`): Claude Code writes the title
// of one session into the file of another. Writer thread only. Throws ErrorException.
class TitleLedger {
 public:
  explicit TitleLedger(sqlite::Database& db) : db_(db) {}

  void wait_for(std::uint64_t record_key, std::string_view title, TitleRank rank);
  // Returns and removes the title waiting for this event, if any. Called for every event, so it must be cheap.
  std::optional<PendingTitle> take(std::uint64_t event_id);
  void forget() { loaded_ = false; }

 private:
  void load();

  sqlite::Database& db_;
  std::unordered_map<std::uint64_t, PendingTitle> waiting_;
  bool loaded_ = false;
};

// Maintains the attributes of a session as a whole: title, directory, branch, model, times, origin. They come
// from events and from session updates; events take precedence. Writer thread only. Throws ErrorException.
class SessionFacts {
 public:
  SessionFacts(sqlite::Database& db, EventRows& rows, SessionEvents& events, SessionCache& sessions,
               ResponseLedger& responses)
      : db_(db), rows_(rows), events_(events), sessions_(sessions), responses_(responses), titles_(db) {}

  void update(const SessionUpdate& update, TimeMs now);
  // Assigns titles that refer to a record of this batch or an earlier one; stores those for a record that is not read
  // yet.
  void give_titles(const EventBatch& batch, TimeMs now);

  void complete(const SessionWork& session, Event& event);  // fills fields that the event takes from its session
  void note_title(SessionWork& session, std::uint64_t event_id);
  void note_times(SessionWork& session, TimeMs time);  // `time` of an appended event
  // Updates whether the session has stopped or goes on.
  void note_life(SessionWork& session, const Event& event, TimeMs now);
  // Updates directory, branch, model and version. Adds an event for a change of directory or branch.
  void note_context(SessionWork& session, const Event& event, std::int64_t seq, AssemblyContext& context);
  void note_usage(SessionWork& session, const Event& event);
  // Takes the model that a record names, even a copied one: the session's own records may not repeat it.
  void note_model(SessionWork& session, const Event& event);
  // Marks a session that begins with another session's event as a fork of that session.
  void note_copy(SessionWork& session, const Event& event);

  void forget() { titles_.forget(); }  // call after a rollback

 private:
  void inherit_context(SessionWork& session);
  void drop_times_of_children(SessionWork& session);
  void date_earlier_events(SessionWork& session, TimeMs time);
  std::string uid_of(std::int64_t session_pk);

  sqlite::Database& db_;
  EventRows& rows_;
  SessionEvents& events_;
  SessionCache& sessions_;
  ResponseLedger& responses_;
  TitleLedger titles_;
};

}  // namespace memd::assembly
