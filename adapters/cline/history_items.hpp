#pragma once

#include "adapters/cline/task_messages.hpp"
#include "adapters/snapshot/document.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::cline {

struct HistoryItem {
  std::string key;
  std::string bytes;
  std::uint64_t ledger_bytes = 0;
};

// Items of a task whose messages are lost: the entries of the history for the model, {"key", "cwd"?, "time",
// "estimated"?, "calls"?, "message"}. Cline's entries have no times: they are placed at the task's start, whose time
// is its id; Roo Code's have.
std::vector<HistoryItem> history_items(std::string_view task_id, const snapshot::Document& document,
                                       const std::vector<HistoryEntry>& history, std::string_view cwd);

}  // namespace memd::cline
