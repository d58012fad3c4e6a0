#pragma once

#include "schemas/error.hpp"
#include "schemas/source.hpp"
#include "schemas/time.hpp"
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
  // Other sources were set back to be read again: what the reader knows of them is out of date once this is committed.
  bool sources_set_back = false;
};

// The only writer of a store: rows and cursor in one transaction. Nothing applied is visible to readers, or survives a
// crash, before commit(). After an error everything since the last commit is undone and the sources have to be read
// anew from sources(). One thread at a time. The clock must outlive the writer.
// What is dropped when is the duty of Retention (retention.hpp), what is forgotten that of Forgetting (forgetting.hpp).
class Writer {
 public:
  // With `raw_directory` the records of slices are kept there, with `cipher` sealed. Errc::bad_config when its key
  // cannot be had, or the raw layer is sealed with another one: nothing is written then.
  static Result<std::unique_ptr<Writer>> open(const std::filesystem::path& file, const Clock& clock,
                                              const std::filesystem::path& raw_directory = {},
                                              std::shared_ptr<seal::LazyCipher> cipher = {});
  ~Writer();

  const std::filesystem::path& file() const { return file_; }
  Result<std::vector<Source>> sources();
  // What memd was told not to hold, of the store's directory.
  const std::shared_ptr<Withheld>& withheld() const { return withheld_; }
  // Whether something set sources back, or removed them, since this was asked: what is known of them is out of date.
  bool take_sources_changed() { return std::exchange(sources_changed_, false); }
  // For the readers of this process; said before the first write.
  void share(std::shared_ptr<search::DocumentLengths> lengths);

  // Stores the source (giving it an id if it is new), its ledger, diagnostics and events. Of a source that is changed
  // in place, the cursor becomes the bytes in the ledger until the source is read to its end (cursor == size).
  // `notes`: of the slice's batch, made ahead; null: they are made here.
  Result<ApplyStats> apply(SourceSlice& slice, const assembly::BatchNotes* notes = nullptr);
  // Whether apply() can take the slice: of a source that is changed in place, the items before it have to be there.
  Result<bool> follows(const SourceSlice& slice);
  Result<void> set_state(SourceId source, SourceState state, std::string_view reason);
  // The platform is not read: says so once a day, and its running sessions are no longer captured.
  Result<void> disable_capture(Platform platform, std::string_view why);
  // What agents write from now on is not captured, until `until` (kOpenEnd: until it is resumed) or resume_capture().
  // Running sessions are capture_disabled meanwhile, until they go on.
  Result<void> pause_capture(TimeMs until);
  Result<void> resume_capture();
  // Deletes diagnostics whose time has come, and gives their number; and entries of the ingestion log that are too old.
  Result<std::int64_t> delete_expired_diagnostics();
  // Makes rows of what was applied, as a commit does, without committing.
  Result<void> flush();
  Result<void> commit();
  void roll_back();  // undoes what was applied since the last commit, as an error does
  bool has_uncommitted() const { return transaction_ != nullptr; }

  // Commits, and runs `change` on the store's connection in a transaction of its own. What it returns is the answer.
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

  // Each commits first.
  Result<void> maintain();                    // tidies the raw layer up
  Result<raw::Resealed> reseal(bool sealed);  // seals what of the raw layer is plain, or undoes it
  Result<void> optimize();                    // after a large ingest: refreshes SQLite's statistics, empties the WAL
  // For moments with nothing else to do: a few milliseconds of what makes searches faster. False: nothing is left.
  Result<bool> merge_search_index();
  void release();  // gives back the memory that only much writing needs; commits nothing

 private:
  friend class Forgetting;
  friend class OldStore;
  friend class Retention;
  Writer(std::filesystem::path file, sqlite::Database db, const Clock& clock);
  void undo();
  // Runs `step` in the open transaction, which begins if there is none. When it fails, all of the transaction is
  // undone.
  template <class Step>
  auto write(Step&& step) -> Result<std::invoke_result_t<Step>>;

  const std::filesystem::path file_;
  std::shared_ptr<search::DocumentLengths> lengths_;  // before the connection it is told by
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
