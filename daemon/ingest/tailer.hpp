#pragma once

#include "adapters/adapter.hpp"
#include "daemon/ingest/source_file.hpp"
#include "schemas/error.hpp"
#include "schemas/raw_mode.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memd {

struct TailerLimits {
  std::size_t slice_bytes = 4 << 20;    // read at once
  std::size_t record_bytes = 64 << 20;  // a longer record is skipped, counted and diagnosed
  RawMode raw = RawMode::off;
};

// Follows the sources' files: checks that a file is still the one the cursor belongs to, reads what is new, cuts
// complete records and has them decoded. Keeps no state of its own but a buffer, so one Tailer serves all sources in
// turn; what is known of a source travels in `Source`. One thread.
class Tailer {
 public:
  explicit Tailer(TailerLimits limits = {}) : limits_(limits) {}

  struct Outcome {
    std::optional<SourceSlice> slice;  // absent: nothing new
    bool more = false;                 // call again: the slice did not reach the end
  };

  // Advances `source` (cursor, identity, size) in step with the slice it returns. Errc::not_found: the file is gone.
  Result<Outcome> next(Source& source, const Adapter& adapter);

  // Bytes the tailer holds at the moment.
  std::size_t buffer_bytes() const { return buffer_.capacity(); }

 private:
  Result<bool> verify_identity(const SourceFile& file, Source& source, SourceSlice& slice);
  void restart(Source& source, SourceSlice& slice, DiagnosticType why);
  Result<void> read_lines(const SourceFile& file, Source& source, const Adapter& adapter, SourceSlice& slice,
                          bool& more);
  Result<void> read_document(const SourceFile& file, Source& source, const Adapter& adapter, SourceSlice& slice);
  Result<void> skip_oversized(const SourceFile& file, Source& source, SourceSlice& slice);
  void keep_raw(std::size_t bytes, std::uint64_t first, SourceSlice& slice);
  Result<std::size_t> fill(const SourceFile& file, std::uint64_t offset, std::size_t bytes);

  TailerLimits limits_;
  std::vector<char> buffer_;
};

}  // namespace memd
