#pragma once

#include "schemas/error.hpp"
#include "store/memory/memory_json.hpp"

#include <filesystem>
#include <string_view>

namespace memd::memory {

// index.json of a scope. It is made from the files, so nothing waits for the disk, and what memd does not recognise as
// its own form is made anew. The caller holds the directory's lock for writing. One thread.
class IndexFile {
 public:
  explicit IndexFile(std::filesystem::path file) : file_(std::move(file)) {}

  // Errc::not_found, or Errc::store_corrupt: malformed.
  Result<MemoryIndex> load() const;
  Result<void> write(const MemoryIndex& index) const;

  // Change one line, without reading the others; nothing is written if it is so already. false: the file is not as it
  // should be, and has to be rebuilt; a line that is missing or there against expectation is such a case.
  Result<bool> add(const IndexEntry& entry, TimeMs now) const;
  Result<bool> replace(const IndexEntry& entry, TimeMs now) const;
  Result<bool> remove(std::string_view slug, TimeMs now) const;

 private:
  Result<bool> splice(std::string_view slug, const std::string& line, bool is_there, TimeMs now) const;
  std::filesystem::path file_;
};

}  // namespace memd::memory
