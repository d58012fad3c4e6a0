#include "store/write/writer.hpp"

#include "store/db/store_layout.hpp"
#include "store/db/withheld.hpp"
#include "store/raw/raw_layer.hpp"
#include "store/search/words/document_lengths.hpp"
#include "store/search/words/full_text_index.hpp"
#include "store/write/assembler.hpp"
#include "store/write/item_ledger.hpp"
#include "store/write/left_out.hpp"
#include "store/write/retention.hpp"
#include "store/write/source_history.hpp"
#include "store/write/source_rows.hpp"

#include <algorithm>
#include <utility>

namespace memd {
namespace {

// Drops times that cannot be, each with a diagnostic: those more than a day after both the present and the last change
// of the source, and those from before 2000. A source without a time of its own is not checked.
void drop_implausible_times(SourceSlice& slice, TimeMs now) {
  constexpr TimeMs kEarliest = 946'684'800'000;
  const TimeMs latest = std::max(now, slice.source.mtime) + kMsPerDay;
  if (slice.source.mtime == 0) return;
  const auto drop = [&](TimeMs& time, std::uint64_t offset) {
    if (time == 0 || (time >= kEarliest && time <= latest)) return;
    time = 0;
    auto& told = slice.batch.diagnostics;
    const bool again =
        !told.empty() && told.back().type == DiagnosticType::unknown_field_value && told.back().offset == offset;
    if (again) return;
    told.push_back(
        {slice.source.platform, DiagnosticType::unknown_field_value, Severity::warning, {"time"}, 0, offset});
  };
  for (SessionUpdate& update : slice.batch.sessions)
    for (TimeMs* time : {&update.started_at, &update.ended_at, &update.stopped_at})
      drop(*time, 0);
  for (Event& event : slice.batch.events)
    drop(event.time, event.raw.offset);
}

}  // namespace

Result<std::unique_ptr<Writer>> Writer::open(const std::filesystem::path& file, const Clock& clock,
                                             const std::filesystem::path& raw_directory,
                                             std::shared_ptr<seal::LazyCipher> cipher) {
  MEMD_TRY_ASSIGN(auto withheld, Withheld::open(StoreLayout(file.parent_path()).withheld()));
  return sqlite::guard([&] {
    auto db = sqlite::Database::open(file, sqlite::OpenMode::read_write);
    sqlite::migrate(db);
    std::unique_ptr<Writer> writer(new Writer(file, std::move(db), clock));
    writer->withheld_ = std::move(withheld);
    writer->assembler_->reserve(writer->withheld_->exchange_keys());
    writer->assembler_->leave_out_exchanges([list = writer->withheld_](std::string_view uid, std::int64_t number) {
      return list->has_exchange(uid, number);
    });
    writer->evicted_->load(writer->db_);
    writer->own_->load();
    if (!raw_directory.empty()) {
      writer->raw_ = std::make_unique<raw::RawLayer>(writer->db_, raw_directory, raw::FrameSeal(std::move(cipher)));
      // Records that cannot be cut now, for example on a full disk, are cut with the next eviction.
      (void)sqlite::guard([&] { Retention(*writer).cut_records(); });
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
      items_(std::make_unique<assembly::ItemLedger>(db_, *assembler_)),
      evicted_(std::make_unique<ingestion::EvictedSessions>()),
      own_(std::make_unique<ingestion::OwnSessions>(db_, *assembler_)),
      sources_(std::make_unique<ingestion::SourceRows>(db_)),
      history_(std::make_unique<ingestion::SourceHistory>(db_)),
      drift_(std::make_unique<ingestion::DriftMonitor>(db_, *history_)) {}

Writer::~Writer() = default;

template <class Step>
auto Writer::write(Step&& step) -> Result<std::invoke_result_t<Step>> {
  auto result = sqlite::guard([&] {
    if (transaction_ == nullptr) transaction_ = std::make_unique<sqlite::Transaction>(db_);
    return step();
  });
  if (!result) undo();
  return result;
}

void Writer::undo() {
  transaction_.reset();
  assembler_->forget();
  history_->forget();
  drift_->forget();
  // If this fails, opening the store the next time repairs it.
  (void)sqlite::guard([&] { own_->load(); });
  if (raw_) (void)sqlite::guard([&] { raw_->rolled_back(); });
}

Result<std::vector<Source>> Writer::sources() {
  return sqlite::guard([&] { return sources_->all(); });
}

void Writer::share(std::shared_ptr<search::DocumentLengths> lengths) {
  lengths_ = std::move(lengths);
  lengths_->follow(db_);
}

Result<ApplyStats> Writer::apply(SourceSlice& slice) { return apply(slice, assembly::BatchNotes(slice.batch)); }

Result<ApplyStats> Writer::apply(SourceSlice& slice, const assembly::BatchNotes& notes) {
  return write([&] {
    const auto before = history_->look(slice.source);
    const TimeMs now = clock_.now();
    drop_implausible_times(slice, now);
    const bool is_own = own_->leave_out_of(slice, now);
    evicted_->take_out_of(slice, now);
    sources_->save(slice.source);
    sources_->add_coverage(slice.source.id, slice.batch.coverage, slice.restart);
    sources_->add_diagnostics(slice.source, slice.batch.diagnostics, slice.items.has_value(), now);
    ApplyStats stats;
    if (slice.items) stats.sources_set_back = items_->take_back(slice, now);
    if (slice.restart && before.known) assembler_->read_again(slice.source, now);
    const auto assembled = assembler_->apply(slice.batch, slice.source, slice.adapter_version, now, notes);
    if (raw_ && !is_own) raw_->add(slice, now);
    if (slice.items || !slice.rest.empty() || !slice.source.mark.empty()) items_->save(slice);
    history_->note(before, slice, assembled.events, now);
    drift_->note(slice);
    stats.events = assembled.events;
    stats.duplicates = assembled.duplicates;
    stats.diagnostics = slice.batch.diagnostics.size();
    return stats;
  });
}

Result<bool> Writer::follows(const SourceSlice& slice) {
  return sqlite::guard([&] { return items_->follows(slice); });
}

Result<void> Writer::disable_capture(Platform platform, std::string_view why) {
  return write([&] {
    const TimeMs now = clock_.now();
    if (sources_->disable_capture(platform, now)) history_->add(platform, 0, IngestionStep::unsupported, why, now);
  });
}

Result<void> Writer::pause_capture(TimeMs until) {
  MEMD_TRY(commit());
  const TimeMs now = clock_.now();
  MEMD_TRY(withheld_->pause(now, until));
  auto done = transact([&](sqlite::Database&) { sources_->disable_all_capture(now); });
  assembler_->forget();
  return done;
}

Result<void> Writer::resume_capture() {
  MEMD_TRY(commit());
  const TimeMs now = clock_.now();
  const auto pauses = withheld_->pauses();
  MEMD_TRY(withheld_->resume(now));
  auto done = transact([&](sqlite::Database&) {
    for (const auto& pause : pauses)
      sources_->enable_capture(pause.from);
  });
  assembler_->forget();
  return done;
}

Result<std::int64_t> Writer::delete_expired_diagnostics() {
  return write([&] {
    history_->expire(clock_.now());
    return sources_->delete_expired_diagnostics(clock_.now());
  });
}

Result<void> Writer::flush() {
  if (transaction_ == nullptr) return {};
  return write([&] { assembler_->flush(clock_.now()); });
}

Result<void> Writer::commit() {
  if (transaction_ == nullptr) return {};
  return write([&] {
    const TimeMs now = clock_.now();
    assembler_->flush(now);
    history_->flush(now);
    drift_->flush(now);
    if (raw_) raw_->write(now);
    transaction_->commit();
    transaction_.reset();
    if (raw_) raw_->committed();
  });
}

void Writer::roll_back() {
  if (transaction_ != nullptr) undo();
}

Result<void> Writer::maintain() {
  MEMD_TRY(commit());
  return sqlite::guard([&] {
    if (raw_) raw_->merge_quiet_files(clock_.now());
  });
}

Result<raw::Resealed> Writer::reseal(bool sealed) {
  MEMD_TRY(commit());
  return sqlite::guard([&] { return raw_ ? raw_->reseal(sealed) : raw::Resealed(); });
}

Result<void> Writer::optimize() {
  MEMD_TRY(write([&] { history_->flush_all(clock_.now()); }));
  MEMD_TRY(commit());
  return sqlite::guard([&] {
    db_.exec("PRAGMA optimize");
    db_.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  });
}

Result<bool> Writer::merge_search_index() {
  MEMD_TRY(commit());
  return sqlite::guard([&] { return search::merge_segments(db_); });
}

void Writer::release() {
  assembler_->release();
  db_.release_memory();
}

}  // namespace memd
