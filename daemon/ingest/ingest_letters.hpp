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

// What the reading and the writing side of ingest, and their users, tell each other.
namespace memd {

class Writer;

// The reader's knowledge of the sources has an epoch: it grows when the store had to be read anew. A slice that was
// read in an older one is dropped.
struct SliceRead {
  SourceSlice slice;
  assembly::BatchNotes notes;  // of the slice's batch
  std::uint64_t bytes = 0;     // of the source that the slice accounts for
  std::uint64_t epoch = 0;
};
struct NothingMore {};  // for now: what was read may be committed
struct Errand {         // something else that only the writer may do
  std::function<Result<void>(Writer&)> task;
  std::promise<Result<void>> done;
};
using ToWriter = std::variant<SliceRead, NothingMore, Errand>;

struct LookAtEverything {};
struct LookAt {  // something changed at or below this path
  std::string path;
};
struct LookAtSource {  // this file changed, which is the source or a part of it
  SourceCandidate source;
  std::string file;
};
struct TakeIn {  // a source, whether or not it stands under a root
  SourceCandidate file;
};
struct LookIsDue {};   // one that was put off
struct SliceWritten {  // its place on the way is free, and its memory, which the reading thread took, may go
  SliceRead slice;
};
struct Finished {  // so many slices and NothingMore were committed or dropped, in the order they were sent
  std::uint64_t items = 0;
};
struct MuchIsWritten {};  // the allocator holds on to memory that is not needed any more
struct Reload {           // what the store says of the sources, for a new epoch
  std::uint64_t epoch = 0;
  std::vector<Source> sources;
};
using ToReader = std::variant<LookAtEverything, LookAt, LookAtSource, TakeIn, LookIsDue, SliceWritten, Finished,
                              MuchIsWritten, Reload>;

}  // namespace memd
