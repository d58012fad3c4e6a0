#include "store/write/writer.hpp"

#include "schemas/hash.hpp"
#include "store/write/assembler.hpp"
#include "store/write/sources/capture.hpp"

#include <map>
#include <string>
#include <unordered_map>

namespace memd {
namespace {
// Stored of one slice: a new record type in a huge file would give millions that say the same. The ledger counts all.
constexpr int kDiagnosticsOfAKind = 50;
}  // namespace

Result<std::unique_ptr<Writer>> Writer::open(const std::filesystem::path& file, const Clock& clock,
                                             const std::filesystem::path& raw_directory) {
  return sqlite::guard([&] {
    auto db = sqlite::Database::open(file, sqlite::OpenMode::read_write);
    sqlite::migrate(db);
    std::unique_ptr<Writer> writer(new Writer(file, std::move(db), clock));
    writer->evicted_.load(writer->db_);
    writer->own_->load();
    if (!raw_directory.empty()) {
      writer->raw_ = std::make_unique<raw::RawLayer>(writer->db_, raw_directory);
      writer->raw_->recover(clock.now());
    }
    return writer;
  });
}

Writer::Writer(std::filesystem::path file, sqlite::Database db, const Clock& clock)
    : file_(std::move(file)),
      db_(std::move(db)),
      clock_(clock),
      assembler_(std::make_unique<assembly::Assembler>(db_)),
      own_(std::make_unique<ingestion::OwnSessions>(db_, *assembler_)),
      items_(std::make_unique<assembly::ItemLedger>(db_)),
      history_(std::make_unique<ingestion::SourceHistory>(db_)),
      drift_(std::make_unique<ingestion::DriftMonitor>(db_, *history_)) {}

Writer::~Writer() = default;

void Writer::begin() {
  if (transaction_ == nullptr) transaction_ = std::make_unique<sqlite::Transaction>(db_);
}

void Writer::undo() {
  transaction_.reset();
  assembler_->forget();
  history_->forget();
  drift_->forget();
  // What cannot be put right now is put right when the store is opened next.
  (void)sqlite::guard([&] { own_->load(); });
  if (raw_) (void)sqlite::guard([&] { raw_->rolled_back(); });
}

Result<std::vector<Source>> Writer::sources() {
  return sqlite::guard([&] {
    std::vector<Source> out;
    auto& q = db_.prepare(
        "SELECT source_pk, platform, path, format, state, state_reason, device, inode, head_hash, head_length, size,"
        " mtime, cursor, generation, open_tail, session_uid, mark, failures, retry_at FROM sources ORDER BY source_pk");
    q.bind();
    while (q.step()) {
      const auto platform = parse_platform(q.text(1));
      if (!platform) continue;  // of a newer memd; its rows stay as they are
      Source s;
      s.id = q.int64(0);
      s.platform = *platform;
      s.path = q.str(2);
      s.format = static_cast<SourceFormat>(q.int64(3));
      s.state = static_cast<SourceState>(q.int64(4));
      s.state_reason = q.str(5);
      s.identity = {from_sql(q.int64(6)), from_sql(q.int64(7)), from_sql(q.int64(8)),
                    static_cast<std::uint32_t>(q.int64(9))};
      s.size = from_sql(q.int64(10));
      s.mtime = q.int64(11);
      s.cursor = from_sql(q.int64(12));
      s.generation = static_cast<std::uint32_t>(q.int64(13));
      s.open_tail = q.str(14);
      s.session_uid = q.str(15);
      s.mark = q.str(16);
      s.failures = static_cast<std::uint32_t>(q.int64(17));
      s.retry_at = q.int64(18);
      out.push_back(std::move(s));
    }
    q.reset();
    return out;
  });
}

Result<ApplyStats> Writer::apply(SourceSlice& slice, const assembly::BatchNotes* notes) {
  auto result = sqlite::guard([&] {
    begin();
    const auto before = history_->look(slice.source);
    const bool is_own = own_->leave_out_of(slice, clock_.now());
    if (!evicted_.empty()) evicted_.filter(slice);
    save_source(slice.source);
    save_coverage(slice.source.id, slice.batch.coverage, slice.restart);
    save_diagnostics(slice.source, slice.batch.diagnostics, slice.items.has_value());
    ApplyStats stats;
    if (slice.items) stats.sources_set_back = take_back(slice);
    const TimeMs now = clock_.now();
    const auto assembled = assembler_->apply(slice.batch, slice.source, slice.adapter_version, now, notes);
    if (raw_ && !is_own) raw_->add(slice, now);
    if (slice.items || !slice.rest.empty() || !slice.source.mark.empty()) save_items(slice);
    history_->note(before, slice, assembled.events, clock_.now());
    drift_->note(slice);
    stats.events = assembled.events;
    stats.duplicates = assembled.duplicates;
    stats.diagnostics = slice.batch.diagnostics.size();
    return stats;
  });
  if (!result) undo();
  return result;
}

// What the slice replaces goes. True if that set other sources back.
bool Writer::take_back(SourceSlice& slice) {
  const SessionItems& items = *slice.items;
  const SourceId source = slice.source.id;
  const auto known = items_->count(source, items.session_uid);
  if (items.keep > known)
    throw ErrorException(Error(Errc::store, "items of " + items.session_uid + " were to be added behind number " +
                                                std::to_string(items.keep) + ", but there are " +
                                                std::to_string(known)));
  if (items.keep == known) return false;
  const auto others = assembler_->rewind(items.session_uid, slice.source, items.keep, clock_.now());
  items_->truncate(source, items.session_uid, items.keep);
  for (const SourceId other : others)
    items_->set_back(other, items.session_uid);
  return !others.empty();
}

void Writer::save_items(SourceSlice& slice) {
  const SourceId source = slice.source.id;
  if (slice.items) {
    SessionItems& items = *slice.items;
    // An exchange begins with an item only if the item's first event is there: of a fork it may stand in the original.
    std::unordered_map<std::uint64_t, std::uint64_t> first_event;
    for (const auto& e : slice.batch.events)
      first_event.try_emplace(e.raw.offset, e.event_id);
    std::uint32_t number = items.keep;
    for (auto& item : items.added) {
      ++number;
      if (item.starts_exchange)
        item.starts_exchange = first_event.contains(number) &&
                               assembler_->opens_exchange(items.session_uid, source, first_event.at(number), number);
      items_->put(source, items.session_uid, number, item);
    }
    for (const auto gone : items.gone)
      items_->mark_gone(source, items.session_uid, gone);
    if (items.has_head) items_->put(source, items.session_uid, 0, items.head);
  }
  items_->set_totals(source, slice.rest);
  const std::uint64_t covered = items_->settle(source);
  if (slice.source.cursor == slice.source.size) return;  // read to its end
  slice.source.cursor = covered;
  db_.prepare("UPDATE sources SET cursor = ? WHERE source_pk = ?").bind(covered, source).run();
}

Result<void> Writer::commit() {
  if (transaction_ == nullptr) return {};
  auto result = sqlite::guard([&] {
    const TimeMs now = clock_.now();
    assembler_->flush(now);
    history_->flush(now);
    drift_->flush(now);
    if (raw_) raw_->write(now);
    transaction_->commit();
    transaction_.reset();
    if (raw_) raw_->committed();
  });
  if (!result) undo();
  return result;
}

Result<void> Writer::flush() {
  if (transaction_ == nullptr) return {};
  auto result = sqlite::guard([&] { assembler_->flush(clock_.now()); });
  if (!result) undo();
  return result;
}

// No RETURNING: with it SQLite looks through all tables that refer to sources, for each of them.
void Writer::save_source(Source& s) {
  auto& find = db_.prepare("SELECT source_pk FROM sources WHERE platform = ? AND path = ?");
  find.bind(to_string(s.platform), s.path);
  const bool known = find.step();
  if (known) s.id = find.int64(0);
  find.reset();
  auto& save = db_.prepare(
      known ? "UPDATE sources SET state = ?3, state_reason = ?4, device = ?5, inode = ?6, head_hash = ?7,"
              " head_length = ?8, size = ?9, mtime = ?10, cursor = ?11, generation = ?12, open_tail = ?13, mark = ?14,"
              " failures = ?15, retry_at = ?16 WHERE platform = ?1 AND path = ?2"
            : "INSERT INTO sources (platform, path, state, state_reason, device, inode, head_hash, head_length, size,"
              " mtime, cursor, generation, open_tail, mark, failures, retry_at, format, session_uid)"
              " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?17, ?18)");
  save.bind(to_string(s.platform), s.path, static_cast<int>(s.state), s.state_reason, as_sql(s.identity.device),
            as_sql(s.identity.inode), as_sql(s.identity.head_hash), s.identity.head_length, s.size, s.mtime, s.cursor,
            s.generation, s.open_tail, s.mark, s.failures, s.retry_at);
  if (!known) {
    save.bind_at(17, static_cast<int>(s.format));
    save.bind_at(18, s.session_uid);
  }
  save.run();
  if (!known) s.id = db_.last_insert_rowid();
}

void Writer::save_coverage(SourceId source, const std::vector<CoverageEntry>& entries, bool restart) {
  if (restart) db_.prepare("DELETE FROM coverage WHERE source_pk = ?").bind(source).run();
  auto& add = db_.prepare(
      "INSERT INTO coverage (source_pk, record_type, disposition, reason, records, bytes) VALUES (?, ?, ?, ?, ?, ?)"
      " ON CONFLICT DO UPDATE SET records = records + excluded.records, bytes = bytes + excluded.bytes");
  for (const auto& e : entries)
    add.bind(source, e.record_type, static_cast<int>(e.disposition), e.reason, e.records, e.bytes).run();
}

void Writer::save_diagnostics(const Source& source, const std::vector<Diagnostic>& diagnostics, bool in_place) {
  auto& insert = db_.prepare(
      "INSERT INTO diagnostics (time, platform, error_type, field_names, severity, source_pk, raw_offset, redacted,"
      " expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)");
  // A record that is read each time it changes says the same each time.
  auto& said = db_.prepare(
      "SELECT 1 FROM diagnostics WHERE source_pk = ? AND raw_offset = ? AND error_type = ? AND field_names = ? LIMIT "
      "1");
  std::map<DiagnosticType, int> written;
  for (const auto& d : diagnostics) {
    if (++written[d.type] > kDiagnosticsOfAKind) continue;
    std::string fields;
    for (const auto& f : d.fields) {
      if (!fields.empty()) fields += ',';
      fields += f.view();
    }
    if (in_place) {
      said.bind(source.id, d.offset, to_string(d.type), fields);
      const bool again = said.step();
      said.reset();
      if (again) continue;
    }
    const TimeMs time = d.time != 0 ? d.time : clock_.now();
    insert
        .bind(time, to_string(d.platform), to_string(d.type), fields, static_cast<int>(d.severity), source.id, d.offset,
              time + kDiagnosticRetention)
        .run();
  }
}

Result<void> Writer::set_state(SourceId source, SourceState state, std::string_view reason) {
  auto result = sqlite::guard([&] {
    begin();
    db_.prepare("UPDATE sources SET state = ?, state_reason = ? WHERE source_pk = ?")
        .bind(static_cast<int>(state), reason, source)
        .run();
  });
  if (!result) undo();
  return result;
}

Result<void> Writer::disable_capture(Platform platform, std::string_view why) {
  auto result = sqlite::guard([&] {
    begin();
    ingestion::disable_capture(db_, *history_, platform, why, clock_.now());
  });
  if (!result) undo();
  return result;
}

Result<std::int64_t> Writer::delete_expired_diagnostics() {
  auto result = sqlite::guard([&] {
    begin();
    history_->expire(clock_.now());
    db_.prepare("DELETE FROM diagnostics WHERE expires_at <= ?").bind(clock_.now()).run();
    return db_.changes();
  });
  if (!result) undo();
  return result;
}

Result<void> Writer::optimize() {
  auto summed_up = sqlite::guard([&] {
    begin();
    history_->flush_all(clock_.now());
  });
  if (!summed_up) {
    undo();
    return summed_up;
  }
  MEMD_TRY(commit());
  return sqlite::guard([&] {
    db_.exec("PRAGMA optimize");
    db_.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  });
}

}  // namespace memd
