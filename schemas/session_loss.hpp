#pragma once

#include <cstdint>
#include <string>

namespace memd {

// The difference by which a rebuilt store lacks content of a session.
struct SessionLoss {
  std::string uid;
  std::int64_t exchanges = 0;    // of the old store's, those that are missing
  std::int64_t events = 0;       // likewise
  bool is_missing = false;       // the whole session is missing
  bool has_other_facts = false;  // title, parent, times, … differ
  bool is_unreadable = false;    // the old store is damaged there, so the loss is unknown
};

}  // namespace memd
