#pragma once

#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/source.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace memd {

namespace assembly {
class Assembler;
class BatchNotes;
class ItemLedger;
}  // namespace assembly
namespace ingestion {
class DriftMonitor;
class EvictedSessions;
class OwnSessions;
class SourceHistory;
class SourceRows;
}  // namespace ingestion
namespace raw {
class RawLayer;
struct Resealed;
}  // namespace raw
namespace seal {
class LazyCipher;
}
namespace search {
class DocumentLengths;
}
class Forgetting;
class OldStore;
class Retention;
class Withheld;

struct ApplyStats {
  std::uint64_t events = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t diagnostics = 0;
  // Other sources were reset to be read again. The reader's state of them is out of date once this is committed.
  bool sources_set_back = false;
};

// The only writer of a store. Commits rows and cursor in one transaction: nothing applied is visible to readers or
// survives a crash before commit(). An error undoes everything since the last commit, and the sources have to be read
// again from the cursors in sources(). One thread at a time. The clock must outlive the writer.
// Eviction is the duty of Retention (retention.hpp), deletion for good that of Forgetting (forgetting.hpp).
class Writer {
 public:
  // With `raw_directory`, stores the records of slices there, sealed if there is a `cipher`. Returns Errc::bad_config,
  // and writes nothing, when the cipher's key is unavailable or the raw layer is sealed with another key.
  static Result<std::unique_ptr<Writer>> open(const std::filesystem::path& file, const Clock& clock,
                                              const std::filesystem::path& raw_directory = {},
                                              std::shared_ptr<seal::LazyCipher> cipher = {});
  ~Writer();

  const std::filesystem::path& file() const { return file_; }
  Result<std::vector<Source>> sources();
  // The list of forgotten sessions and capture pauses in the store's directory.
  const std::shared_ptr<Withheld>& withheld() const { return withheld_; }
  // Returns whether sources were reset or removed since the last call. Cached state of sources is then out of date.
  bool take_sources_changed() { return std::exchange(sources_changed_, false); }
  // Shares the document lengths with the readers of this process. Call before the first write.
  void share(std::shared_ptr<search::DocumentLengths> lengths);

  // Stores the source (with a new id if it is new), its ledger, diagnostics and events. For a source that is changed in
  // place, the cursor is the number of bytes in the ledger until the source is read to its end (cursor == size).
  // `notes` are those of the slice's batch, and mean that its secrets are masked. Without them both are done here.
  Result<ApplyStats> apply(SourceSlice& slice, const assembly::BatchNotes& notes);
  Result<ApplyStats> apply(SourceSlice& slice);
  // Returns whether apply() can accept the slice: for a source that is changed in place, the preceding items must be
  // stored.
  Result<bool> follows(const SourceSlice& slice);
  // Records at most once a day that the platform is not read, and marks its running sessions as no longer captured.
  Result<void> disable_capture(Platform platform, std::string_view why);
  // Stops capture of what agents write from now on, until `until` (kOpenEnd: no end) or resume_capture(). Running
  // sessions are capture_disabled until they go on.
  Result<void> pause_capture(TimeMs until);
  Result<void> resume_capture();
  // Deletes expired diagnostics, and returns their number. Also deletes old entries of the ingestion log.
  Result<std::int64_t> delete_expired_diagnostics();
  // Writes rows for everything applied, as a commit does, without committing.
  Result<void> flush();
  Result<void> commit();
  void roll_back();  // undoes what was applied since the last commit, as an error does
  bool has_uncommitted() const { return transaction_ != nullptr; }

  // Commits, then runs `change` on the store's connection in a separate transaction. Returns the result of `change`.
  template <class Change>
  auto transact(Change&& change) -> Result<std::invoke_result_t<Change, sqlite::Database&>> {
    MEMD_TRY(commit());
    return sqlite::guard([&] {
      sqlite::Transaction transaction(db_);
      if constexpr (std::is_void_v<std::invoke_result_t<Change, sqlite::Database&>>) {
        change(db_);
        transaction.commit();
      } else {
        auto answer = change(db_);
        transaction.commit();
        return answer;
      }
    });
  }

  // Each of these commits first.
  Result<void> maintain();                    // merges quiet files of the raw layer
  Result<raw::Resealed> reseal(bool sealed);  // seals the plain files of the raw layer, or unseals them
  Result<void> optimize();                    // after a large ingest: updates SQLite's statistics, truncates the WAL
  // For idle moments: merges the search index for a few milliseconds. Returns false when nothing is left to do.
  Result<bool> merge_search_index();
  void release();  // frees memory that only heavy writing needs; does not commit

 private:
  friend class Forgetting;
  friend class OldStore;
  friend class Retention;
  Writer(std::filesystem::path file, sqlite::Database db, const Clock& clock);
  void undo();
  // Runs `step` in the open transaction, and opens one if there is none. Rolls the whole transaction back if the step
  // fails.
  template <class Step>
  auto write(Step&& step) -> Result<std::invoke_result_t<Step>>;

  const std::filesystem::path file_;
  std::shared_ptr<search::DocumentLengths> lengths_;  // declared before db_, which reports to it
  sqlite::Database db_;
  const Clock& clock_;
  std::shared_ptr<Withheld> withheld_;
  bool sources_changed_ = false;
  std::unique_ptr<raw::RawLayer> raw_;  // null: records are not kept
  std::unique_ptr<assembly::Assembler> assembler_;
  std::unique_ptr<assembly::ItemLedger> items_;
  std::unique_ptr<ingestion::EvictedSessions> evicted_;
  std::unique_ptr<ingestion::OwnSessions> own_;
  std::unique_ptr<ingestion::SourceRows> sources_;
  std::unique_ptr<ingestion::SourceHistory> history_;
  std::unique_ptr<ingestion::DriftMonitor> drift_;
  std::unique_ptr<sqlite::Transaction> transaction_;
};

}  // namespace memd
