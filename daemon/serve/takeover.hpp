#pragma once

#include "daemon/serve/instance_lock.hpp"
#include "schemas/error.hpp"

#include <chrono>
#include <filesystem>

namespace memd {

// Longer than a daemon waits for its workers to end.
inline constexpr std::chrono::seconds kDaemonEndsWithin{15};

// Asks the holder of the data directory's lock to end (SIGTERM: running calls finish, data already read is committed)
// and waits for the lock. Errc::store_busy: it did not end. Blocks; any thread.
Result<InstanceLock> take_over(const std::filesystem::path& data_dir,
                               std::chrono::milliseconds patience = kDaemonEndsWithin);

}  // namespace memd
