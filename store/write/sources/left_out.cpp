#include "store/write/sources/left_out.hpp"

#include <string>

namespace memd::ingestion {
namespace {

void skip(CoverageEntry& entry, std::string_view reason) {
  if (entry.disposition != Disposition::indexed) return;
  entry.disposition = Disposition::skipped;
  entry.reason = reason;
}

void skip_ledger(SourceSlice& slice, std::string_view reason) {
  for (auto& entry : slice.batch.coverage)
    skip(entry, reason);
  if (!slice.items) return;
  for (auto& item : slice.items->added)
    skip(item.ledger, reason);
}

}  // namespace

void leave_out(SourceSlice& slice, const std::function<bool(const Event&)>& is_out, std::string_view reason) {
  auto& events = slice.batch.events;
  const auto dropped = std::erase_if(events, is_out);
  if (dropped > 0 && events.empty()) skip_ledger(slice, reason);
}

void leave_out_all(SourceSlice& slice, std::string_view reason) {
  slice.batch.events.clear();
  slice.batch.sessions.clear();
  skip_ledger(slice, reason);
  if (slice.items) skip(slice.items->head.ledger, reason);
}

}  // namespace memd::ingestion
