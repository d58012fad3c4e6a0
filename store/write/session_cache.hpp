#pragma once

#include "schemas/base/hash.hpp"
#include "store/write/exchange_rows.hpp"
#include "store/write/history_prompts.hpp"
#include "store/write/project_rows.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memd::assembly {

// Reads and writes rows of `sessions`. Writer thread only. Throws ErrorException.
class SessionRows {
 public:
  explicit SessionRows(sqlite::Database& db) : db_(db), projects_(db) {}

  std::optional<SessionWork> load(std::string_view uid);
  // Creates the row. Throws for a uid that is not "<platform>:<native id>".
  SessionWork create(std::string_view uid, TimeMs discovered_at);
  void save(SessionWork& session, TimeMs ingested_at);
  bool remove_empty(std::int64_t session_pk);  // keeps a session that has a title or a subagent
  // Returns the machine from which a session came through a share; empty: it is of this one.
  std::string machine_of(std::string_view uid);

  ProjectRows& projects() { return projects_; }
  // Stores a session that is known only from another memd's record, with that record's counts, watermarks and digest.
  void take_record(SessionWork& session, TimeMs now);
  // Resets the counts of such a record, because the session now has events.
  void drop_record_counts(SessionWork& session);

 private:
  void save_references(SessionWork& session);

  sqlite::Database& db_;
  ProjectRows projects_;
};

// A bounded cache of the sessions being worked on. Writer thread only. Throws ErrorException.
// References stay valid until the next flush() or clear(), or until drop() of that session.
class SessionCache {
 public:
  SessionCache(sqlite::Database& db, ExchangeRows& exchanges, HistoryPrompts& history)
      : rows_(db), exchanges_(exchanges), history_(history) {}

  SessionWork& get(std::string_view uid, TimeMs now);  // loads or creates it
  bool exists(std::string_view uid);
  SessionRows& rows() { return rows_; }
  // Returns the cached sessions whose newest exchange began at this time. Valid as other references.
  std::vector<const SessionWork*> begun_at(TimeMs started_at) const;

  void flush(TimeMs now);           // writes dirty sessions, then evicts the least recently used beyond the bound
  void drop(std::string_view uid);  // drops one session, unwritten, because its rows were changed directly
  void clear() { sessions_.clear(); }

 private:
  SessionRows rows_;
  ExchangeRows& exchanges_;
  HistoryPrompts& history_;
  std::unordered_map<std::string, SessionWork, TextHash, std::equal_to<>> sessions_;
  std::uint64_t tick_ = 0;
};

}  // namespace memd::assembly
