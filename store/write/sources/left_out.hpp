#pragma once

#include "schemas/event.hpp"
#include "schemas/source.hpp"

#include <functional>
#include <string_view>

// Parts of a slice that are accounted for and not taken in.
namespace memd::ingestion {

// Takes the events for which `is_out` holds out of the slice. When that leaves none, what was to be indexed is skipped
// for `reason` in its ledger.
void leave_out(SourceSlice& slice, const std::function<bool(const Event&)>& is_out, std::string_view reason);
// Nothing of the slice is taken in.
void leave_out_all(SourceSlice& slice, std::string_view reason);

}  // namespace memd::ingestion
