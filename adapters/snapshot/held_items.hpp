#pragma once

#include "adapters/snapshot_reader.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace memd::snapshot {

inline constexpr const char* kHeadKey = "(head)";  // of the record about the whole session

// The bytes of a session's items, for a reader that writes them all when it reads the source. One thread at a time.
class HeldItems {
 public:
  // Keeps the bytes and returns their item, whose version is a hash of them. An item added again replaces the other.
  SnapshotReader::Item add(const std::string& key, std::string bytes, std::uint64_t ledger_bytes = 0) {
    const std::uint64_t version = hash64(bytes) | 1;
    bytes_[key] = std::move(bytes);
    return {key, version, ledger_bytes};
  }

  bool has(const std::string& key) const { return bytes_.contains(key); }

  // Errc::not_found.
  Result<std::string> bytes(const std::string& key) const {
    const auto it = bytes_.find(key);
    if (it == bytes_.end()) return Error(Errc::not_found, "no such item any more");
    return it->second;
  }

 private:
  std::map<std::string, std::string> bytes_;  // by key
};

}  // namespace memd::snapshot
