#pragma once

#include "adapters/adapter.hpp"
#include "adapters/snapshot_reader.hpp"
#include "schemas/base/result.hpp"
#include "schemas/source.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace memd {

class CaptureGate;

// The changes that make the stored session equal to what its source shows.
struct SessionDiff {
  std::uint32_t keep = 0;           // items that stay
  std::vector<std::size_t> added;   // indexes in the source's list, to be read and appended
  std::vector<std::uint32_t> gone;  // numbers of kept items that the source no longer shows
  bool empty(std::size_t known) const { return keep == known && added.empty() && gone.empty(); }
};

// Compares the stored items of a session with the source's list.
//
// New items at the end are added. At the first difference the session goes back to the start of the exchange with that
// difference and is read from there. Items that the source no longer shows are kept with everything before them,
// because they cannot be read again. The newest exchange is the exception: when it changes, its missing items are
// removed. A session with `replaces_poorer_source` set is read from its start.
SessionDiff compare_session(std::span<const SourceItem> known, const SnapshotReader::Session& session);

struct SnapshotLimits {
  std::size_t slice_bytes = 4 << 20;     // bytes of items read at once
  std::size_t item_bytes = 64 << 20;     // a larger item is skipped, counted and diagnosed
  std::size_t sessions_at_a_time = 256;  // sessions compared without a difference before other sources get their turn
  RawMode raw = RawMode::off;
  CaptureGate* gate = nullptr;  // null: everything is captured. Must outlive the pass
};

// One pass over a source that is changed in place. Compares it with the store session by session and decodes what is
// new. The same for all platforms; the platform's part is the SnapshotReader. Holds the item list of one session at
// most, and keeps nothing of the source open between slices. One thread. The adapter must outlive it.
//
// The slices of a pass must be committed before the next pass over the same source begins. A pass may be abandoned
// midway; the next one then finds less to do.
class SnapshotPass {
 public:
  // Queries of the store for the source.
  struct Memory {
    std::function<Result<SessionItems>(const std::string& session_uid)> items;  // SessionItemsQuery
    std::function<Result<std::vector<std::string>>()> sessions;                 // ItemSessionsQuery
  };

  SnapshotPass(const Adapter& adapter, Memory memory, SnapshotLimits limits = {})
      : adapter_(adapter), memory_(std::move(memory)), limits_(limits) {}

  struct Outcome {
    std::optional<SourceSlice> slice;  // absent: nothing new
    std::uint64_t bytes = 0;           // source bytes that the slice accounts for
    bool more = false;                 // call again
    bool unsure = false;               // set at the end: a later pass must begin without a mark
  };
  // Advances `source` in step with the slices; the last slice sets its mark. After an error, drop the pass and make
  // another one later. `reader` must be a fresh one for each call.
  Result<Outcome> next(SnapshotReader& reader, Source& source);

 private:
  // The session being read.
  struct Current {
    std::string key;
    SnapshotReader::Session session;
    SessionDiff diff;
    std::size_t read = 0;                   // number of items read of diff.added
    bool head = false;                      // the head has to be read
    std::optional<SourceItem> made_head{};  // this is stored instead
  };

  Result<void> begin(SnapshotReader& reader, Source& source);
  Result<void> add_gone_sessions(Platform platform);
  Result<bool> open_session(SnapshotReader& reader, const Source& source, const std::string& key);
  Result<bool> open_forgotten(SnapshotReader& reader, const std::string& key, const std::string& uid,
                              const std::optional<SnapshotReader::Session>& session);
  Result<void> read_items(SnapshotReader& reader, const Source& source, SourceSlice& slice, std::uint64_t& bytes);
  SourceItem decode(RecordDecoder& decoder, const SnapshotReader::Item& listed, std::string bytes, std::uint32_t number,
                    SourceSlice& slice) const;
  void finish(Source& source, SourceSlice& slice);

  const Adapter& adapter_;
  const Memory memory_;
  const SnapshotLimits limits_;
  std::optional<SnapshotReader::Plan> plan_;
  std::size_t next_session_ = 0;
  std::size_t gone_ = 0;                                        // first sessions of the plan, which are gone
  std::vector<std::pair<std::string, std::string>> forgotten_;  // keys of forgotten sessions, and what stands for them
  bool worth_a_slice_ = true;
  std::optional<Current> current_;
};

}  // namespace memd
