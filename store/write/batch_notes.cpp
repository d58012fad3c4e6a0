#include "store/write/batch_notes.hpp"

#include "store/insight/summary/decisions.hpp"

#include <utility>

namespace memd::assembly {

BatchNotes::BatchNotes(const EventBatch& batch) {
  for (const Event& e : batch.events) {
    if (e.kind != EventKind::assistant_msg || e.text.empty()) continue;
    EventNotes notes{find_decisions(e.text), find_observations(e.text)};
    if (notes.decisions.empty() && notes.observations.empty()) continue;
    notes_.try_emplace(e.event_id, std::move(notes));
  }
}

const EventNotes& BatchNotes::of(const Event& event) const {
  static const EventNotes kNothing;
  const auto it = notes_.find(event.event_id);
  return it == notes_.end() ? kNothing : it->second;
}

}  // namespace memd::assembly
