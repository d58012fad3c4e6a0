#pragma once

#include "schemas/event.hpp"
#include "schemas/event_batch.hpp"
#include "store/db/database.hpp"
#include "store/write/event_rows.hpp"
#include "store/write/session_cache.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memd::assembly {

// Counts the usage of one API response once, with its largest output, however many records repeat it and in however
// many files (rows of `responses`). Writer thread only. Throws ErrorException.
class ResponseLedger {
 public:
  ResponseLedger(sqlite::Database& db, IdentityIndex& identities) : db_(db), identities_(identities) {}

  // What `usage` adds to what was counted for this response before: to the session and exchange that saw it first.
  // Zero for a repetition, and for a copy in another session.
  TokenUsage add(std::uint64_t response_key, const TokenUsage& usage, std::int64_t session_pk,
                 std::int64_t exchange_number);

  void flush();  // writes what changed since the last flush
  void clear();

 private:
  struct Entry {
    std::int64_t session_pk = 0;
    std::int64_t exchange_number = -1;
    TokenUsage usage;
    bool stored = false;
    bool dirty = false;
  };
  void update(std::uint64_t key, const Entry& entry);
  void change(std::uint64_t key, Entry& entry);
  Entry& find_or_load(std::uint64_t key, std::int64_t session_pk, std::int64_t exchange_number);

  sqlite::Database& db_;
  IdentityIndex& identities_;
  std::unordered_map<std::uint64_t, Entry> entries_;
  std::vector<std::uint64_t> changed_;  // in the order they were first changed since the last flush
};

struct PendingTitle {
  std::string title;
  TitleRank rank = TitleRank::none;
};

// Titles that point at a record which is not in the store yet (rows of `pending_titles`): Claude Code writes the title
// of one session into the file of another. Writer thread only. Throws ErrorException.
class TitleLedger {
 public:
  explicit TitleLedger(sqlite::Database& db) : db_(db) {}

  void wait_for(std::uint64_t record_key, std::string_view title, TitleRank rank);
  // The title waiting for this event, if any; asked for every event, so it must be cheap.
  std::optional<PendingTitle> take(std::uint64_t event_id);
  void forget() { loaded_ = false; }

 private:
  void load();

  sqlite::Database& db_;
  std::unordered_map<std::uint64_t, PendingTitle> waiting_;
  bool loaded_ = false;
};

// Keeps what is known of a session as a whole: title, directory, branch, model, times, tokens, origin. Events say it,
// and so do updates; where both do, events win. Writer thread only. Throws ErrorException.
class SessionFacts {
 public:
  SessionFacts(sqlite::Database& db, EventRows& rows, SessionEvents& events, SessionCache& sessions,
               ResponseLedger& responses)
      : db_(db), rows_(rows), events_(events), sessions_(sessions), responses_(responses), titles_(db) {}

  void update(const SessionUpdate& update, TimeMs now);
  // Titles that point at a record: of this batch, of one before, or of one to come.
  void give_titles(const EventBatch& batch, TimeMs now);

  void complete(const SessionWork& session, Event& event);  // with what its record leaves to the session
  void note_title(SessionWork& session, std::uint64_t event_id);
  void note_times(SessionWork& session, TimeMs time);  // of an event that was appended
  // Whether the session has stopped with this event, or goes on with it.
  void note_life(SessionWork& session, const Event& event, TimeMs now);
  // Directory, branch, model and version. A change of directory or branch becomes an event.
  void note_context(SessionWork& session, const Event& event, std::int64_t seq, AssemblyContext& context);
  void note_usage(SessionWork& session, const Event& event);
  // A session that begins with an event of another one is its fork.
  void note_copy(SessionWork& session, const Event& event);

  void forget() { titles_.forget(); }  // after a rollback

 private:
  void inherit_context(SessionWork& session);
  void drop_times_of_children(SessionWork& session);
  std::string uid_of(std::int64_t session_pk);

  sqlite::Database& db_;
  EventRows& rows_;
  SessionEvents& events_;
  SessionCache& sessions_;
  ResponseLedger& responses_;
  TitleLedger titles_;
};

}  // namespace memd::assembly
