#pragma once

#include "store/db/database.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memd::assembly {

// Deletes the texts of exchanges from exchanges_fts. Call it before their rows are deleted: exchanges_fts has external
// content, and FTS5 can only delete an entry when given its exact old text. `which` is a condition, with `values` for
// its ?1, ?2, …
template <class... Values>
void forget_texts(sqlite::Database& db, std::string_view which, const Values&... values) {
  db.run(
      "INSERT INTO exchanges_fts (exchanges_fts, rowid, user_message, interventions, assistant_response, tool_text)"
      " SELECT 'delete', exchange_pk, coalesce(user_message, ''), coalesce(interventions, ''),"
      " coalesce(assistant_response, ''), coalesce(tool_text, '') FROM exchanges WHERE " +
          std::string(which),
      values...);
}

// Reads and writes rows of exchanges, their files and their full-text entries. Buffers the full-text entries until
// write_index(), because FTS5 writes a segment whenever row ids do not grow or a multi-step statement begins. Writer
// thread only. Throws ErrorException.
class ExchangeRows {
 public:
  explicit ExchangeRows(sqlite::Database& db) : db_(db) {}

  // Returns a key for a new exchange. It is assigned when the exchange is opened, so that it does not depend on when
  // the row is written.
  ExchangeId next_id();
  // See Assembler::reserve.
  void reserve(const std::vector<ExchangeId>& ids) { reserved_.insert(ids.begin(), ids.end()); }
  // Ensures that no key now in the table is assigned again, even if its row is deleted.
  void keep_ids_in_use();

  // Returns whether an exchange was forgotten. Its number is not given to another one.
  using IsForgotten = std::function<bool(std::string_view session_uid, std::int64_t number)>;
  void leave_out(IsForgotten is_forgotten) { is_forgotten_ = std::move(is_forgotten); }
  // Returns the first number from `number` on that an exchange of the session may have.
  std::int64_t free_number(std::string_view session_uid, std::int64_t number) const {
    while (is_forgotten_ && is_forgotten_(session_uid, number))
      ++number;
    return number;
  }

  // Inserts or updates the row and its files, and buffers its full-text entry.
  void save(const SessionWork& session, ExchangeDraft& draft, TimeMs ingested_at);

  void write_index();  // writes the buffered full-text entries; call before a commit

  // Loads the newest exchange of a session with a number below `end`, ready to be continued. Returns false if there is
  // none or if it is evicted.
  bool load_newest(std::int64_t session_pk, std::int64_t end, ExchangeDraft& draft);

  // Deletes the exchanges of a session from number `first` on, with all rows that depend on them.
  void remove_from(std::int64_t session_pk, std::int64_t first);

  void forget();  // after a rollback

 private:
  void save_files(std::int64_t session_pk, const ExchangeDraft& draft);
  void save_tools(ExchangeDraft& draft);
  std::int64_t intern_tool(const std::string& tool);
  struct IndexChange {
    std::optional<ExchangeText> before;  // the text now in the index
    ExchangeText after;
  };
  void index_text(ExchangeDraft& draft);
  void load_files(std::int64_t session_pk, ExchangeDraft& draft);
  void replay_failures(std::int64_t session_pk, ExchangeDraft& draft);

  sqlite::Database& db_;
  ExchangeId next_id_ = 0;         // 0: not read yet
  std::set<ExchangeId> reserved_;  // keys that are never assigned
  IsForgotten is_forgotten_;
  std::unordered_map<std::string, std::int64_t> tools_;
  std::map<ExchangeId, IndexChange> unindexed_;
  std::size_t unindexed_bytes_ = 0;
};

}  // namespace memd::assembly
