#pragma once

#include "daemon/serve/instance_lock.hpp"
#include "schemas/base/result.hpp"

#include <chrono>
#include <filesystem>
#include <functional>

namespace memd {

// Longer than a daemon waits for its workers to end.
inline constexpr std::chrono::seconds kDaemonEndsWithin{15};

struct TakeOver {
  std::chrono::milliseconds patience = kDaemonEndsWithin;  // with a process that was asked to end
  bool ends_commands = false;  // false: a command that ends by itself is waited for, however long it takes
  // Called for each process that holds the lock, before it is waited for or asked to end. May be empty.
  std::function<void(const InstanceLock::Attempt& holder)> on_holder{};
};

// Asks the daemon, or the server of a single client, that holds the data directory's lock to end (SIGTERM: running
// calls finish, data already read is committed) and waits for the lock. Errc::store_busy: it did not end. Blocks; any
// thread.
Result<InstanceLock> take_over(const std::filesystem::path& data_dir, const TakeOver& how = {});

}  // namespace memd
