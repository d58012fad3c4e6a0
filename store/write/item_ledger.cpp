#include "store/write/item_ledger.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "store/db/rows.hpp"
#include "store/write/assembler.hpp"
#include "store/write/source_rows.hpp"

#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

namespace memd::assembly {
namespace {

constexpr std::uint32_t kLast = std::numeric_limits<std::uint32_t>::max();

unsigned item_flags(const SourceItem& item) {
  return (item.starts_exchange ? kItemStartsExchange : 0U) | (item.gone ? kItemGone : 0U);
}

}  // namespace

bool ItemLedger::follows(const SourceSlice& slice) {
  const SourceId source = db_.query("SELECT source_pk FROM sources WHERE platform = ? AND path = ?",
                                    to_string(slice.source.platform), slice.source.path)
                              .value_or(0);
  return !slice.items || slice.items->keep <= (source == 0 ? 0 : count(source, slice.items->session_uid));
}

bool ItemLedger::take_back(const SourceSlice& slice, TimeMs now) {
  const SessionItems& items = *slice.items;
  const SourceId source = slice.source.id;
  const auto known = count(source, items.session_uid);
  if (items.keep > known)
    throw ErrorException(Error(Errc::store, "items of " + items.session_uid + " were to be added behind number " +
                                                std::to_string(items.keep) + ", but there are " +
                                                std::to_string(known)));
  if (items.keep == known) return false;
  const auto others = assembler_.rewind(items.session_uid, slice.source, items.keep, now);
  truncate(source, items.session_uid, items.keep);
  for (const SourceId other : others)
    set_back(other, items.session_uid);
  return !others.empty();
}

void ItemLedger::save(SourceSlice& slice) {
  const SourceId source = slice.source.id;
  if (slice.items) {
    SessionItems& items = *slice.items;
    // An exchange begins with an item only if the item's first event is in this session; in a fork it may be in the
    // original.
    std::unordered_map<std::uint64_t, std::uint64_t> first_event;
    for (const auto& e : slice.batch.events)
      first_event.try_emplace(e.raw.offset, e.event_id);
    std::uint32_t number = items.keep;
    for (auto& item : items.added) {
      ++number;
      if (item.starts_exchange)
        item.starts_exchange = first_event.contains(number) &&
                               assembler_.opens_exchange(items.session_uid, source, first_event.at(number), number);
      put(source, items.session_uid, number, item);
    }
    for (const auto gone : items.gone)
      mark_gone(source, items.session_uid, gone);
    if (items.has_head) put(source, items.session_uid, 0, items.head);
  }
  set_totals(source, slice.rest);
  const std::uint64_t covered = settle(source);
  if (slice.size_is_estimate)
    slice.source.size = covered;
  else if (slice.source.cursor == slice.source.size)
    return;  // read to its end
  slice.source.cursor = covered;
  db_.run("UPDATE sources SET cursor = ?, size = ? WHERE source_pk = ?", covered, slice.source.size, source);
}

std::uint32_t ItemLedger::count(SourceId source, std::string_view uid) {
  const auto row =
      db_.query("SELECT coalesce(max(item_no), 0) FROM source_items WHERE source_pk = ? AND session_uid = ?", source,
                uid)
          .row();
  const auto n = static_cast<std::uint32_t>(row->int64(0));
  return n;
}

void ItemLedger::subtract(SourceId source, std::string_view uid, std::uint32_t first, std::uint32_t last) {
  const auto lines =
      db_.query(
             "SELECT record_type, disposition, reason, count(*), sum(bytes) FROM source_items WHERE source_pk = ?"
             " AND session_uid = ? AND item_no BETWEEN ? AND ? AND flags & ? = 0 GROUP BY 1, 2, 3",
             source, uid, first, last, kItemGone)
          .all(sqlite::fields_of<CoverageEntry>);
  auto& update = db_.prepare(
      "UPDATE coverage SET records = records - ?, bytes = bytes - ? WHERE source_pk = ? AND record_type = ?"
      " AND disposition = ? AND reason = ?");
  for (const auto& line : lines)
    update.bind(line.records, line.bytes, source, line.record_type, static_cast<int>(line.disposition), line.reason)
        .run();
}

void ItemLedger::truncate(SourceId source, std::string_view uid, std::uint32_t keep) {
  subtract(source, uid, keep + 1, kLast);
  db_.run("DELETE FROM source_items WHERE source_pk = ? AND session_uid = ? AND item_no > ?", source, uid, keep);
}

void ItemLedger::put(SourceId source, std::string_view uid, std::uint32_t number, const SourceItem& item) {
  subtract(source, uid, number, number);
  const CoverageEntry& line = item.ledger;
  db_.run(
      "INSERT OR REPLACE INTO source_items (source_pk, session_uid, item_no, item_key, version, flags, record_type,"
      " disposition, reason, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      source, uid, number, item.key, as_sql(item.version), item_flags(item), line.record_type,
      static_cast<int>(line.disposition), line.reason, line.bytes);
  ingestion::add_coverage(db_, source, line.record_type, line.disposition, line.reason, 1, line.bytes);
}

void ItemLedger::mark_gone(SourceId source, std::string_view uid, std::uint32_t number) {
  subtract(source, uid, number, number);
  db_.run("UPDATE source_items SET flags = flags | ? WHERE source_pk = ? AND session_uid = ? AND item_no = ?",
          kItemGone, source, uid, number);
}

void ItemLedger::set_totals(SourceId source, std::span<const CoverageEntry> lines) {
  auto& set = db_.prepare(
      "INSERT INTO coverage (source_pk, record_type, disposition, reason, records, bytes) VALUES (?, ?, ?, ?, ?, ?)"
      " ON CONFLICT DO UPDATE SET records = excluded.records, bytes = excluded.bytes");
  for (const auto& line : lines)
    set.bind(source, line.record_type, static_cast<int>(line.disposition), line.reason, line.records, line.bytes).run();
}

std::uint64_t ItemLedger::settle(SourceId source) {
  db_.run("DELETE FROM coverage WHERE source_pk = ? AND records = 0 AND bytes = 0", source);
  const auto row = db_.query("SELECT coalesce(sum(bytes), 0) FROM coverage WHERE source_pk = ?", source).row();
  const std::uint64_t bytes = from_sql(row->int64(0));
  return bytes;
}

void ItemLedger::set_back(SourceId source, std::string_view uid) {
  const bool in_place = db_.query("SELECT 1 FROM source_items WHERE source_pk = ? LIMIT 1", source).any();
  if (!in_place) {
    db_.run("DELETE FROM coverage WHERE source_pk = ?", source);
    db_.run("UPDATE sources SET cursor = 0, open_tail = '', mark = '', generation = generation + 1 WHERE source_pk = ?",
            source);
    return;
  }
  const auto row =
      db_.query(
             "SELECT coalesce(max(e.raw_offset), 0) FROM events e JOIN sessions s USING (session_pk) WHERE s.uid = ?"
             " AND e.source_pk = ?",
             uid, source)
          .row();
  const auto keep = static_cast<std::uint32_t>(row->int64(0));
  truncate(source, uid, keep);
  // The session attributes set by its head were deleted with the rows.
  subtract(source, uid, 0, 0);
  db_.run("DELETE FROM source_items WHERE source_pk = ? AND session_uid = ? AND item_no = 0", source, uid);
  const std::uint64_t covered = settle(source);
  db_.run("UPDATE sources SET mark = '', cursor = ? WHERE source_pk = ?", covered, source);
}

}  // namespace memd::assembly
