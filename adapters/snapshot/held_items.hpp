#pragma once

#include "adapters/snapshot_reader.hpp"
#include "schemas/base/result.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace memd::snapshot {

inline constexpr const char* kHeadKey = "(head)";  // of the record about the whole session

// Returns a hash that differs when a file or its name has changed.
std::uint64_t state_of(const FileView::Entry& file, std::uint64_t seed);

// The bytes of a session's items, for a reader that writes them all when it reads the source. One thread at a time.
class HeldItems {
 public:
  // Keeps the bytes and returns their item. `version` 0: a hash of the bytes and of their count in the ledger. An item
  // added again replaces the other.
  SnapshotReader::Item add(const std::string& key, std::string bytes, std::uint64_t ledger_bytes = 0,
                           std::uint64_t version = 0);
  bool has(const std::string& key) const { return bytes_.contains(key); }

  // Errc::not_found.
  Result<std::string> bytes(const std::string& key) const;

 private:
  std::map<std::string, std::string> bytes_;  // by key
};

}  // namespace memd::snapshot
