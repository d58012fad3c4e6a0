#pragma once

#include "daemon/ingest/rebuild_report.hpp"
#include "daemon/ingest/slice_replay.hpp"
#include "schemas/base/result.hpp"
#include "store/db/store_layout.hpp"

#include <functional>
#include <memory>
#include <stop_token>
#include <string_view>

namespace memd::seal {
class LazyCipher;
}

namespace memd {

using OnRebuildProgress = std::function<void(double done, double total, std::string_view what)>;

enum class OnLoss { refuse, accept };

struct RebuildOptions {
  OnRebuildProgress on_progress;
  std::shared_ptr<seal::LazyCipher> cipher;
  OnLoss on_loss = OnLoss::refuse;
  std::stop_token stop;  // ends the rebuild soon: Errc::cancelled, and nothing of it is left
  // Called when the new store is ready to replace the old one, so that readers can close the old one.
  std::function<void()> before_replacing;
};

// Rebuilds the whole store from the raw layer, beside the old one, and compares the two. Sessions for which the raw
// layer lost data are copied from the old store. A new store that still holds less does not replace the old one unless
// that is accepted. The old store is kept until the next rebuild that succeeds.
// The caller must hold the instance lock, and nobody may write to the store or the raw layer meanwhile. Errc::not_found
// when there is no raw layer, Errc::bad_config when part of it is sealed with another key than the cipher's,
// Errc::store_version when a newer memd wrote the old store. Blocks; any thread.
Result<RebuildReport> rebuild_store(const StoreLayout& layout, const FindAdapter& find,
                                    const RebuildOptions& options = {});

}  // namespace memd
