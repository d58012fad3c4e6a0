#pragma once

#include "daemon/admin/store_rebuild_report.hpp"
#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace memd {
enum class OnLoss;
}

namespace memd::admin {

// Facts about the answering process. The functions are called on worker threads.
struct ProcessFacts {
  std::string role = "none";  // StatusReport::role
  std::string socket;
  TimeMs started_at = 0;
  std::function<std::int64_t()> connections;  // may be empty
  std::function<std::string()> watcher;       // may be empty
  // Orders a rebuild of this process's store. Errc::store_busy: one is running. Empty: this process cannot.
  std::function<Result<void>(OnLoss)> rebuild_store;
  std::function<std::optional<StoreRebuildStatus>()> store_rebuild;  // may be empty
};

// Returns the resident memory of this process in bytes, mapped files included; 0: unknown.
std::uint64_t resident_bytes();

// Returns whether an update has replaced the executable of this process.
bool program_was_replaced();

}  // namespace memd::admin
