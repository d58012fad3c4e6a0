#include "store/db/store_copies.hpp"

#include "store/db/database.hpp"
#include "store/files/system_calls.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace memd {
namespace fs = std::filesystem;
namespace {

constexpr const char* kFilesOfDatabase[] = {"", "-wal", "-shm"};

fs::path with_suffix(const fs::path& file, const char* suffix) { return file.string() + suffix; }

// Returns the path to which earlier versions moved a damaged store.
fs::path set_aside(const StoreLayout& layout) { return with_suffix(layout.database(), ".damaged"); }

// Syncs a directory after changes of its entries.
Result<void> sync(const fs::path& directory) {
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = fd >= 0 && files::sync_to_disk(fd) == 0;
  const Error error = synced ? Error() : Error::from_errno(errno, "sync", directory.string());
  if (fd >= 0) ::close(fd);
  if (!synced) return error;
  return {};
}

// Creates a hard link where the file system supports it, else a copy.
Result<void> keep(const fs::path& file, const fs::path& as) {
  std::error_code ec;
  fs::create_hard_link(file, as, ec);
  if (ec) fs::copy_file(file, as, fs::copy_options::overwrite_existing, ec);
  if (ec) return Error(ec, "keep " + file.string() + " as " + as.string());
  return {};
}

}  // namespace

std::vector<StoreCopy> copies_of_store(const StoreLayout& layout) {
  std::vector<StoreCopy> out;
  for (const fs::path& file : {layout.rebuild(), layout.before_rebuild(), set_aside(layout)}) {
    StoreCopy copy{file, 0, file == layout.rebuild()};
    bool there = false;
    for (const char* suffix : kFilesOfDatabase) {
      std::error_code ec;
      const auto bytes = fs::file_size(with_suffix(file, suffix), ec);
      if (ec) continue;
      there = true;
      copy.bytes += bytes;
    }
    if (there) out.push_back(std::move(copy));
  }
  return out;
}

Result<void> remove_database(const fs::path& file) {
  for (const char* suffix : kFilesOfDatabase) {
    std::error_code ec;
    fs::remove(with_suffix(file, suffix), ec);
    if (ec) return Error(ec, "remove " + with_suffix(file, suffix).string());
  }
  return {};
}

Result<void> remove_unfinished_rebuild(const StoreLayout& layout) { return remove_database(layout.rebuild()); }

Result<void> remove_copies_of_store(const StoreLayout& layout) {
  MEMD_TRY(remove_unfinished_rebuild(layout));
  MEMD_TRY(remove_database(layout.before_rebuild()));
  return remove_database(set_aside(layout));
}

// The old store's write-ahead log must not remain beside the new store: SQLite would apply it.
Result<void> replace_store(const StoreLayout& layout) {
  const fs::path store = layout.database();
  std::error_code ec;
  if (fs::exists(store, ec)) {
    // Fails on a store that is too damaged; its log is then kept beside it.
    (void)sqlite::guard([&] {
      auto old = sqlite::Database::open(store, sqlite::OpenMode::read_write);
      old.exec("PRAGMA journal_mode = DELETE");
    });
    MEMD_TRY(remove_database(layout.before_rebuild()));
    const fs::path log = with_suffix(store, "-wal");
    if (fs::exists(log, ec)) MEMD_TRY(keep(log, with_suffix(layout.before_rebuild(), "-wal")));
    MEMD_TRY(keep(store, layout.before_rebuild()));
    MEMD_TRY(sync(layout.data_dir()));
  }
  for (const char* suffix : {"-wal", "-shm"}) {
    fs::remove(with_suffix(store, suffix), ec);
    if (ec) return Error(ec, "remove " + with_suffix(store, suffix).string());
  }
  fs::rename(layout.rebuild(), store, ec);
  if (ec) return Error(ec, "rename " + layout.rebuild().string());
  return sync(layout.data_dir());
}

}  // namespace memd
