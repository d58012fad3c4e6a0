#include "schemas/hash.hpp"
#include "schemas/sql_text.hpp"
#include "store/read/session_contents.hpp"

namespace memd {

SessionItems SessionItemsQuery::run(sqlite::Database& db) const {
  SessionItems out;
  out.session_uid = session_uid;
  auto& q =
      db.prepare(sql_text("SELECT item_no, item_key, version, flags & kItemStartsExchange, flags & kItemGone,"
                          " record_type, disposition, reason, bytes FROM source_items"
                          " WHERE source_pk = (SELECT source_pk FROM sources WHERE platform = ? AND path = ?)"
                          " AND session_uid = ? ORDER BY item_no"));
  q.bind(to_string(platform), source_path, session_uid);
  while (q.step()) {
    SourceItem item;
    item.key = q.str(1);
    item.version = from_sql(q.int64(2));
    item.starts_exchange = q.int64(3) != 0;
    item.gone = q.int64(4) != 0;
    item.ledger = {q.str(5), static_cast<Disposition>(q.int64(6)), q.str(7), 1, from_sql(q.int64(8))};
    if (q.int64(0) == 0) {
      out.has_head = true;
      out.head = std::move(item);
    } else {
      out.added.push_back(std::move(item));
    }
  }
  q.reset();
  return out;
}

}  // namespace memd
