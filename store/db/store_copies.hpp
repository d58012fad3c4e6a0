#pragma once

#include "schemas/base/result.hpp"
#include "store/db/store_layout.hpp"

#include <cstdint>
#include <filesystem>
#include <vector>

// Whole databases beside the store: the output of a rebuild, and the store it replaced. They contain the store's texts,
// so whatever deletes texts permanently removes these copies too. Only the holder of the instance lock may change
// files.
namespace memd {

struct StoreCopy {
  std::filesystem::path file;
  std::uint64_t bytes = 0;
  bool is_unfinished = false;  // its rebuild was killed, or is still running
};
std::vector<StoreCopy> copies_of_store(const StoreLayout& layout);

// Removes a database and its write-ahead log.
Result<void> remove_database(const std::filesystem::path& file);
Result<void> remove_unfinished_rebuild(const StoreLayout& layout);
Result<void> remove_copies_of_store(const StoreLayout& layout);

// Replaces the store atomically by the finished rebuild, which nobody has open. The old store, with the content of its
// write-ahead log, is kept as StoreLayout::before_rebuild() and replaces the one kept earlier. After a crash the store
// is either the old or the new one.
Result<void> replace_store(const StoreLayout& layout);

}  // namespace memd
