#include "adapters/snapshot/held_items.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"

#include <utility>

namespace memd::snapshot {

std::uint64_t state_of(const FileView::Entry& file, std::uint64_t seed) {
  return hash64(file.path, hash_combine(seed, hash_combine(file.size, static_cast<std::uint64_t>(file.mtime_ns))));
}

SnapshotReader::Item HeldItems::add(const std::string& key, std::string bytes, std::uint64_t ledger_bytes,
                                    std::uint64_t version) {
  if (version == 0) version = hash64(bytes, ledger_bytes) | 1;
  bytes_[key] = std::move(bytes);
  return {key, version, ledger_bytes};
}

Result<std::string> HeldItems::bytes(const std::string& key) const {
  const auto it = bytes_.find(key);
  if (it == bytes_.end()) return Error(Errc::not_found, "no such item any more");
  return it->second;
}

}  // namespace memd::snapshot
