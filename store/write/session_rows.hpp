#pragma once

#include "store/db/database.hpp"
#include "store/write/session_state.hpp"

#include <optional>
#include <string_view>

namespace memd::assembly {

// Reading and writing of session rows. Writer thread only. Throws ErrorException.
class SessionRows {
 public:
  explicit SessionRows(sqlite::Database& db) : db_(db) {}

  std::optional<SessionWork> load(std::string_view uid);
  // Creates the row. Throws for a uid that is not "<platform>:<native id>".
  SessionWork create(std::string_view uid, TimeMs discovered_at);
  void save(SessionWork& session, TimeMs ingested_at);
  bool remove_empty(std::int64_t session_pk);  // unless somebody else knows of it: a title, a subagent

  std::int64_t intern_project(std::string_view cwd);
  bool last_test_failed(std::int64_t session_pk);

 private:
  void save_references(SessionWork& session);

  sqlite::Database& db_;
};

}  // namespace memd::assembly
