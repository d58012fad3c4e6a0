#include "schemas/event_batch.hpp"

namespace memd {

void EventBatch::cover(std::string_view record_type, Disposition disposition, std::string_view reason,
                       std::uint64_t bytes, std::uint64_t records) {
  // A source has a few dozen kinds at most, and neighbours are alike: search from the back.
  for (auto it = coverage.rbegin(); it != coverage.rend(); ++it) {
    if (it->disposition == disposition && it->record_type == record_type && it->reason == reason) {
      it->records += records;
      it->bytes += bytes;
      return;
    }
  }
  coverage.push_back({std::string(record_type), disposition, std::string(reason), records, bytes});
}

void EventBatch::clear() {
  sessions.clear();
  events.clear();
  coverage.clear();
  diagnostics.clear();
  secrets_masked = false;
}

}  // namespace memd
