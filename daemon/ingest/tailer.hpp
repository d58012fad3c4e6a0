#pragma once

#include "adapters/adapter.hpp"
#include "daemon/ingest/log_window.hpp"
#include "daemon/ingest/read_proof.hpp"
#include "daemon/ingest/source_file.hpp"
#include "schemas/base/result.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace memd {

class CaptureGate;

struct TailerLimits {
  std::size_t slice_bytes = 4 << 20;    // bytes read at once
  std::size_t record_bytes = 64 << 20;  // a longer record is skipped, counted and diagnosed
  RawMode raw = RawMode::off;
  CaptureGate* gate = nullptr;  // null: everything is captured. Must outlive the tailer
};

// Reads what is new in a log: verifies that the bytes before the cursor are those that were read, cuts complete records
// and has them decoded. In doubt the log is read from its start: known events add nothing. The state of a source is in
// `Source`. The tailer keeps only a buffer and the streams of compressed files, so one Tailer serves all sources in
// turn. One thread.
//
// A compressed log (*.zst) is treated as the log of its decompressed bytes: cursor, ledger, size and record offsets
// count those. Source::mark is set once it was read to its end.
class Tailer {
 public:
  explicit Tailer(TailerLimits limits = {}, SourceRoots roots = {}) : limits_(limits), roots_(std::move(roots)) {}

  struct Outcome {
    std::optional<SourceSlice> slice;  // absent: nothing new
    bool more = false;                 // call again: the slice did not reach the end
  };

  // Advances `source` (cursor, identity, size, state) in step with the slice it returns. Errc::not_found: the file is
  // gone. After an error `source` is unchanged.
  Result<Outcome> next(Source& source, const Adapter& adapter);

  void close(std::string_view path) { compressed_.close(path); }  // stop reading this file

  // Returns the bytes that the tailer holds now.
  std::size_t buffer_bytes() const { return buffer_.capacity(); }

 private:
  Result<bool> verify_identity(const SourceFile& file, Source& source, SourceSlice& slice);
  Result<bool> begins_as_read(const SourceFile& file, const Source& source, bool is_same_file);
  void restart(Source& source, SourceSlice& slice, std::optional<DiagnosticType> why);
  Result<void> read(SourceFile file, Source& source, const Adapter& adapter, SourceSlice& slice, bool& more);
  Result<void> read_compressed(SourceFile file, Source& source, const Adapter& adapter, SourceSlice& slice, bool& more);
  Result<void> read_document(const SourceFile& file, Source& source, const Adapter& adapter, SourceSlice& slice);
  Result<void> read_lines(LogWindow& window, Source& source, const Adapter& adapter, SourceSlice& slice, bool& more);
  void decode(std::string_view records, Source& source, RecordDecoder& decoder, SourceSlice& slice) const;
  Result<void> look_at_cursor(LogWindow& window, const Source& source, std::size_t want, std::string_view& newest,
                              std::string_view& bytes) const;
  std::string_view keep_raw(std::string_view bytes, std::uint64_t first, SourceSlice& slice) const;
  Result<void> pass_over(LogWindow& window, Source& source, SourceSlice& slice, bool& more);

  TailerLimits limits_;
  SourceRoots roots_;
  std::vector<char> buffer_;
  ReadProof proof_;  // of the source being read
  CompressedLogs compressed_;
};

}  // namespace memd
