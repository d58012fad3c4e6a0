#pragma once

#include "daemon/ingest/slice_replay.hpp"
#include "schemas/error.hpp"
#include "store/db/store_layout.hpp"
#include "store/seal/cipher.hpp"
#include "store/write/old_store.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

struct RebuildReport {
  std::uint64_t files = 0;
  std::uint64_t slices = 0;
  std::uint64_t bytes = 0;  // of records
  std::uint64_t events = 0;
  std::uint64_t damaged_bytes = 0;   // of raw files that could not be read
  std::vector<std::string> damages;  // the first of them, by file and offset
  std::uint64_t unsupported = 0;     // slices of platforms that this memd does not read
  // Against the store before.
  bool replaced = false;  // the new store took its place
  std::vector<SessionLoss>
      from_old;                   // what the raw layer lacked of these sessions, which were taken from the old store
  std::vector<SessionLoss> lost;  // what the new store lacks
  std::string old_damage;         // why the old store cannot be read; what was lost is then not known
  std::filesystem::path kept;     // where the old store is now; empty: there was none
};
using OnRebuildProgress = std::function<void(double done, double total, std::string_view what)>;

enum class OnLoss { refuse, accept };

struct RebuildOptions {
  OnRebuildProgress on_progress;
  std::shared_ptr<seal::LazyCipher> cipher;
  OnLoss on_loss = OnLoss::refuse;
  std::stop_token stop;  // ends it soon: Errc::cancelled, and nothing is left of it
  // Called when the new store is ready to take the place of the old one: for those who read the old one until then.
  std::function<void()> before_replacing;
};

// Makes the whole store anew from the raw layer, beside the old one, and compares the two. Sessions of which the raw
// layer has lost something are taken from the old store as they are. A new store that still has less does not take the
// place of the old one, unless that is accepted; the old one is kept until the next rebuild that succeeds.
// For the holder of the instance lock, while nobody writes to the store or the raw layer. Errc::not_found when there is
// no raw layer, Errc::bad_config when a part of it is sealed with a key that the cipher is not, Errc::store_version
// when the old store is of a newer memd. Blocks; any thread.
Result<RebuildReport> rebuild_store(const StoreLayout& layout, const FindAdapter& find,
                                    const RebuildOptions& options = {});

}  // namespace memd
