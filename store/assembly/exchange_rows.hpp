#pragma once

#include "store/assembly/session_state.hpp"
#include "store/sqlite/database.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>

namespace memd::assembly {

// Reading and writing of exchange rows, their files and their full-text rows. Writer thread only. Throws
// ErrorException.
class ExchangeRows {
 public:
  explicit ExchangeRows(sqlite::Database& db) : db_(db) {}

  // A key for a new exchange. Handed out when it is opened, so that it does not depend on when it is written.
  ExchangeId next_id();
  // From here on no key that is in the table now is handed out, though its row may be deleted.
  void keep_ids_in_use();

  // Inserts or updates the row, its files and its full-text entry.
  void save(const SessionWork& session, ExchangeDraft& draft, TimeMs ingested_at);

  // The newest exchange of a session before number `end`, ready to be continued. False if it has none.
  bool load_newest(std::int64_t session_pk, std::int64_t end, ExchangeDraft& draft);

  // Removes the exchanges of a session from number `first` on, with all that hangs on them.
  void remove_from(std::int64_t session_pk, std::int64_t first);

  void forget();  // after a rollback

 private:
  void save_files(std::int64_t session_pk, const ExchangeDraft& draft);
  void save_tools(ExchangeDraft& draft);
  std::int64_t intern_tool(const std::string& tool);
  void index_text(ExchangeDraft& draft);
  void load_files(std::int64_t session_pk, ExchangeDraft& draft);
  void replay_events(std::int64_t session_pk, ExchangeDraft& draft);

  sqlite::Database& db_;
  ExchangeId next_id_ = 0;  // 0: not read yet
  std::unordered_map<std::string, std::int64_t> tools_;
};

}  // namespace memd::assembly
