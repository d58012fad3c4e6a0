#pragma once

#include "adapters/adapter.hpp"
#include "schemas/base/result.hpp"
#include "schemas/source.hpp"
#include "store/write/observation_collector.hpp"
#include "store/write/project_rows.hpp"

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
  std::vector<DirectorySight> sights{};  // of directories in the slice that were not looked at before
};
struct NoMoreSlices {};  // for now; the writer may commit
struct WriterTask {      // other work that only the writer may do
  std::function<Result<void>(Writer&)> task;
  std::promise<Result<void>> done;
};
using ToWriter = std::variant<SliceRead, NoMoreSlices, WriterTask>;

struct RescanAll {};
struct PathChanged {  // something changed at or below this path
  std::string path;
};
struct SourceChanged {  // this file changed; it is the source or a part of it
  SourceCandidate source;
  std::string file;
};
struct AddSource {  // a source, under a root or not
  SourceCandidate file;
};
struct RetryIsDue {};  // a delayed look is due
struct SliceWritten {  // frees the place and the slice's memory, which the reading thread allocated
  SliceRead slice;
};
struct MessagesFinished {  // number of SliceRead and NoMoreSlices messages committed or dropped, in the order sent
  std::uint64_t items = 0;
};
struct TrimMemory {};  // the allocator holds memory that can be returned
struct Reload {        // the sources as stored, for a new epoch
  std::uint64_t epoch = 0;
  std::vector<Source> sources;
};
using ToReader = std::variant<RescanAll, PathChanged, SourceChanged, AddSource, RetryIsDue, SliceWritten,
                              MessagesFinished, TrimMemory, Reload>;

}  // namespace memd
