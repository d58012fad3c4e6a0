#pragma once

#include "schemas/event_batch.hpp"
#include "store/insight/summary/observations.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace memd::assembly {

// What an assistant's text says that is worth remembering, by itself.
struct EventNotes {
  std::vector<std::string> decisions;
  std::vector<FoundObservation> observations;
};

// Of the events of one batch. Looking for it takes nothing but the texts, so that the thread that read them can do it
// while the writer, which is the busier one, writes the batch before. Immutable.
class BatchNotes {
 public:
  BatchNotes() = default;
  explicit BatchNotes(const EventBatch& batch);  // whose secrets are masked

  const EventNotes& of(const Event& event) const;

 private:
  std::unordered_map<std::uint64_t, EventNotes> notes_;  // by event_id, where there is something
};

}  // namespace memd::assembly
