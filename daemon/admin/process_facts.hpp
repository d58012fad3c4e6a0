#pragma once

#include "daemon/admin/store_rebuild_report.hpp"
#include "schemas/error.hpp"
#include "schemas/time.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace memd::admin {

// What the process that answers knows about itself. The functions are called on worker threads.
struct ProcessFacts {
  std::string role = "none";  // StatusReport::role
  std::string socket;
  TimeMs started_at = 0;
  std::function<std::int64_t()> connections;  // may be empty
  std::function<std::string()> watcher;       // may be empty
  // Has this process make its store anew, soon. Errc::store_busy: it does already. Empty: this process cannot.
  std::function<Result<void>(OnLoss)> rebuild_store;
  std::function<std::optional<StoreRebuildStatus>()> store_rebuild;  // may be empty
};

// Bytes of this process in memory, files that it maps included; 0: the system does not say.
std::uint64_t resident_bytes();

}  // namespace memd::admin
