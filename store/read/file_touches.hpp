#pragma once

#include "store/db/database.hpp"
#include "store/read/file_history.hpp"
#include "store/read/row_filter.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Members throw ErrorException.
namespace memd::queries {

// A touch of a file by an exchange, as stored in the index by path.
struct Touch {
  std::int64_t session_pk = 0;
  std::int64_t exchange_number = 0;
  std::int64_t path_pk = 0;
  FileAccess access{};
  ExchangeId exchange_id = 0;  // 0: not loaded yet; `time` is then not loaded either
  TimeMs time = 0;
};
bool same_exchange(const Touch& a, const Touch& b);
void load_exchange(sqlite::Database& db, Touch& touch);

// Finds the touches that a query selects. Reads only the index by path where that suffices, because the rows of
// sessions, exchanges and touches are wide and only few of thousands of touches are shown. Connection thread. Throws
// ErrorException.
class TouchFilter {
 public:
  // `db` and `query` must outlive this object.
  TouchFilter(sqlite::Database& db, const FileHistoryQuery& query);

  bool timed() const;  // whether the query depends on exchange times
  std::vector<Touch> touches(bool with_times);

  // Selects `columns` of the touches (`f`) of these paths. With `times`, also joins their exchanges (`x`). No paths:
  // all paths (of a session). `behind` is appended to the SQL. Valid until the next call.
  sqlite::Statement& select(std::string_view columns, const std::vector<std::int64_t>& paths, bool times,
                            std::string_view behind = {});

 private:
  sqlite::Database& db_;
  const FileHistoryQuery& query_;
  SessionConditions conditions_;
  std::string paths_;  // bound texts
  std::string exchanges_;
};

// The touches of one session: the newest exchange first, the files of an exchange together.
struct TouchedSession {
  std::span<Touch> touches;
  std::size_t exchanges = 0;
};

// Sorts sessions by their newest touch, newest first, as far as needed for `exchanges` exchanges and `paths` paths. The
// remaining sessions follow in any order. Reorders `touches`, which the result refers to.
std::vector<TouchedSession> newest_first(sqlite::Database& db, std::vector<Touch>& touches, std::size_t exchanges,
                                         std::size_t paths);

}  // namespace memd::queries
