#pragma once

#include "schemas/ids.hpp"
#include "schemas/source.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace memd::assembly {

// Takes the end of a session out of the store, as if it had never been read. Works on rows: nothing of the session may
// be waiting to be written. Writer thread only. Throws ErrorException.
class SessionTail {
 public:
  explicit SessionTail(sqlite::Database& db) : db_(db) {}

  // Where a session is cut: at the start of an exchange, or before the first one.
  struct Cut {
    std::int64_t session_pk = 0;
    std::int64_t seq = 0;       // the first event that goes
    std::int64_t exchange = 0;  // the number of the first exchange that goes
  };
  // The cut before all that `source` gave behind its first `keep` items; nullopt if it gave nothing there.
  std::optional<Cut> find(std::int64_t session_pk, SourceId source, std::uint32_t keep);

  struct OtherSource {
    SourceId id = 0;
    bool can_be_read = false;
  };
  // Sources besides `source` that gave something of what would go.
  std::vector<OtherSource> other_sources(const Cut& cut, SourceId source);

  // Deletes what stands behind the cut: exchanges with all that hangs on them, events, responses. Opens calls whose
  // results are deleted, and restores the session's row. Returns the keys of the deleted exchanges by number.
  std::map<std::int64_t, ExchangeId> remove(const Cut& cut);

 private:
  struct ExchangeSpan {
    std::int64_t number = 0;
    std::int64_t first_seq = 0;
    std::int64_t last_seq = 0;
  };
  std::optional<ExchangeSpan> last_before(std::int64_t session_pk, std::int64_t number);
  void count_back(const Cut& cut);
  std::map<std::int64_t, ExchangeId> remove_exchanges(const Cut& cut);
  void restore_session(const Cut& cut);
  std::string last_change(std::int64_t session_pk, const ExchangeSpan& span, std::string_view prefix);

  sqlite::Database& db_;
};

}  // namespace memd::assembly
