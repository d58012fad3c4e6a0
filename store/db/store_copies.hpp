#pragma once

#include "schemas/error.hpp"
#include "store/db/store_layout.hpp"

#include <cstdint>
#include <filesystem>
#include <vector>

// Whole databases that stand beside the store: what a rebuild writes, and what it replaced. They hold the texts of the
// store, so what drops texts for good removes them too. What changes files is for the holder of the instance lock.
namespace memd {

struct StoreCopy {
  std::filesystem::path file;
  std::uint64_t bytes = 0;
  bool is_unfinished = false;  // a rebuild was killed, or runs
};
std::vector<StoreCopy> copies_of_store(const StoreLayout& layout);

// A database with its write-ahead log.
Result<void> remove_database(const std::filesystem::path& file);
Result<void> remove_unfinished_rebuild(const StoreLayout& layout);
Result<void> remove_copies_of_store(const StoreLayout& layout);

// Puts the finished rebuild, which nobody has open, in the place of the store in one step. The store before is kept as
// StoreLayout::before_rebuild() with what its write-ahead log held, in place of the one kept earlier. A crash leaves
// either of the two as the store.
Result<void> replace_store(const StoreLayout& layout);

}  // namespace memd
