#pragma once

#include "adapters/adapter.hpp"
#include "schemas/error.hpp"
#include "schemas/source.hpp"
#include "store/write/observation_collector.hpp"

#include <cstdint>
#include <functional>
#include <future>
#include <string>
#include <variant>
#include <vector>

// The messages between the reading side of ingest, the writing side and their users.
namespace memd {

class Writer;

// A slice on its way to the writer. The epoch of the reader's state grows each time that state is reloaded from the
// store. Slices of an older epoch are dropped.
struct SliceRead {
  SourceSlice slice;
  assembly::BatchNotes notes;  // of the slice's batch
  std::uint64_t bytes = 0;     // source bytes that the slice accounts for
  std::uint64_t epoch = 0;
};
struct NothingMore {};  // for now; the writer may commit
struct Errand {         // other work that only the writer may do
  std::function<Result<void>(Writer&)> task;
  std::promise<Result<void>> done;
};
using ToWriter = std::variant<SliceRead, NothingMore, Errand>;

struct LookAtEverything {};
struct LookAt {  // something changed at or below this path
  std::string path;
};
struct LookAtSource {  // this file changed; it is the source or a part of it
  SourceCandidate source;
  std::string file;
};
struct TakeIn {  // a source, under a root or not
  SourceCandidate file;
};
struct LookIsDue {};   // a delayed look is due
struct SliceWritten {  // frees the place and the slice's memory, which the reading thread allocated
  SliceRead slice;
};
struct Finished {  // number of SliceRead and NothingMore letters committed or dropped, in the order sent
  std::uint64_t items = 0;
};
struct MuchIsWritten {};  // the allocator holds memory that can be returned
struct Reload {           // the sources as stored, for a new epoch
  std::uint64_t epoch = 0;
  std::vector<Source> sources;
};
using ToReader = std::variant<LookAtEverything, LookAt, LookAtSource, TakeIn, LookIsDue, SliceWritten, Finished,
                              MuchIsWritten, Reload>;

}  // namespace memd
