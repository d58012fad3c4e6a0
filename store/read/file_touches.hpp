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

// Sessions and exchanges are rows wide enough to be worth not looking at, and so are the rows of touches, where the
// index by path will do: of thousands of touches more is needed of few.
class TouchFilter {
 public:
  // Keeps references to both.
  TouchFilter(sqlite::Database& db, const FileHistoryQuery& query);

  bool timed() const;  // the times of exchanges take part
  std::vector<Touch> touches(bool with_times);

  // `columns` of `f`, and of `x` with times, of touches of these paths; none: of every path (of a session). Good until
  // the next one is selected.
  sqlite::Statement& select(std::string_view columns, const std::vector<std::int64_t>& paths, bool times,
                            std::string_view behind = {});

 private:
  sqlite::Database& db_;
  const FileHistoryQuery& query_;
  SessionConditions conditions_;
  std::string paths_;  // bound texts
  std::string exchanges_;
};

// What of a session was touched: the newest exchange first, the files of an exchange together.
struct TouchedSession {
  std::span<Touch> touches;
  std::size_t exchanges = 0;
};

// The sessions by their newest touch, newest first, as far as `exchanges` exchanges and `paths` paths go; those behind
// come in any order. Sorts `touches`, which the sessions refer to.
std::vector<TouchedSession> newest_first(sqlite::Database& db, std::vector<Touch>& touches, std::size_t exchanges,
                                         std::size_t paths);

}  // namespace memd::queries
