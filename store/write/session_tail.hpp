#pragma once

#include "schemas/ids.hpp"
#include "schemas/source.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace memd::assembly {

// Removes the end of a session from the store, or one of its exchanges, as if it had never been read. Works on rows:
// the session must have no unwritten state. Writer thread only. Throws ErrorException.
class SessionTail {
 public:
  explicit SessionTail(sqlite::Database& db) : db_(db) {}

  // The place at which a session is cut: the start of an exchange, or a place before the first one.
  struct Cut {
    std::int64_t session_pk = 0;
    std::int64_t seq = 0;       // first event to be removed
    std::int64_t exchange = 0;  // number of the first exchange to be removed
  };
  // Returns the cut before everything that `source` gave after its first `keep` items; nullopt if it gave nothing
  // there.
  std::optional<Cut> find(std::int64_t session_pk, SourceId source, std::uint32_t keep);

  struct OtherSource {
    SourceId id = 0;
    bool can_be_read = false;
  };
  // Returns the sources other than `source` that contributed to the rows after the cut.
  std::vector<OtherSource> other_sources(const Cut& cut, SourceId source);

  // Deletes everything after the cut: exchanges with all rows that depend on them, events, responses. Reopens calls
  // whose results are deleted, and restores the session's row. Returns the keys of the deleted exchanges by number.
  std::map<std::int64_t, ExchangeId> remove(const Cut& cut);

  // Deletes one exchange. The numbers of all others stay, and so does what the session is said to have last.
  void remove_exchange(std::int64_t session_pk, std::int64_t number);

 private:
  struct ExchangeSpan {
    std::int64_t number = 0;
    std::int64_t first_seq = 0;
    std::int64_t last_seq = 0;
  };
  // Rows of a session: events and exchanges from the first to the last, these included.
  struct Range {
    std::int64_t session_pk = 0;
    std::int64_t first_seq = 0;
    std::int64_t last_seq = 0;
    std::int64_t first_exchange = 0;
    std::int64_t last_exchange = 0;
  };
  std::optional<ExchangeSpan> last_before(std::int64_t session_pk, std::int64_t number);
  std::map<std::int64_t, ExchangeId> remove_rows(const Range& range);
  void count_back(const Range& range);
  std::map<std::int64_t, ExchangeId> remove_exchanges(const Range& range);
  void restore_session(const Cut& cut);
  std::string last_change(std::int64_t session_pk, const ExchangeSpan& span, std::string_view prefix);

  sqlite::Database& db_;
};

}  // namespace memd::assembly
