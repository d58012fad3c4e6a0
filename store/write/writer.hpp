#pragma once

#include "schemas/clock.hpp"
#include "schemas/enrichment.hpp"
#include "schemas/error.hpp"
#include "schemas/source.hpp"
#include "store/db/database.hpp"
#include "store/raw/raw_layer.hpp"
#include "store/write/item_ledger.hpp"
#include "store/write/retention/eviction.hpp"
#include "store/write/retention/retention_plan.hpp"
#include "store/write/sources/drift_monitor.hpp"
#include "store/write/sources/own_sessions.hpp"
#include "store/write/sources/source_history.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

namespace assembly {
class Assembler;
class BatchNotes;
}  // namespace assembly
namespace search {
class DocumentLengths;
}

struct ApplyStats {
  std::uint64_t events = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t diagnostics = 0;
  // Other sources were set back to be read again: what the reader knows of them is out of date once this is committed.
  bool sources_set_back = false;
};

// The only writer of a store: rows and cursor in one transaction. Nothing applied is visible to readers, or survives a
// crash, before commit(). After an error everything since the last commit is undone and the sources have to be read
// anew from sources(). One thread. The clock must outlive the writer.
class Writer {
 public:
  // With `raw_directory` the records of slices are kept there.
  static Result<std::unique_ptr<Writer>> open(const std::filesystem::path& file, const Clock& clock,
                                              const std::filesystem::path& raw_directory = {});
  ~Writer();

  const std::filesystem::path& file() const { return file_; }
  Result<std::vector<Source>> sources();

  // Stores the source (giving it an id if it is new), its ledger, diagnostics and events. Of a source that is changed
  // in place, the cursor becomes the bytes in the ledger until the source is read to its end (cursor == size).
  // `notes`: of the slice's batch, made ahead; null: they are made here.
  Result<ApplyStats> apply(SourceSlice& slice, const assembly::BatchNotes* notes = nullptr);
  Result<void> commit();
  // For the readers of this process; said before the first write.
  void share(std::shared_ptr<search::DocumentLengths> lengths);
  bool has_uncommitted() const { return transaction_ != nullptr; }

  Result<void> set_state(SourceId source, SourceState state, std::string_view reason);
  // The platform is not read: says so once a day, and its running sessions are no longer captured.
  Result<void> disable_capture(Platform platform, std::string_view why);
  Result<std::int64_t> delete_expired_diagnostics();  // how many; and what of the ingestion log is too old
  // Makes rows of what was applied, as a commit does, without committing.
  Result<void> flush();
  void release();  // gives back the memory that only much writing needs
  // Tidies the raw layer up. Commits first.
  Result<void> maintain();

  struct Eviction {
    std::uint64_t sessions = 0;
    std::uint64_t raw_bytes = 0;
  };
  // Marks what is analysed, and drops what is due under the policy; `at_once`: what would be due after the notice too.
  // Commits first and last.
  Result<Eviction> enforce(const RetentionPolicy& policy, bool at_once);
  Result<Eviction> evict(const std::vector<std::string>& session_uids);
  Result<void> restore_evicted(std::string_view record);  // see retention::restore(); a transaction of its own
  // Stores what was made of exchanges, in a transaction of its own. Commits first.
  Result<void> enrich(std::span<const Enrichment> made);
  Result<void> enqueue_vectors_of_all();  // a changed model; commits first and last
  // See enrichment/enrichment_target.hpp; each commits first and last.
  Result<void> set_enrichment_target(const EnrichmentTarget& target);
  Result<std::int64_t> drop_other_vectors(std::span<const std::string> keep, int limit);
  // Lets SQLite tidy up after a large ingest: refreshes statistics, empties the WAL.
  Result<void> optimize();
  // For moments with nothing else to do: a few milliseconds of what makes searches faster. False: nothing is left to
  // do. Commits first.
  Result<bool> merge_search_index();

 private:
  Writer(std::filesystem::path file, sqlite::Database db, const Clock& clock);
  void begin();
  void undo();
  void save_source(Source& source);
  void save_coverage(SourceId source, const std::vector<CoverageEntry>& entries, bool restart);
  void save_diagnostics(const Source& source, const std::vector<Diagnostic>& diagnostics, bool in_place);
  bool take_back(SourceSlice& slice);
  void save_items(SourceSlice& slice);

  const std::filesystem::path file_;
  std::shared_ptr<search::DocumentLengths> lengths_;  // before the connection it is told by
  sqlite::Database db_;
  const Clock& clock_;
  std::unique_ptr<raw::RawLayer> raw_;  // null: records are not kept
  retention::EvictedSessions evicted_;
  std::unique_ptr<assembly::Assembler> assembler_;
  std::unique_ptr<ingestion::OwnSessions> own_;
  std::unique_ptr<assembly::ItemLedger> items_;
  std::unique_ptr<ingestion::SourceHistory> history_;
  std::unique_ptr<ingestion::DriftMonitor> drift_;
  std::unique_ptr<sqlite::Transaction> transaction_;
};

}  // namespace memd
