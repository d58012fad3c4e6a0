#pragma once

#include "schemas/event_batch.hpp"
#include "store/insight/summary/observations.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace memd::assembly {

// What is worth remembering in one text of an agent.
struct EventNotes {
  std::vector<std::string> decisions;
  std::vector<FoundObservation> observations;
};

// The notes of a batch's events. They depend on the texts alone, so the reading thread makes them while the writing
// thread, which is busier, stores the batch before. Immutable; owns its texts.
class BatchNotes {
 public:
  BatchNotes() = default;
  explicit BatchNotes(const EventBatch& batch);  // whose secrets are masked

  const EventNotes& of(const Event& event) const;

 private:
  std::unordered_map<std::uint64_t, EventNotes> notes_;  // by event_id, where there is something
};

}  // namespace memd::assembly
