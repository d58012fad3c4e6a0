#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace memd {

// What became of a piece of a source.
enum class Disposition : std::uint8_t { indexed = 0, skipped = 1, unknown = 2 };
std::string_view to_string(Disposition d);

// One line of the ledger: of `record_type`, `records` records with `bytes` bytes (newline included) met this fate.
// indexed + skipped + unknown over a source = its bytes, exactly. `reason` is empty for indexed.
struct CoverageEntry {
  std::string record_type;
  Disposition disposition = Disposition::indexed;
  std::string reason;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
};

}  // namespace memd
