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

// Where a file was touched, as the index by path says it.
struct Touch {
  std::int64_t session_pk = 0;
  std::int64_t exchange_number = 0;
  std::int64_t path_pk = 0;
  FileAccess access{};
  ExchangeId exchange_id = 0;  // 0: not looked at, as the time
  TimeMs time = 0;
};
bool same_exchange(const Touch& a, const Touch& b);
void look_at_exchange(sqlite::Database& db, Touch& touch);

// Reads the touches that a query asks for from the index by path alone, where that is enough: the rows of sessions,
// exchanges and touches are wide, and of thousands of touches few are shown. On the thread of the connection. Throws
// ErrorException.
class TouchFilter {
 public:
  // `db` and `query` must outlive it.
  TouchFilter(sqlite::Database& db, const FileHistoryQuery& query);

  bool timed() const;  // the query depends on the times of exchanges
  std::vector<Touch> touches(bool with_times);

  // Selects `columns` of the touches (`f`), and with `times` of their exchanges (`x`), of these paths; no paths: of all
  // (of a session). Valid until the next call.
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

// Sorts sessions by their newest touch, newest first, as far as needed for `exchanges` exchanges and `paths` paths; the
// others follow in any order. Sorts `touches`, which the sessions refer to.
std::vector<TouchedSession> newest_first(sqlite::Database& db, std::vector<Touch>& touches, std::size_t exchanges,
                                         std::size_t paths);

}  // namespace memd::queries
