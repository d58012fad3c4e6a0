#pragma once

#include "schemas/hash.hpp"
#include "store/write/exchange_rows.hpp"
#include "store/write/history_prompts.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace memd::assembly {

// Reads and writes rows of `sessions`. Writer thread only. Throws ErrorException.
class SessionRows {
 public:
  explicit SessionRows(sqlite::Database& db) : db_(db) {}

  std::optional<SessionWork> load(std::string_view uid);
  // Creates the row. Throws for a uid that is not "<platform>:<native id>".
  SessionWork create(std::string_view uid, TimeMs discovered_at);
  void save(SessionWork& session, TimeMs ingested_at);
  bool remove_empty(std::int64_t session_pk);  // unless somebody else knows of it: a title, a subagent

  std::int64_t intern_project(std::string_view cwd);
  // Saves a session that is known from another memd's record alone, with the counts, watermarks and digest of that.
  void take_record(SessionWork& session, TimeMs now);
  // It has events now: they count anew.
  void drop_record_counts(SessionWork& session);

 private:
  void save_references(SessionWork& session);

  sqlite::Database& db_;
};

// The sessions being worked on, a bounded number of them. Writer thread only. Throws ErrorException.
// References stay valid until the next flush() or clear().
class SessionCache {
 public:
  SessionCache(sqlite::Database& db, ExchangeRows& exchanges, HistoryPrompts& history)
      : rows_(db), exchanges_(exchanges), history_(history) {}

  SessionWork& get(std::string_view uid, TimeMs now);  // loads or creates
  bool exists(std::string_view uid);
  SessionRows& rows() { return rows_; }

  void flush(TimeMs now);           // writes what is dirty, then evicts the least recently used beyond the bound
  void drop(std::string_view uid);  // one session, whose rows changed underneath; nothing of it is written
  void clear() { sessions_.clear(); }

 private:
  SessionRows rows_;
  ExchangeRows& exchanges_;
  HistoryPrompts& history_;
  std::unordered_map<std::string, SessionWork, TextHash, std::equal_to<>> sessions_;
  std::uint64_t tick_ = 0;
};

}  // namespace memd::assembly
