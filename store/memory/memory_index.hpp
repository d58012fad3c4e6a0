#pragma once

#include "schemas/base/result.hpp"
#include "store/files/scope_root.hpp"
#include "store/memory/memory_json.hpp"

#include <string_view>

namespace memd::memory {

// The index.json of a scope. It can be rebuilt from the files, so writes are not synced to disk, and a file that is not
// in memd's own form is rebuilt. The caller holds the directory's lock for writing. One thread.
class IndexFile {
 public:
  static constexpr const char* kFile = "index.json";

  explicit IndexFile(files::ScopeRoot root) : root_(std::move(root)) {}

  // Returns Errc::not_found, or Errc::store_corrupt for a malformed file.
  Result<MemoryIndex> load() const;
  Result<void> write(const MemoryIndex& index) const;

  // Change one line without reading the others; write nothing if it is up to date. Return false if the file is not as
  // expected, for example if a line is missing or already there; it then has to be rebuilt.
  Result<bool> add(const IndexEntry& entry, TimeMs now) const;
  Result<bool> replace(const IndexEntry& entry, TimeMs now) const;
  Result<bool> remove(std::string_view slug, TimeMs now) const;

 private:
  Result<bool> splice(std::string_view slug, const std::string& line, bool is_there, TimeMs now) const;
  files::ScopeRoot root_;
};

}  // namespace memd::memory
