#pragma once

#include "store/db/database.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memd::assembly {

// Takes the texts of exchanges out of exchanges_fts before their rows go. It has its content outside: it must be told
// the old text exactly to forget it. `which` is a condition with `values` for its ?1, ?2, …
template <class... Values>
void forget_texts(sqlite::Database& db, std::string_view which, const Values&... values) {
  db.prepare(
        "INSERT INTO exchanges_fts (exchanges_fts, rowid, user_message, interventions, assistant_response, tool_text)"
        " SELECT 'delete', exchange_pk, coalesce(user_message, ''), coalesce(interventions, ''),"
        " coalesce(assistant_response, ''), coalesce(tool_text, '') FROM exchanges WHERE " +
        std::string(which))
      .bind(values...)
      .run();
}

// Reads and writes rows of exchanges, their files and their full-text entries. The full-text entries are held back
// until write_index(): FTS5 writes a segment whenever row ids do not grow, or a statement of several steps begins.
// Writer thread only. Throws ErrorException.
class ExchangeRows {
 public:
  explicit ExchangeRows(sqlite::Database& db) : db_(db) {}

  // A key for a new exchange. Handed out when it is opened, so that it does not depend on when it is written.
  ExchangeId next_id();
  // See Assembler::reserve.
  void reserve(const std::vector<ExchangeId>& ids) { reserved_.insert(ids.begin(), ids.end()); }
  // From here on no key that is in the table now is handed out, though its row may be deleted.
  void keep_ids_in_use();

  // Inserts or updates the row and its files; its full-text entry follows.
  void save(const SessionWork& session, ExchangeDraft& draft, TimeMs ingested_at);

  void write_index();  // the full-text entries held back; before a commit

  // The newest exchange of a session before number `end`, ready to be continued. False if it has none, or the newest is
  // evicted.
  bool load_newest(std::int64_t session_pk, std::int64_t end, ExchangeDraft& draft);

  // Removes the exchanges of a session from number `first` on, with all that hangs on them.
  void remove_from(std::int64_t session_pk, std::int64_t first);

  void forget();  // after a rollback

 private:
  void save_files(std::int64_t session_pk, const ExchangeDraft& draft);
  void save_tools(ExchangeDraft& draft);
  std::int64_t intern_tool(const std::string& tool);
  struct IndexChange {
    std::optional<ExchangeText> before;  // what the index holds
    ExchangeText after;
  };
  void index_text(ExchangeDraft& draft);
  void load_files(std::int64_t session_pk, ExchangeDraft& draft);
  void replay_failures(std::int64_t session_pk, ExchangeDraft& draft);

  sqlite::Database& db_;
  ExchangeId next_id_ = 0;         // 0: not read yet
  std::set<ExchangeId> reserved_;  // never handed out
  std::unordered_map<std::string, std::int64_t> tools_;
  std::map<ExchangeId, IndexChange> unindexed_;
  std::size_t unindexed_bytes_ = 0;
};

}  // namespace memd::assembly
