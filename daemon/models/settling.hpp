#pragma once

#include "schemas/enrichment.hpp"
#include "schemas/time.hpp"

#include <optional>
#include <unordered_map>

namespace memd {

// Leaves an exchange alone while an agent still writes it: it would be embedded again with every line. It is worked on
// when nothing was added for `quiet`, or `most` after it was first seen. One thread.
class Settling {
 public:
  struct Limits {
    TimeMs quiet = 0;
    TimeMs most = 0;
  };

  // Before the exchanges of one look at the queue.
  void begin() { next_.reset(); }
  bool settled(const PendingExchange& exchange, TimeMs now, const Limits& limits);
  // When the first of those that were not settled is; nothing: all were.
  std::optional<TimeMs> next() const { return next_; }

 private:
  std::unordered_map<ExchangeId, TimeMs> first_seen_;  // of those that were not settled
  std::optional<TimeMs> next_;
};

}  // namespace memd
